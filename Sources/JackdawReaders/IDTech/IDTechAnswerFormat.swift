/// What ID TECH's magnetic stripe readers send: `06` or `15` for a command, `06` and settings or a text for a question, and
/// swipes unasked (``IDTechSwipeFormat``).
///
/// An answer does not say which of these it is: who has asked has to tell.
public struct IDTechAnswerFormat: FrameFormat {
    /// What a reader was asked.
    public enum Awaited: Sendable, Hashable, CaseIterable {
        /// Nothing, or to set something: `06` alone.
        case acknowledgement
        /// For settings: `06 02`, then function, length and data of each, `03` LRC.
        case settings
        /// For a text, such as the firmware's version: `06 02` text `03` LRC.
        case text
    }

    /// What the reader was asked last.
    public var awaited: Awaited
    private let swipes = IDTechSwipeFormat()

    static let acknowledge: UInt8 = 0x06
    static let refuse: UInt8 = 0x15

    /// - Parameter awaited: what the reader was asked last.
    public init(awaiting awaited: Awaited = .acknowledgement) { self.awaited = awaited }

    /// The most bytes that a frame has.
    public var greatestSize: Int { swipes.greatestSize }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { Self.starts.contains(bytes[$0]) } }

    private static let starts = [acknowledge, refuse, IDTechCommandFormat.startOfText]
    /// The most bytes of an answer that is no swipe: nobody has documented a longer one than a setting has.
    private static let greatestAnswer = 1024

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        switch bytes[0] {
        case Self.refuse: .unchecked(1)
        case Self.acknowledge where awaited == .acknowledgement: .unchecked(1)
        case Self.acknowledge: measureAnswer(bytes)
        default: swipes.measure(bytes)
        }
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard frame[0] != IDTechCommandFormat.startOfText else {
            return swipes.fields(of: frame, isRevealing: isRevealing)
        }
        guard frame.count > 1 else {
            return [FrameField("answer", 0..<1, frame[0] == Self.refuse ? "15 NAK" : "06 ACK")]
        }
        let end = frame.count - 2
        var fields = [FrameField("answer", 0..<1, "06 ACK"), FrameField("STX", 1..<2, "02")]
        if awaited == .text {
            fields.append(FrameField("text", 2..<end, frame.extracting(2..<end).readerText(isRevealing)))
        } else {
            var start = 2
            while start < end {
                let next = start + 2 + Int(frame[start + 1])
                let name = "\(IDTechFunction(rawValue: frame[start]))"
                let value = frame.extracting(start + 2..<next)
                let shown = value.mayBeOfACard ? value.sensitive(isRevealing) : value.hexadecimal(first: 255)
                fields.append(FrameField(name, start..<next, shown))
                start = next
            }
        }
        return fields + [FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right")]
    }

    private func measureAnswer(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count > 1 else { return .partial(atLeast: 4) }
        guard bytes[1] == IDTechCommandFormat.startOfText else {
            return .fault(FrameFault(.field, at: 1, "\(bytes[1].hexadecimal), where the answer begins with 02"))
        }
        var end = 2
        while true {
            guard end < bytes.count else { return .partial(atLeast: end + 2) }
            guard end < Self.greatestAnswer else {
                return .fault(FrameFault(.length, at: end, "no end in \(Self.greatestAnswer) bytes"))
            }
            if bytes[end] == IDTechCommandFormat.endOfText { return measureEnd(bytes, at: end, from: 1) }
            guard awaited == .settings else {
                end += 1
                continue
            }
            guard end + 1 < bytes.count else { return .partial(atLeast: end + 4) }
            end += 2 + Int(bytes[end + 1])
        }
    }
}
