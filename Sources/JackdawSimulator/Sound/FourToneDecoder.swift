import JackdawReaders

/// Hears commands of four tones out of the sound itself: each turn of the wave is timed from where it rises through 0 to
/// where it does so again, and taken for the nearest of the tones.
struct FourToneDecoder {
    /// Bits of a command at most.
    private static let mostBits = 8 * 1024
    /// Turns of the power tone that end a command.
    private static let endingTurns = 20.0

    private let sampleRate: Double
    /// The four tones, and the power tone behind them, in Hz.
    private let tones: [Double]
    private let turnsPerSymbol: Double
    private let preamble: [UInt8]

    private var position = 0.0
    private var last: Float = 0
    /// Where the wave rose through 0.
    private var rise: Double?
    private var tone = 4
    /// Turns of the tone so far.
    private var turns = 0.0
    private var bits: [UInt8] = []

    /// - Parameters:
    ///   - tones: the four tones in Hz, by the value of their bits.
    ///   - powerTone: the tone between commands in Hz.
    ///   - turnsPerSymbol: turns of two bits.
    ///   - preamble: bytes before those of a command.
    ///   - sampleRate: samples per second (Hz).
    init(tones: [Double], powerTone: Double, turnsPerSymbol: Int, preamble: [UInt8], sampleRate: Double) {
        self.sampleRate = sampleRate
        self.tones = tones + [powerTone]
        self.turnsPerSymbol = Double(turnsPerSymbol)
        self.preamble = preamble
    }

    /// Takes the next sample.
    /// - Returns: the bytes of a command where its end was heard.
    mutating func receive(_ sample: Float) -> [UInt8]? {
        defer {
            last = sample
            position += 1
        }
        guard last < 0, sample >= 0 else { return nil }
        let rise = position - Double(sample / (sample - last))
        defer { self.rise = rise }
        guard let start = self.rise else { return nil }
        return take(frequency: sampleRate / (rise - start))
    }

    /// Forgets what was heard.
    mutating func reset() {
        rise = nil
        tone = 4
        turns = 0
        bits = []
    }

    private mutating func take(frequency: Double) -> [UInt8]? {
        let nearest = tones.indices.min { abs(tones[$0] - frequency) < abs(tones[$1] - frequency) } ?? 4
        if nearest != tone {
            finishTone()
            tone = nearest
            turns = 0
        }
        turns += 1
        guard tone == 4, turns == Self.endingTurns, !bits.isEmpty else { return nil }
        defer { bits = [] }
        return command()
    }

    /// A tone has ended: it was one symbol, or several that are alike.
    private mutating func finishTone() {
        guard tone < 4, turnsPerSymbol > 0 else { return }
        let symbols = min(Int((turns / turnsPerSymbol).rounded()), (Self.mostBits - bits.count) / 2)
        for _ in 0..<symbols { bits += [UInt8(tone & 1), UInt8(tone >> 1)] }
    }

    /// The bytes behind the preamble; nil where there is none.
    private func command() -> [UInt8]? {
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << UInt8($1) }
        }
        return bytes.starts(with: preamble) ? Array(bytes.dropFirst(preamble.count)) : nil
    }
}
