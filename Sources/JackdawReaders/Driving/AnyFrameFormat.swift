/// A format that is known only when the program runs.
struct AnyFrameFormat: FrameFormat {
    private let base: any FrameFormat

    init(_ base: any FrameFormat) { self.base = base }

    var greatestSize: Int { base.greatestSize }

    func start(in bytes: Span<UInt8>) -> Int? { base.start(in: bytes) }

    func measure(_ bytes: Span<UInt8>) -> FrameMeasure { base.measure(bytes) }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        base.fields(of: frame, isRevealing: isRevealing)
    }
}
