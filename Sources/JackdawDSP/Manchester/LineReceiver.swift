/// The state of a decoder that works on the line's integral, hop by hop.
protocol LineReceiver: Sendable, Wipeable {
    /// The sound so far.
    var integral: LineIntegral { get set }
    /// Samples behind the last one that have to come in until all has been looked at.
    var samplesInReach: Int { get }

    /// Goes through what has come in.
    mutating func advance(into events: inout [LineEvent])
    /// Appends what is still open when the recording ends.
    mutating func close(into events: inout [LineEvent])
    /// Forgets the past.
    mutating func reset()
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

/// A receiver of any line, for ``WipedBox``.
struct AnyLineReceiver: Sendable, Wipeable {
    var receiver: any LineReceiver

    mutating func wipe() { receiver.wipe() }
}
