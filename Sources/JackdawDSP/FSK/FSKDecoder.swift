/// Turns frequency shift keying into characters.
public struct FSKDecoder: LineDecoder {
    /// A decoder at the start of a recording.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    public init(
        _ shift: FrequencyShift, framing: CharacterFraming = .eightNoneOne, sampleRate: Double
    ) throws(LineCodeError) {
        try shift.validate(sampleRate: sampleRate)
    }

    public mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {}
    public mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {}
    public mutating func finish(into events: inout [LineEvent]) {}
    public mutating func reset() {}
}
