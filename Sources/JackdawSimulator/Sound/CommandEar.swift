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

/// What a simulated reader makes of the tone that it lives on: it wakes up when the right one was loud enough for some time,
/// and lives as long as there is any sound that is as loud, such as that of commands.
struct PowerSense {
    /// How long the tone has to be there, and how long it may be away, in tens of milliseconds. Nobody has told of either.
    private static let (waking, fading) = (10, 5)
    /// Share of the frequency that it may be off: a period in whole frames is, by as much as 2 %.
    private static let tolerance = 0.1

    private(set) var hasPower = false
    private let tone: Double
    private let leastPeak: Float
    private var meter: ToneMeter
    /// Readings that were good, and that were not, one behind the other.
    private var (good, bad) = (0, 0)

    /// - Parameters:
    ///   - tone: Hz of the tone that wakes the reader.
    ///   - leastPeak: what its peak has to reach, full scale 1.
    ///   - sampleRate: samples per second (Hz).
    init(tone: Double, leastPeak: Float, sampleRate: Double) {
        self.tone = min(tone, sampleRate / 2)
        self.leastPeak = leastPeak
        meter = ToneMeter(sampleRate: sampleRate)
    }

    mutating func receive(_ sample: Float) {
        guard let reading = meter.receive(sample) else { return }
        let isLoud = reading.peak >= leastPeak
        let isRight = isLoud && abs(reading.frequency - tone) <= Self.tolerance * tone
        good = isRight ? good + 1 : 0
        bad = isLoud ? 0 : bad + 1
        if good >= Self.waking { hasPower = true }
        if bad >= Self.fading { hasPower = false }
    }
}

/// What a channel sounds like over ten milliseconds: its peak, which is what a reader's rectifier charges to, and how many
/// turns a second it has by how often it passes 0. For a steady tone of any form that is its frequency, up to half of the
/// sample rate.
struct ToneMeter {
    struct Reading {
        /// Greatest magnitude, full scale 1.
        let peak: Float
        /// Turns a second.
        let frequency: Double
    }

    private let sampleRate: Double
    private let window: Int
    private var count = 0
    private var crossings = 0
    private var peak: Float = 0
    private var isHigh = false

    init(sampleRate: Double) {
        self.sampleRate = sampleRate
        window = Int(sampleRate / 100)
    }

    /// Takes the next sample.
    /// - Returns: a reading where this one was the last of ten milliseconds.
    mutating func receive(_ sample: Float) -> Reading? {
        if sample > 0 ? !isHigh : sample < 0 && isHigh {
            crossings += 1
            isHigh.toggle()
        }
        peak = max(peak, abs(sample))
        count += 1
        guard count == window else { return nil }
        defer { (count, crossings, peak) = (0, 0, 0) }
        return Reading(peak: peak, frequency: Double(crossings) / 2 * sampleRate / Double(window))
    }
}
