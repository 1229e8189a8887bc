import JackdawBytes

/// Decodes frequency shift keying to characters.
///
/// The decoder works from 50 to 9,600 baud at 8 to 192 kHz, with any number of samples per bit, and detects the clock
/// and the tones of a burst if they are up to 5 % off.
public struct FSKDecoder: LineDecoder {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// The start, data, parity and stop bits of characters.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double

    private(set) var box: WipedBox<FSKReceiver>

    /// Creates a decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: framing of the characters; default: 8N1.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - isSquelched: whether characters that may be noise are suppressed; default: true. If false, the sound between
    ///     bursts yields characters all the time.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double, isSquelched: Bool = true
    ) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try framing.validate()
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        box = WipedBox(FSKReceiver(shift, framing: framing, sampleRate: sampleRate, isSquelched: isSquelched))
    }

    /// Processes the next samples, full scale -1 to 1, and appends the events that they complete. A sample that is not
    /// a number, or with a magnitude of 1e6 or more, counts as 0.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Processes the next 16-bit samples and appends the events that they complete; the events are the same as for
    /// `Float` input.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Ends the recording: appends the pending events and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.finish(into: &events)
    }

    /// Discards all state, overwrites all sound and starts a new recording.
    public mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.reset()
    }
}

extension CharacterFraming {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) {
        try LineCodeError.check("data bits", Double(dataBits), 5...9, "")
    }

    /// Converts a reading to a character.
    func character(_ reading: SequenceDecoder.Reading, startSample: Double, _ tier: DecoderTier) -> LineCharacter {
        var value: UInt16 = 0
        var reliabilities = InlineArray<16, UInt8>(repeating: 0)
        var least = Float.infinity
        for index in 0..<dataBits {
            let place = place(ofDataBit: index)
            value |= (reading.bits >> UInt16(index) & 1) << UInt16(place)
            let likelihood = max(0, reading.likelihoods[index + 1])
            least = min(least, likelihood)
            reliabilities[place] = UInt8(min(255, likelihood * 10))
        }
        // Characters without start or stop bit are not found at all, so only the parity can be wrong.
        let isEven = parityBit(of: value).map { $0 == Int(reading.bits >> UInt16(dataBits) & 1) } ?? true
        return LineCharacter(
            value: value, startSample: startSample, confidence: LogLikelihood.confidence(least),
            isFramed: isEven, tier: tier,
            reliabilities: SIMD16(reliabilities))
    }
}

/// The state of a decoder of frequency shift keying: decodes one stretch of sound after another, with the fast tier if
/// all of it is clear and with the strong one otherwise.
struct FSKReceiver: StretchReceiver, SoundReceiver {
    private let shift: FrequencyShift
    private let framing: CharacterFraming
    private let sampleRate: Double

    var stretches: SoundStretches
    /// The end of the recording, once it is known.
    private var recordingEnd = Double.infinity
    private var clear: BitwiseDecoder?
    private var sequence: SequenceDecoder
    /// The sound of a stretch without offset and hum.
    private var filtered: [Float] = []
    /// Whether the fast tier decoded the last stretch.
    private var isClear = false
    private var readings: [SequenceDecoder.Reading] = []
    private var burst: BurstMeter?
    private let samplesPerBit: Double
    private let isSquelched: Bool

    /// Bits per stretch, and bits after it that are examined before it is decided.
    private static let stretchBits = 160.0
    private static let aheadBits = 60.0
    /// Bits after it that are examined if the last stretch was far above the noise.
    private static let aheadBitsIfCertain = 40.0
    /// The least number of bits for which the line rests between two bursts.
    private static let pauseBits = 60.0
    /// The largest part of a stop bit that may be missing at the end of a recording, in bits.
    private static let maxMissing = 0.25
    /// Bits after a character within which another one needs less evidence.
    private static let holdBits = 20.0
    /// The number of bits by which a stretch may be longer than the others, as it begins at the end of a character.
    private static let spareBits = 20.0

