import JackdawDSP
import JackdawReaders

/// Decodes the commands that a simulated reader receives as sound.
struct CommandReceiver {
    // Exactly one of the two is set.
    private var fourTones: FourToneDecoder?
    private let line: LineEar?

    /// - Throws: `LineCodeError` with code `outOfRange` if the sample rate does not support the line code.
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

    /// Decodes the next sample.
    /// - Returns: the command bytes that the sample completes; nil if there are none.
    mutating func receive(_ sample: Float) -> [UInt8]? {
        if let line { line.receive(sample) } else { fourTones?.receive(sample) }
    }

    /// Discards everything received so far.
    mutating func reset() {
        fourTones?.reset()
        line?.reset()
    }
}

/// Decodes a line code. A class, because its state changes with every sample and must not be copied each time.
private final class LineEar {
    /// Samples that the decoder gets at once, independent of the size of the blocks.
    private static let hop = 48

    private var decoder: LineModeDecoder
    /// Whether commands are sent twice, the second time inverted; the reader ignores the repetition.
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

/// Detects the power of a simulated reader from its tone. The reader wakes up after the right tone was loud enough for
/// some time, and stays awake as long as any sound, such as that of commands, is as loud.
struct PowerSense {
    /// The time that the tone needs to wake the reader, and the time without sound that ends its power, in units of 10
    /// ms. Assumed values: neither is known.
    private static let (waking, fading) = (10, 5)
    /// Tolerance as a share of the frequency; rounding the period to whole frames shifts it by up to 2 %.
    private static let tolerance = 0.1

    private(set) var hasPower = false
    private let tone: Double
    private let leastPeak: Float
    private var meter: ToneMeter
    /// Consecutive readings with the right tone, and consecutive ones that were not loud enough.
    private var (good, bad) = (0, 0)

    /// - Parameters:
    ///   - tone: frequency of the tone that wakes the reader, in Hz.
    ///   - leastPeak: the peak that it must reach, full scale 1.
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

/// Measures a channel over ten milliseconds: its peak, to which a reader's rectifier charges, and its frequency by the
/// number of zero crossings. That is exact for a steady tone of any waveform, up to half of the sample rate.
struct ToneMeter {
    struct Reading {
        /// Greatest magnitude, full scale 1.
        let peak: Float
        /// Half the zero crossings a second (Hz).
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

    /// Measures the next sample.
    /// - Returns: a reading if the sample is the last of ten milliseconds.
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
