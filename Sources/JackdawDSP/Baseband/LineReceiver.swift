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

/// A baseband line: its rates, and the receiver of its sound.
protocol BasebandLine: Sendable {
    associatedtype Receiver: LineReceiver

    /// - Throws: ``LineCodeError`` with code `outOfRange` if a value is out of its range at this sample rate.
    func validate(sampleRate: Double) throws(LineCodeError)
    /// Returns a receiver at the start of a recording; the line must be valid.
    func receiver(sampleRate: Double) -> Receiver
}

/// Decodes the sound of a baseband line to characters. By its line it is ``NibbleLineDecoder``, ``DynamoDecoder`` or
/// ``SerialManchesterDecoder``.
struct BasebandDecoder<Line: BasebandLine>: LineDecoder {
    let line: Line
    /// Samples per second (Hz).
    let sampleRate: Double

    private(set) var box: WipedBox<Line.Receiver>

    /// Creates a decoder at the start of a recording.
    /// - Parameters:
    ///   - line: the rates of the line.
    ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
    /// - Throws: ``LineCodeError`` with code `outOfRange`.
    init(_ line: Line, sampleRate: Double) throws(LineCodeError) {
        try line.validate(sampleRate: sampleRate)
        self.line = line
        self.sampleRate = sampleRate
        box = WipedBox(line.receiver(sampleRate: sampleRate))
    }

    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.receive(samples, into: &events)
    }

    mutating func finish(into events: inout [LineEvent]) {
        WipedBox.makeUnique(&box)
        box.content.finish(into: &events)
    }

    mutating func reset() {
        WipedBox.makeUnique(&box)
        box.content.reset()
    }
}
