/// Turns frequency shift keying into characters.
///
/// Works from 50 to 9,600 baud at 8 to 192 kHz, whatever the number of samples a bit; finds the clock and the tones of a
/// burst where they are up to 5 % off.
public struct FSKDecoder: LineDecoder, CustomReflectable {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// How characters lie among start and stop bits.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double

    private(set) var box: WipedBox<FSKReceiver>

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: 8N1 unless told.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    ///   - isSquelched: whether characters that noise may have made are kept back, as they are unless told. Without that the
    ///     sound between bursts gives characters all the time.
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

    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.finish(into: &events)
    }

    /// Forgets the past, overwrites all sound and starts a new recording.
    public mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.reset()
    }

    /// Reflection shows nothing of the sound.
    public var customMirror: Mirror {
        Mirror(
            self, children: ["shift": shift, "framing": framing, "sampleRate": sampleRate], displayStyle: .struct)
    }
}

extension CharacterFraming {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) {
        try LineCodeError.check("data bits", Double(dataBits), 5...9, "")
    }

    /// What a reading says.
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
        // What has no start or stop bit was not read at all.
        let isEven = parityBit(of: value).map { $0 == Int(reading.bits >> UInt16(dataBits) & 1) } ?? true
        return LineCharacter(
            value: value, startSample: startSample, confidence: LogLikelihood.confidence(least),
            isFramed: isEven, tier: tier,
            reliabilities: SIMD16(reliabilities))
    }
}

/// The state of a decoder of frequency shift keying: reads one stretch of sound after the other, by the fast tier where all
/// of it is clear and by the strong one elsewhere.
struct FSKReceiver: StretchReceiver, Sendable, Wipeable {
    private let shift: FrequencyShift
    private let framing: CharacterFraming
    private let sampleRate: Double

    var stretches: SoundStretches
    /// Where the recording ends, once that is known.
    private var recordingEnd = Double.infinity
    private var clear: BitwiseDecoder?
    private var sequence: SequenceDecoder
    /// The sound of a stretch without offset and hum.
    private var filtered: [Float] = []
    /// Whether the fast tier read the last stretch.
    private var isClear = false
    private var readings: [SequenceDecoder.Reading] = []
    private var burst: BurstMeter?
    private let samplesPerBit: Double
    private let isSquelched: Bool

    /// Bits a stretch, and those behind it that are looked at before it is decided on.
    private static let stretchBits = 160.0
    private static let aheadBits = 60.0
    /// The line rests for so many bits between two bursts, at least.
    private static let pauseBits = 60.0
    /// Bits that a stop bit may lack at the end of a recording.
    private static let mostMissing = 0.25
    /// So near behind a character another one is believed more readily.
    private static let holdBits = 20.0
    /// Bits by which a stretch may be longer than the others: one begins where a character ended.
    private static let spareBits = 20.0

    /// At the start of a recording, with a shift and a framing that are valid.
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

    /// Forgets the past, overwrites all that tells of it and keeps the memory.
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

    /// Reads the characters that begin in the stretch, and drops it.
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

    /// Where a carrier begins: the time from which on the line rests clearly, and goes on with clear characters.
    private mutating func restBeforeClearCharacters() -> Double? {
        let (origin, start, end) = (stretches.origin, stretches.start, stretches.end)
        let rest = stretches.withSamples { sound, base in
            clear?.restBeforeClearCharacters(
                sound, at: base, from: start - origin, before: end - origin, readings: &readings)
        }
        return rest.map { origin + $0 }
    }

    /// Reads the stretch bit by bit.
    /// - Returns: whether all of it was clear; nothing has changed where it was not.
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

    /// Reads the stretch as a sequence, up to a time.
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

    /// Reports what was read, and what it says of the line.
    private mutating func report(origin: Double, into events: inout [LineEvent]) {
        for reading in readings { report(reading, isClear ? .fast : .strong, origin: origin, into: &events) }
        noteLine()
        if let burst, stretches.start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
    }

    /// The filtered sound is held no longer than this: a change of it would leave a copy behind.
    private mutating func readFiltered(from offset: Double, before limit: Double) -> Double {
        let filtered = filtered
        return sequence.read(filtered.span, from: offset, before: limit, readings: &readings)
    }

    private mutating func report(
        _ reading: SequenceDecoder.Reading, _ tier: DecoderTier, origin: Double, into events: inout [LineEvent]
    ) {
        let start = origin + reading.start
        let isWithin = burst.map { start - $0.end < Self.holdBits * samplesPerBit } ?? false
        let least = isWithin ? SequenceDecoder.leastEvidenceWithin : SequenceDecoder.leastEvidence
        // The silence behind the end of a recording does not count as a stop bit.
        let isWhole = origin + reading.end <= recordingEnd + Self.mostMissing * samplesPerBit
        guard isWhole, !isSquelched || reading.evidence.bitEnergyToNoise >= least else { return }
        if let burst, start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
        let character = framing.character(reading, startSample: start, tier)
        events.appendWiping(.character(character))
        var meter = burst ?? BurstMeter(start: start)
        meter.add(character, evidence: reading.evidence, end: origin + reading.end)
        burst = meter
    }

    /// Tells the burst's meter of its clock and its tones. Those of the fast tier are those of clear sound.
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
