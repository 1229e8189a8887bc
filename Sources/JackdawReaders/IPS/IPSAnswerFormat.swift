/// What comes while an IPS reader's answer to being woken is awaited: that answer, of which the second byte alone is known, or
/// a swipe.
///
/// Nothing in an answer checks it, so that it is not taken for one behind bytes that are no frame. Where nobody has told how
/// long it is, it ends with what is received at once: for links that keep packets apart.
public struct IPSAnswerFormat: FrameFormat {
    /// The answer's second byte.
    public let second: UInt8
    /// Bytes of the answer, 2 or more; nil where nobody has told.
    public let size: Int?
    private let swipes: IPSFormat

    /// - Parameters:
    ///   - second: the answer's second byte.
    ///   - size: bytes of the answer, 2 or more; nil where nobody has told.
    ///   - layout: where the fields of a swipe lie.
    public init(second: UInt8, size: Int?, layout: IPSLayout = IPSLayout()) {
        precondition(size ?? 2 >= 2, "an answer has the byte that it is known by")
        self.second = second
        self.size = size
        swipes = IPSFormat(layout)
    }

    /// The most bytes that a frame has.
    public var greatestSize: Int { max(size ?? 512, swipes.greatestSize) }

    /// The first byte that may begin a frame: one before an answer's second byte, that of a swipe, or the last one that has come.
    public func start(in bytes: Span<UInt8>) -> Int? {
        let swipe = swipes.start(in: bytes) ?? bytes.count
        return bytes.indices.first { $0 == swipe || $0 + 1 == bytes.count || bytes[$0 + 1] == second }
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes.count > 1 else { return .partial(atLeast: 2) }
        guard isAnswer(bytes) else { return swipes.measure(bytes) }
        guard let size else { return .unchecked(min(bytes.count, greatestSize)) }
        return bytes.count < size ? .partial(atLeast: size) : .unchecked(size)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard isAnswer(frame) else { return swipes.fields(of: frame, isRevealing: isRevealing) }
        let rest = frame.extracting(2...)
        return [
            FrameField("not known", 0..<1, frame[0].hexadecimal),
            FrameField("answer to being woken", 1..<2, frame[1].hexadecimal),
        ] + (rest.count > 0 ? [FrameField("rest", 2..<frame.count, rest.sensitive(isRevealing))] : [])
    }

    /// Whether a frame is an answer.
    func isAnswer(_ frame: Span<UInt8>) -> Bool { frame.count > 1 && frame[1] == second }
}
