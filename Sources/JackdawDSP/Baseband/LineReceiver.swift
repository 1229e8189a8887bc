/// The state of a decoder that works on the line's integral, one hop at a time.
protocol LineReceiver: SoundReceiver {
    /// The sound so far.
    var integral: LineIntegral { get set }
    /// Samples after the last one that must arrive before everything has been examined.
    var samplesInReach: Int { get }

    /// Processes the samples that have arrived.
    mutating func advance(into events: inout [LineEvent])
    /// Appends the events that are still pending when the recording ends.
    mutating func close(into events: inout [LineEvent])
}

extension LineReceiver {
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        receive(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
    }

    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        receive(samples, into: &events) { Float($0) * (1 / 32_768) }
    }

    @inline(__always)
    private mutating func receive<Sample>(
        _ samples: Span<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while integral.append(samples, from: &taken, convert: convert) { advance(into: &events) }
    }

    mutating func finish(into events: inout [LineEvent]) {
        for _ in 0...(samplesInReach / LineIntegral.hop) {
            integral.hold()
            advance(into: &events)
        }
        close(into: &events)
        reset()
    }
}

/// Decodes the sound of a baseband line to characters. By its line it is ``NibbleLineDecoder``, ``DynamoDecoder`` or
/// ``SerialManchesterDecoder``.
package struct BasebandDecoder<Line: Sendable>: LineDecoder {
    package let line: Line
    /// Samples per second (Hz).
    package let sampleRate: Double

    private(set) var receiver: AnyReceiver

    init(_ line: Line, sampleRate: Double, _ receiver: some LineReceiver) {
        self.line = line
        self.sampleRate = sampleRate
        self.receiver = WipedBox(receiver)
    }

    /// Processes the next samples, full scale -1 to 1, and appends the events that they complete. A sample that is not
    /// a number, or with a magnitude of 1e6 or more, counts as 0.
    package mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        AnyReceiver.makeUnique(&receiver)
        receiver.receive(samples, into: &events)
    }

    /// Processes the next 16-bit samples and appends the events that they complete; the events are the same as for
    /// `Float` input.
    package mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        AnyReceiver.makeUnique(&receiver)
        receiver.receive(samples, into: &events)
    }

    /// Ends the recording: appends the pending events and overwrites all sound.
    package mutating func finish(into events: inout [LineEvent]) {
        AnyReceiver.makeUnique(&receiver)
        receiver.finish(into: &events)
    }

    /// Discards all state, overwrites all sound and starts a new recording.
    package mutating func reset() {
        AnyReceiver.makeUnique(&receiver)
        receiver.reset()
    }
}
