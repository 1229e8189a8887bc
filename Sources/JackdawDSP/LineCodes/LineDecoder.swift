/// Turns the sound of a line code into characters. One shape for FSK, Manchester and NRZ.
///
/// Feed blocks of any size; the events are the same for every block size. Once the memory of a burst has been used, nothing
/// more is allocated while `events` keeps its capacity. Where it has to grow, what it leaves behind is overwritten.
///
/// ```swift
/// var decoder = try FSKDecoder(.bell202, sampleRate: 48_000)
/// var events: [LineEvent] = []
/// decoder.receive(samples.span, into: &events)
/// decoder.finish(into: &events)
/// ```
public protocol LineDecoder: Sendable {
    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent])

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent])

    /// Ends the recording: appends what is still open and overwrites all sound.
    mutating func finish(into events: inout [LineEvent])

    /// Forgets the past and starts a new recording, keeping its memory.
    mutating func reset()
}

extension LineDecoder {
    /// Takes the next samples, full scale -1 to 1, and returns what they completed.
    public mutating func receive(_ samples: Span<Float>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Takes the next 16-bit samples and returns what they completed.
    public mutating func receive(_ samples: Span<Int16>) -> [LineEvent] {
        var events: [LineEvent] = []
        receive(samples, into: &events)
        return events
    }

    /// Ends the recording and returns what was still open.
    public mutating func finish() -> [LineEvent] {
        var events: [LineEvent] = []
        finish(into: &events)
        return events
    }
}
