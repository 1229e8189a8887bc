/// The state of a decoder of frequency shift keying without start and stop bits: reads one stretch of sound after the other.
struct FSKBitReceiver: StretchReceiver, Sendable, Wipeable {
    private let shift: FrequencyShift
    private let sampleRate: Double

    var stretches: SoundStretches
    private var sequence: BitSequenceDecoder
    /// The sound of a stretch without offset and hum.
    private var filtered: [Float] = []
    private var burst: BurstMeter?

    /// Bits a stretch, and those behind it that are looked at before it is decided on.
    private static let stretchBits = 160.0
    private static let aheadBits = 60.0
    /// Bits by which a stretch may be longer than the others: one begins where a bit ended.
    private static let spareBits = 2.0

    /// At the start of a recording, with a shift that is valid.
    init(_ shift: FrequencyShift, sampleRate: Double) {
        self.shift = shift
        self.sampleRate = sampleRate
        let samplesPerBit = sampleRate / shift.baud
        stretches = SoundStretches(
            length: Self.stretchBits * samplesPerBit, ahead: Self.aheadBits * samplesPerBit,
            spare: Self.spareBits * samplesPerBit, lowerTone: min(shift.mark, shift.space), sampleRate: sampleRate)
        sequence = BitSequenceDecoder(shift, sampleRate: sampleRate)
    }

    mutating func finish(into events: inout [LineEvent]) {
        while stretches.endsRecording() { readStretch(into: &events) }
        closeBurst(into: &events)
        reset()
    }

    /// Forgets the past, overwrites all that tells of it and keeps the memory.
    mutating func reset() {
        wipe()
        sequence.reset()
        burst = nil
    }

    mutating func wipe() {
        stretches.reset()
        filtered.wipeCapacity()
        sequence.wipe()
    }

    /// Reads the bits that begin in the stretch, and drops it.
    mutating func readStretch(into events: inout [LineEvent]) {
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
        events.appendWiping(.character(character))
        var meter = burst ?? BurstMeter(start: max(0, start))
        meter.add(character, evidence: evidence, end: origin + sequence.time(bit.end))
        burst = meter
    }

    private mutating func closeBurst(into events: inout [LineEvent]) {
        if let burst { events.appendWiping(.burst(burst.result(sampleRate: sampleRate))) }
        burst = nil
    }
}
