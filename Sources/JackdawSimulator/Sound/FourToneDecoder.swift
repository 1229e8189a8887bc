import JackdawReaders

/// Decodes commands of four tones from the sound itself: measures each period of the wave, from one rising zero
/// crossing to the next, and assigns it to the nearest tone.
struct FourToneDecoder {
    /// Limit of a command in bits.
    private static let maxBits = 8 * 1024
    /// Periods of the power tone that end a command.
    private static let endingTurns = 20.0

    private let sampleRate: Double
    /// The four tones, followed by the power tone, in Hz.
    private let tones: [Double]
    private let turnsPerSymbol: Double
    private let preamble: [UInt8]

    private var position = 0.0
    private var last: Float = 0
    /// Time of the last rising zero crossing, in samples.
    private var rise: Double?
    private var tone = 4
    /// Periods of the present tone so far.
    private var turns = 0.0
    private var bits: [UInt8] = []

    /// - Parameters:
    ///   - tones: the four tones in Hz, by the value of their bits.
    ///   - powerTone: the tone between commands in Hz.
    ///   - turnsPerSymbol: periods of a symbol of two bits.
    ///   - preamble: bytes before those of a command.
    ///   - sampleRate: samples per second (Hz).
    init(tones: [Double], powerTone: Double, turnsPerSymbol: Int, preamble: [UInt8], sampleRate: Double) {
        self.sampleRate = sampleRate
        self.tones = tones + [powerTone]
        self.turnsPerSymbol = Double(turnsPerSymbol)
        self.preamble = preamble
    }

    /// Decodes the next sample.
    /// - Returns: the bytes of a command if the sample ends it.
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

    /// Discards everything received so far.
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

    /// Adds the bits of a tone that has ended: one symbol, or several equal ones.
    private mutating func finishTone() {
        guard tone < 4, turnsPerSymbol > 0 else { return }
        let symbols = min(Int((turns / turnsPerSymbol).rounded()), (Self.maxBits - bits.count) / 2)
        for _ in 0..<symbols { bits += [UInt8(tone & 1), UInt8(tone >> 1)] }
    }

    /// The bytes after the preamble; nil if there is no preamble.
    private func command() -> [UInt8]? {
        let bytes = stride(from: 0, to: bits.count - 7, by: 8).map { start in
            (0..<8).reduce(UInt8(0)) { $0 | bits[start + $1] << UInt8($1) }
        }
        return bytes.starts(with: preamble) ? Array(bytes.dropFirst(preamble.count)) : nil
    }
}
