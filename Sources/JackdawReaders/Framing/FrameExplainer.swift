/// How what belongs to one protocol is checked and explained where it comes as a whole: a ``FrameFormat`` does it for frames
/// that it also cuts out of a stream; a link that keeps its messages apart needs no more than this.
public protocol FrameExplainer: Sendable {
    /// Reads bytes that have to be one frame and nothing else.
    /// - Parameter bytes: from its first to its last byte.
    /// - Throws: ``FrameFault`` that says where and why they are not.
    func check(_ bytes: Span<UInt8>) throws(FrameFault)

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame that was checked.
    ///   - isRevealing: whether card data is shown whole; else it is masked.
    /// - Returns: its fields, in their order and without a gap.
    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField]
}

extension FrameExplainer {
    /// Reads bytes that have to be one frame and nothing else.
    /// - Throws: ``FrameFault`` that says where and why they are not.
    public func check(_ bytes: [UInt8]) throws(FrameFault) { try check(bytes.span) }

    /// Explains a frame, field by field.
    /// - Parameters:
    ///   - frame: a whole frame.
    ///   - isRevealing: whether card data is shown whole; else it is masked.
    /// - Returns: its fields, in their order and without a gap.
    public func fields(of frame: [UInt8], isRevealing: Bool = false) -> [FrameField] {
        fields(of: frame.span, isRevealing: isRevealing)
    }
}
