import JackdawDSP

/// Turns the sound of one channel into characters, in a mode that it knows or finds out.
protocol ModemReceiver {
    /// Takes what was read, and the mode in which it was.
    typealias Sink = (LineEvent, LineMode) -> Void

    /// Takes the next samples and gives what they completed.
    mutating func receive(_ samples: Span<Int16>, _ sink: Sink)

    /// Takes the next samples and gives what they completed.
    mutating func receive(_ samples: Span<Float>, _ sink: Sink)

    /// Ends the recording and gives what was still open.
    mutating func finish(_ sink: Sink)

    /// The swipes of cards that were found instead of modem sound since the last call.
    mutating func takeSwipes() -> [SwipeSpan]
}

extension ModemReceiver {
    mutating func takeSwipes() -> [SwipeSpan] { [] }
}

/// Reads a mode that is known.
struct KnownModeReceiver: ModemReceiver {
    private let mode: LineMode
    private var decoder: any LineDecoder
    private var events: [LineEvent] = []

    /// A receiver of a mode.
    /// - Throws: `LineCodeError` with code `outOfRange` where the rate does not hold the mode.
    init(_ mode: LineMode, sampleRate: Double) throws(LineCodeError) {
        self.mode = mode
        decoder = try mode.decoder(sampleRate: sampleRate)
    }

    mutating func receive(_ samples: Span<Int16>, _ sink: Sink) {
        decoder.receive(samples, into: &events)
        give(sink)
    }

    mutating func receive(_ samples: Span<Float>, _ sink: Sink) {
        decoder.receive(samples, into: &events)
        give(sink)
    }

    mutating func finish(_ sink: Sink) {
        decoder.finish(into: &events)
        give(sink)
    }

    private mutating func give(_ sink: Sink) {
        for event in events { sink(event, mode) }
        events.removeWiping()
    }
}
