import JackdawBytes

/// Decodes frequency shift keying without start and stop bits to a stream of bits.
///
/// Each ``LineEvent/character(_:)`` holds one bit, a value of 0 or 1. A burst begins and ends with its carrier, and no
/// bit in it is left out: if the carrier fades for less than forty bits, the decoder reports the most likely bits with
/// a low confidence. It works from 50 to 9,600 baud at 8 to 192 kHz, with any number of samples per bit, and detects
/// the clock and the tones of a burst if they are up to 5 % off. The phase must be continuous.
package struct FSKBitDecoder: LineDecoder {
    /// The tones and the baud.
    package let shift: FrequencyShift
    /// Samples per second (Hz).
    package let sampleRate: Double

    private(set) var box: WipedBox<FSKBitReceiver>

    /// Creates a decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(_ shift: FrequencyShift, sampleRate: Double) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        self.shift = shift
        self.sampleRate = sampleRate
        box = WipedBox(FSKBitReceiver(shift, sampleRate: sampleRate))
    }

    /// Processes the next samples, full scale -1 to 1, and appends the events that they complete. A sample that is not
    /// a number, or with a magnitude of 1e6 or more, counts as 0.
    package mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Processes the next 16-bit samples and appends the events that they complete; the events are the same as for
    /// `Float` input.
    package mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Ends the recording: appends the pending events and overwrites all sound.
    package mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.finish(into: &events)
    }

    /// Discards all state, overwrites all sound and starts a new recording.
    package mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.reset()
    }
}

/// Encodes bytes as frequency shift keying without start and stop bits, the most significant bit first; the silence
/// around the bits marks their start and end.
package struct FSKBitEncoder: LineEncoder {
    /// Samples per second (Hz).
    package var sampleRate: Double { encoder.sampleRate }
    /// The tones and the baud.
    package var shift: FrequencyShift { encoder.shift }

    private var encoder: FSKEncoder

    /// Creates an encoder on a silent line.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - level: level of the sine in dBFS, -120 to 0; default: -6.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    package init(_ shift: FrequencyShift, sampleRate: Double, level: Double = -6) throws(LineCodeError) {
        encoder = try FSKEncoder(shift, sampleRate: sampleRate, level: level)
    }

    /// Appends the sound of bytes, eight bits each.
    package mutating func encode(_ bytes: Span<UInt8>, into samples: inout [Float]) {
        encoder.encodeBits(bytes, into: &samples)
    }

    /// Appends silence, 0 to 600 seconds, and resets the phase.
    package mutating func idle(seconds: Double, into samples: inout [Float]) {
        let count = Int(IdleTime.bounded(seconds) * sampleRate)
        samples.growWiping(toHold: samples.count + count)
        samples.append(contentsOf: repeatElement(0, count: count))
        reset()
    }

    /// Starts again at phase 0.
    package mutating func reset() { encoder.reset() }
}

/// The state of a decoder of frequency shift keying without start and stop bits: decodes one stretch of sound after
/// another.
struct FSKBitReceiver: StretchReceiver, SoundReceiver {
    private let shift: FrequencyShift
    private let sampleRate: Double

    var stretches: SoundStretches
    private var sequence: BitSequenceDecoder
    /// The sound of a stretch without offset and hum.
    private var filtered: [Float] = []
    private var burst: BurstMeter?

    /// Bits per stretch, and bits after it that are examined before it is decided.
    private static let stretchBits = 160.0
    private static let aheadBits = 60.0
    /// Bits by which a stretch may be longer than the others: it begins at the end of a bit.
    private static let spareBits = 2.0

    /// Creates a receiver at the start of a recording; the shift must be valid.
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

    /// Discards and overwrites all state of the recording, and keeps the memory.
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

    /// Decodes the bits that begin in the stretch, and drops it.
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

    /// Holds the filtered sound during this call only: a change of it while shared would leave a copy.
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
