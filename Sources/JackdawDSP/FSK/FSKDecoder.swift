/// Turns frequency shift keying into characters.
///
/// Works from 50 to 9,600 baud at 8 to 192 kHz, whatever the number of samples a bit; finds the clock and the tones of a
/// burst where they are up to 5 % off.
public struct FSKDecoder: LineDecoder {
    /// The tones and the baud.
    public let shift: FrequencyShift
    /// How characters lie among start and stop bits.
    public let framing: CharacterFraming
    /// Samples per second (Hz).
    public let sampleRate: Double

    private var filter: HighPass
    private var sequence: SequenceDecoder
    /// Sound from the beginning of the next stretch on, filtered.
    @Wiped private var buffer: [Float] = []
    /// Position of its first sample, and of the beginning of the next stretch beyond that.
    private var bufferStart = 0
    private var offset = 0.0
    private var chunkEnd: Double
    private var readings: [SequenceDecoder.Reading] = []
    private var burst: BurstMeter?
    private let samplesPerBit: Double

    /// Bits a stretch, and those behind it that are looked at before it is decided on.
    private static let chunkBits = 160.0
    private static let aheadBits = 60.0
    /// The line rests for so many bits between two bursts, at least.
    private static let pauseBits = 60.0
    /// So near behind a character another one is believed more readily.
    private static let holdBits = 20.0
    /// Corner of the filter that keeps offset and hum out, in Hz and over the lower tone: a higher one would bend the phase of
    /// the tones, which costs 0.4 dB at a quarter of the tone.
    private static let corner = 120.0
    private static let cornerShare = 0.12

    /// A decoder at the start of a recording.
    /// - Parameters:
    ///   - shift: tones and baud.
    ///   - framing: 8N1 unless told.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double
    ) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
        try framing.validate()
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        samplesPerBit = sampleRate / shift.baud
        filter = HighPass(turns: min(Self.corner, Self.cornerShare * min(shift.mark, shift.space)) / sampleRate)
        sequence = SequenceDecoder(shift, framing: framing, sampleRate: sampleRate)
        chunkEnd = Self.chunkBits * samplesPerBit
    }

    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        for index in samples.indices {
            take(samples[index].magnitude < 1e6 ? samples[index] : 0, into: &events)
        }
    }

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        for index in samples.indices { take(Float(samples[index]) * (1 / 32_768), into: &events) }
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
    public mutating func finish(into events: inout [LineEvent]) {
        // A filter at rest, and room for what is looked at ahead.
        let end = Double(bufferStart + buffer.count)
        for _ in 0..<Int(Self.aheadBits * samplesPerBit) + 2 { buffer.append(0) }
        while chunkEnd < end { readChunk(into: &events) }
        chunkEnd = end
        readChunk(into: &events)
        closeBurst(into: &events)
        reset()
    }

    /// Forgets the past and starts a new recording, keeping its memory.
    public mutating func reset() {
        buffer.wipe()
        buffer.removeAll(keepingCapacity: true)
        filter.reset()
        sequence.reset()
        bufferStart = 0
        offset = 0
        chunkEnd = Self.chunkBits * samplesPerBit
        burst = nil
    }

    @inline(__always)
    private mutating func take(_ sample: Float, into events: inout [LineEvent]) {
        buffer.append(filter.filter(sample))
        if Double(bufferStart + buffer.count) >= chunkEnd + Self.aheadBits * samplesPerBit { readChunk(into: &events) }
    }

    /// Reads the characters that begin in the stretch, and drops it.
    private mutating func readChunk(into events: inout [LineEvent]) {
        let end = read()
        for reading in readings { report(reading, into: &events) }
        if let burst, Double(bufferStart) + end - burst.end > Self.pauseBits * samplesPerBit {
            closeBurst(into: &events)
        }
        let dropped = min(Int(end), buffer.count)
        buffer.removeFirst(dropped)
        bufferStart += dropped
        offset = end - Double(dropped)
        chunkEnd += Self.chunkBits * samplesPerBit
    }

    /// Reads the stretch. The sound is held no longer than that: a change of the buffer would leave a copy behind.
    private mutating func read() -> Double {
        let sound = buffer
        return sequence.read(
            sound.span, from: offset, before: chunkEnd - Double(bufferStart), readings: &readings)
    }

    private mutating func report(_ reading: SequenceDecoder.Reading, into events: inout [LineEvent]) {
        let start = Double(bufferStart) + reading.start
        let isWithin = burst.map { start - $0.end < Self.holdBits * samplesPerBit } ?? false
        let least = isWithin ? SequenceDecoder.leastEvidenceWithin : SequenceDecoder.leastEvidence
        guard reading.evidence.bitEnergyToNoise >= least else { return }
        if let burst, start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
        let character = framing.character(reading, startSample: start)
        events.append(.character(character))
        var meter = burst ?? BurstMeter(start: start)
        meter.add(character, evidence: reading.evidence, end: Double(bufferStart) + reading.end)
        meter.note(baud: shift.baud * sequence.clock, frequencies: sequence.frequencies)
        burst = meter
    }

    private mutating func closeBurst(into events: inout [LineEvent]) {
        guard let burst else { return }
        events.append(.burst(burst.result(sampleRate: sampleRate)))
        self.burst = nil
        sequence.unlock()
    }
}

extension CharacterFraming {
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    func validate() throws(LineCodeError) {
        try LineCodeError.check("data bits", Double(dataBits), 5...9, "")
    }

    /// What a reading says.
    func character(_ reading: SequenceDecoder.Reading, startSample: Double) -> LineCharacter {
        var value: UInt16 = 0
        var reliabilities = SIMD16<UInt8>(repeating: 0)
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
            value: value, startSample: startSample, confidence: Float(1 / (1 + Numerics.exponential(-Double(least)))),
            isFramed: isEven, tier: .strong,
            reliabilities: reliabilities)
    }
}
