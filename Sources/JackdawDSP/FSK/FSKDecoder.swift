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
