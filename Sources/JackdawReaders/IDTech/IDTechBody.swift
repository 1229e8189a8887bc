/// What ID TECH's readers put around a body of known length: `02`, the length with its lower byte first, the body, its LRC and
/// its sum, `03`.
enum IDTechBody {
    /// Mark and length.
    static let start = 3
    /// LRC, sum and mark.
    static let endSize = 3

    /// Measures the frame that may begin with the first byte.
    /// - Parameters:
    ///   - bytes: what has come of it.
    ///   - sizes: how long a body may be.
    ///   - fault: why no body begins with a byte; nil where one does.
    /// - Returns: what the bytes are.
    static func measure(
        _ bytes: Span<UInt8>, sizes: ClosedRange<Int>, fault: (UInt8) -> FrameFault? = { _ in nil }
    ) -> FrameMeasure {
        guard bytes[0] == IDTechCommandFormat.startOfText else { return .fault(.noStart(bytes[0])) }
        guard bytes.count >= start else { return .partial(atLeast: start + sizes.lowerBound + endSize) }
        let count = Int(bytes[2]) << 8 | Int(bytes[1])
        guard sizes.contains(count) else { return .fault(length(count, sizes)) }
        let end = start + count
        guard bytes.count > start else { return .partial(atLeast: end + endSize) }
        if let fault = fault(bytes[start]) { return .fault(fault) }
        guard bytes.count >= end + endSize else { return .partial(atLeast: end + endSize) }
        let body = bytes.extracting(start..<end)
        let lrc = RedundancyCheck.longitudinal(body)
        guard bytes[end] == lrc else { return .fault(.check("LRC", at: end, bytes[end], expected: lrc)) }
        let sum = RedundancyCheck.sum(body)
        guard bytes[end + 1] == sum else { return .fault(.check("sum", at: end + 1, bytes[end + 1], expected: sum)) }
        guard bytes[end + 2] == IDTechCommandFormat.endOfText else {
            return .fault(FrameFault(.end, at: end + 2, "\(bytes[end + 2].hexadecimal), where the frame ends with 03"))
        }
        return .whole(end + endSize)
    }

    /// Explains what is around a body.
    /// - Parameters:
    ///   - body: its fields.
    ///   - count: bytes of the frame.
    /// - Returns: the fields of the frame.
    static func fields(around body: [FrameField], count: Int) -> [FrameField] {
        let end = count - endSize
        return [FrameField("STX", 0..<1, "02"), FrameField("length", 1..<start, "\(end - start)")] + body + [
            FrameField("LRC", end..<end + 1, "right"), FrameField("sum", end + 1..<end + 2, "right"),
            FrameField("ETX", end + 2..<end + 3, "03"),
        ]
    }

    /// Makes the frame of a body.
    static func frame(_ body: [UInt8], sizes: ClosedRange<Int>) throws(FrameFault) -> [UInt8] {
        guard sizes.contains(body.count) else { throw length(body.count, sizes) }
        let checks = [RedundancyCheck.longitudinal(body.span), RedundancyCheck.sum(body.span)]
        return [IDTechCommandFormat.startOfText, UInt8(body.count & 255), UInt8(body.count >> 8)] + body + checks
            + [IDTechCommandFormat.endOfText]
    }

    private static func length(_ count: Int, _ sizes: ClosedRange<Int>) -> FrameFault {
        FrameFault(
            .length, at: 1, "a body of \(count) bytes, where it has \(sizes.lowerBound) to \(sizes.upperBound)")
    }
}
