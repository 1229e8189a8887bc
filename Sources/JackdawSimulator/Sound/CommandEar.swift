import JackdawDSP
import JackdawReaders

/// How a simulated reader hears commands.
struct CommandEar {
    // One of them is there.
    private var fourTones: FourToneDecoder?
    private let line: LineEar?

    /// - Throws: `LineCodeError` with code `outOfRange` where the rate does not hold the line code.
    init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
        switch sound.commands {
        case .fourTones(let profile):
            let tones = (0..<4).map { profile.shift.tones[$0] }
            fourTones = FourToneDecoder(
                tones: tones, powerTone: profile.powerFrequency, turnsPerSymbol: profile.shift.periodsPerSymbol,
                preamble: profile.preamble, sampleRate: sampleRate)
            line = nil
        case .line(let mode): line = try LineEar(mode, sampleRate: sampleRate)
        }
    }

    /// Takes the next sample.
    /// - Returns: bytes of commands where some were heard.
    mutating func receive(_ sample: Float) -> [UInt8]? {
        if let line { line.receive(sample) } else { fourTones?.receive(sample) }
    }

    /// Forgets what was heard.
    mutating func reset() {
        fourTones?.reset()
        line?.reset()
    }
}

/// Hears a line code. It changes with every sample, and shall not be copied for that.
private final class LineEar {
    /// Samples that the decoder gets at once, whatever blocks the sound comes in.
    private static let hop = 48

    private var decoder: any LineDecoder
    /// Whether commands are sent twice, the second time upside down: a reader hears one way round.
    private let isRepeated: Bool
    private var last: [UInt8] = []
    private var hop: [Float] = []
    private var events: [LineEvent] = []
    private var burst: [UInt8] = []

    init(_ mode: LineMode, sampleRate: Double) throws(LineCodeError) {
        decoder = try mode.decoder(sampleRate: sampleRate)
        if case .dynamo(let line) = mode.code { isRepeated = line.repeatsInverted } else { isRepeated = false }
    }

    func receive(_ sample: Float) -> [UInt8]? {
        hop.append(sample)
        guard hop.count == Self.hop else { return nil }
        decoder.receive(hop.span, into: &events)
        hop.removeAll(keepingCapacity: true)
        guard !events.isEmpty else { return nil }
        var heard: [UInt8] = []
        for event in events {
            switch event {
            case .character(let character):
                if character.isFramed { burst.append(UInt8(truncatingIfNeeded: character.value)) }
            case .burst: heard += finishBurst()
            }
        }
        events.removeAll(keepingCapacity: true)
        return isRepeated ? heard : heard + finishBurst()
    }

    func reset() {
        decoder.reset()
        hop = []
        burst = []
        last = []
    }

    private func finishBurst() -> [UInt8] {
        defer { burst = [] }
        guard isRepeated else { return burst }
        guard burst != last else {
            last = []
            return []
        }
        last = burst
        return burst
    }
}
