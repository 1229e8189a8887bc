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

/// Turns the sound of a baseband line into characters: ``NibbleLineDecoder``, ``DynamoDecoder`` and
/// ``SerialManchesterDecoder``, by the line.
package struct BasebandDecoder<Line: Sendable>: LineDecoder, CustomReflectable {
    /// The line.
    package let line: Line
    /// Samples per second (Hz).
    package let sampleRate: Double

    private var box: WipedBox<AnyLineReceiver>

    init(_ line: Line, sampleRate: Double, _ receiver: some LineReceiver) {
        self.line = line
        self.sampleRate = sampleRate
        box = WipedBox(AnyLineReceiver(receiver: receiver))
    }

    /// Takes the next samples, full scale -1 to 1, and appends what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    package mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receiver.receive(samples, into: &events)
    }

    /// Takes the next 16-bit samples and appends what they completed; the same events as for `Float` input.
    package mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receiver.receive(samples, into: &events)
    }

    /// Ends the recording: appends what is still open and overwrites all sound.
    package mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receiver.finish(into: &events)
    }

    /// Forgets the past, overwrites all sound and starts a new recording.
    package mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.receiver.reset()
    }

    /// Reflection shows nothing of the sound.
    package var customMirror: Mirror {
        Mirror(self, children: ["line": line, "sampleRate": sampleRate], displayStyle: .struct)
    }
}
