/// Turns frequency shift keying without start and stop bits into a stream of bits.
///
/// Each ``LineEvent/character(_:)`` holds one bit, a value of 0 or 1. A burst begins and ends with its carrier, and no
/// bit in it is left out: where the carrier fades for less than forty bits, what was most likely is given, with little
/// confidence. Works from 50 to 9,600 baud at 8 to 192 kHz, whatever the number of samples a bit; finds the clock and the
/// tones of a burst where they are up to 5 % off. Phases have to be continuous.
public struct FSKBitDecoder: LineDecoder, CustomReflectable {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var stretches: SoundStretches
    private var sequence: BitSequenceDecoder
    /// The sound of a stretch without offset and hum.
    @Wiped private var filtered: [Float] = []
    private var burst: BurstMeter?

    /// Bits a stretch, and those behind it that are looked at before it is decided on.
    private static let stretchBits = 160.0
    private static let aheadBits = 60.0
    /// Bits by which a stretch may be longer than the others: one begins where a bit ended.
    private static let spareBits = 2.0

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(_ shift: FrequencyShift, sampleRate: Double) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        self.shift = shift
        self.sampleRate = sampleRate
        let samplesPerBit = sampleRate / shift.baud
        stretches = SoundStretches(
            length: Self.stretchBits * samplesPerBit, ahead: Self.aheadBits * samplesPerBit,
            spare: Self.spareBits * samplesPerBit, lowerTone: min(shift.mark, shift.space), sampleRate: sampleRate)
        sequence = BitSequenceDecoder(shift, sampleRate: sampleRate)
    }

    /// Reflection shows nothing of the bits.
    public var customMirror: Mirror {
        Mirror(self, children: ["shift": shift, "sampleRate": sampleRate], displayStyle: .struct)
    }

    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { Float($0) * (1 / 32_768) }
        }
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        while stretches.endsRecording() { readStretch(into: &events) }
        closeBurst(into: &events)
        reset()
    }

    /// Forgets the past and starts a new recording, keeping its memory.
    public mutating func reset() {
        stretches.reset()
        filtered.wipe()
        sequence.reset()
        burst = nil
    }

    @inline(__always)
    private mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while taken < samples.count {
            taken += unsafe stretches.take(samples, from: taken, convert: convert)
            if stretches.isComplete { readStretch(into: &events) }
        }
    }

    /// Reads the bits that begin in the stretch, and drops it.
    private mutating func readStretch(into events: inout [LineEvent]) {
        let origin = stretches.origin
        stretches.filter(before: stretches.end, into: &filtered)
        let end = readFiltered()
        for passage in sequence.passages {
            for index in passage.bits { report(index, of: passage, origin: origin, into: &events) }
            burst?.note(baud: shift.baud * sequence.clock, frequencies: sequence.frequencies)
            if passage.ends { closeBurst(into: &events) }
        }
        stretches.read(to: origin + end)
        stretches.advance()
    }

    /// The filtered sound is held no longer than this: a change of it would leave a copy behind.
    private mutating func readFiltered() -> Double {
        let filtered = filtered
        let origin = stretches.origin
        return sequence.read(filtered.span, from: stretches.start - origin, before: stretches.end - origin)
    }

    private mutating func report(
        _ index: Int, of passage: BurstGate.Passage, origin: Double, into events: inout [LineEvent]
    ) {
        let bit = sequence.path.bits[index]
        let evidence = sequence.evidence(around: index, in: passage)
        let likelihood = max(0, bit.lead * evidence.amplitude / evidence.noise)
        var reliabilities = SIMD16<UInt8>(repeating: 255)
        reliabilities[0] = UInt8(min(255, 10 * likelihood))
        let start = origin + sequence.time(bit.start)
        let character = LineCharacter(
            value: UInt16(bit.value), startSample: start, confidence: LogLikelihood.confidence(likelihood),
            tier: .strong, reliabilities: reliabilities)
        events.append(.character(character))
        var meter = burst ?? BurstMeter(start: max(0, start))
        meter.add(character, evidence: evidence, end: origin + sequence.time(bit.end))
        burst = meter
    }

    private mutating func closeBurst(into events: inout [LineEvent]) {
        if let burst { events.append(.burst(burst.result(sampleRate: sampleRate))) }
        burst = nil
    }
}
