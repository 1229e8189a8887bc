/// A format that is known only when the program runs.
package struct AnyFrameFormat: FrameFormat {
    private let base: any FrameFormat

    /// The format itself.
    package init(_ base: any FrameFormat) { self.base = base }

    /// The most bytes that a frame has.
    package var greatestSize: Int { base.greatestSize }

    /// The first byte that may begin a frame.
    package func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }

    /// Measures the frame that may begin with the first byte.
    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure { base.measure(bytes) }

    /// Explains a frame, field by field.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        base.fields(of: frame, isRevealing: isRevealing)
    }
}
