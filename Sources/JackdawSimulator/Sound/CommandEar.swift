import JackdawDSP
import JackdawReaders

/// How a simulated reader hears commands.
struct CommandEar {
    private enum Decoder {
        case fourTones(FourToneDecoder)
        case line(LineEar)
    }

    /// Samples that a line's decoder gets at once, whatever blocks the sound comes in.
    private static let hop = 48

    private var decoder: Decoder

    /// - Throws: `LineCodeError` with code `outOfRange` where the rate does not hold the line code.
    init(_ sound: ReaderSound, sampleRate: Double) throws(LineCodeError) {
        switch sound.commands {
        case .fourTones(let profile):
            let tones = (0..<4).map { profile.shift.tones[$0] }
            decoder = .fourTones(
                FourToneDecoder(
                    tones: tones, powerTone: profile.powerFrequency, turnsPerSymbol: profile.shift.periodsPerSymbol,
                    preamble: profile.preamble, sampleRate: sampleRate))
        case .line(let mode): decoder = .line(try LineEar(mode, sampleRate: sampleRate))
        }
    }

    /// Takes the next sample.
    /// - Returns: bytes of commands that were heard; empty where there are none.
    mutating func receive(_ sample: Float) -> [UInt8] {
        switch decoder {
        case .fourTones(var fourTones):
            let command = fourTones.receive(sample)
            decoder = .fourTones(fourTones)
            return command ?? []
        case .line(let line): return line.receive(sample)
        }
    }

    /// Forgets what was heard.
    mutating func reset() {
        switch decoder {
        case .fourTones(var fourTones):
            fourTones.reset()
            decoder = .fourTones(fourTones)
        case .line(let line): line.reset()
        }
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

    func receive(_ sample: Float) -> [UInt8] {
        hop.append(sample)
        guard hop.count == Self.hop else { return [] }
        decoder.receive(hop.span, into: &events)
        hop.removeAll(keepingCapacity: true)
        var heard: [UInt8] = []
        for event in events {
            switch event {
            case .character(let character): if character.isFramed { burst.append(UInt8(truncatingIfNeeded: character.value)) }
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