    /// Creates a receiver at the start of a recording; the shift and the framing must be valid.
    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double, isSquelched: Bool = true) {
        self.isSquelched = isSquelched
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        samplesPerBit = sampleRate / shift.baud
        clear = BitwiseDecoder(shift, framing: framing, sampleRate: sampleRate)
        sequence = SequenceDecoder(shift, framing: framing, sampleRate: sampleRate, isSquelched: isSquelched)
        stretches = SoundStretches(
            length: Self.stretchBits * samplesPerBit, ahead: Self.aheadBits * samplesPerBit,
            spare: Self.spareBits * samplesPerBit, lowerTone: min(shift.mark, shift.space), sampleRate: sampleRate)
    }

    mutating func finish(into events: inout [LineEvent]) {
        while stretches.end < stretches.recorded { readStretch(into: &events) }
        if stretches.endsRecording() {
            recordingEnd = stretches.end
            readStretch(into: &events)
        }
        closeBurst(into: &events)
        reset()
    }

    /// Discards and overwrites all state of the recording, and keeps the memory.
    mutating func reset() {
        wipe()
        clear?.reset()
        sequence.reset()
        recordingEnd = .infinity
        burst = nil
        isClear = false
    }

    mutating func wipe() {
        stretches.reset()
        filtered.wipeCapacity()
        readings.wipeCapacity()
        sequence.wipe()
    }

    /// Decodes the characters that begin in the stretch, and drops it.
    mutating func readStretch(into events: inout [LineEvent]) {
        if !readClearly(into: &events) {
            if let rest = restBeforeClearCharacters() {
                readStrongly(before: rest, into: &events)
                if !readClearly(into: &events) { readStrongly(before: stretches.end, into: &events) }
            } else {
                readStrongly(before: stretches.end, into: &events)
            }
        }
        stretches.advance()
    }

    /// The start of a carrier: the time from which on the line rests clearly and continues with clear characters.
    private mutating func restBeforeClearCharacters() -> Double? {
        let (origin, start, end) = (stretches.origin, stretches.start, stretches.end)
        let rest = stretches.withSamples { sound, base in
            clear?.restBeforeClearCharacters(
                sound, at: base, from: start - origin, before: end - origin, readings: &readings)
        }
        return rest.map { origin + $0 }
    }

    /// Decodes the stretch bit by bit.
    /// - Returns: whether all of it was clear; if not, the state is unchanged.
    private mutating func readClearly(into events: inout [LineEvent]) -> Bool {
        let (origin, start, limit) = (stretches.origin, stretches.start, stretches.end)
        let end = stretches.withSamples { sound, base in
            clear?.read(sound, at: base, from: start - origin, before: limit - origin, readings: &readings)
        }
        guard let clear, let end else { return false }
        stretches.read(to: origin + end)
        sequence.forgetCarrier()
        if let last = readings.last {
            sequence.follow(
                clock: clear.clock, frequencies: clear.frequencies ?? sequence.sender.frequencies,
                amplitude: last.evidence.amplitude)
        }
        isClear = true
        report(origin: origin, into: &events)
        return true
    }

    /// Decodes the stretch as a sequence, up to a time.
    private mutating func readStrongly(before limit: Double, into events: inout [LineEvent]) {
        let origin = stretches.origin
        stretches.filter(before: limit, into: &filtered)
        let end = readFiltered(from: stretches.start - origin, before: limit - origin)
        stretches.read(to: origin + end)
        let last = sequence.isLocked ? readings.last : nil
        clear?.follow(
            clock: sequence.isLocked ? sequence.sender.clock : 1,
            beginning: last.map { $0.end == end ? .stopBit : .mark } ?? .unknown)
        isClear = false
        report(origin: origin, into: &events)
    }

    /// Reports the decoded characters and the properties of the line.
    private mutating func report(origin: Double, into events: inout [LineEvent]) {
        for reading in readings { report(reading, isClear ? .fast : .strong, origin: origin, into: &events) }
        noteLine()
        if let burst, stretches.start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
    }

    /// Holds the filtered sound during this call only: a change of it while shared would leave a copy.
    private mutating func readFiltered(from offset: Double, before limit: Double) -> Double {
        let filtered = filtered
        let ahead = (sequence.isCertain ? Self.aheadBitsIfCertain : Self.aheadBits) * samplesPerBit
        let sound = filtered.span.extracting(first: Int((limit + ahead).rounded(.up)) + 2)
        return sequence.read(sound, from: offset, before: limit, readings: &readings)
    }

    private mutating func report(
        _ reading: SequenceDecoder.Reading, _ tier: DecoderTier, origin: Double, into events: inout [LineEvent]
    ) {
        let start = origin + reading.start
        let isWithin = burst.map { start - $0.end < Self.holdBits * samplesPerBit } ?? false
        let least = isWithin ? SequenceDecoder.leastEvidenceWithin : SequenceDecoder.leastEvidence
        // The silence after the end of a recording does not count as a stop bit.
        let isWhole = origin + reading.end <= recordingEnd + Self.maxMissing * samplesPerBit
        guard isWhole, !isSquelched || reading.evidence.bitEnergyToNoise >= least else { return }
        if let burst, start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
        let character = framing.character(reading, startSample: start, tier)
        events.appendWiping(.character(character))
        var meter = burst ?? BurstMeter(start: start)
        meter.add(character, evidence: reading.evidence, end: origin + reading.end)
        burst = meter
    }

    /// Updates the burst's meter with its clock and its tones. Those of the fast tier are from clear sound.
    private mutating func noteLine() {
        burst?.note(
            baud: shift.baud * (isClear ? clear?.clock ?? 1 : sequence.sender.clock),
            frequencies: clear?.frequencies ?? sequence.sender.frequencies)
    }

    private mutating func closeBurst(into events: inout [LineEvent]) {
        noteLine()
        guard let burst else { return }
        events.appendWiping(.burst(burst.result(sampleRate: sampleRate)))
        self.burst = nil
        sequence.unlock()
        clear?.forgetBurst()
    }
}
