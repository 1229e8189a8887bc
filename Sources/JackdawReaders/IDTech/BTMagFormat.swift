/// Frames of ID TECH's BTMag: `02`, data, `03`, and an LRC over all of it.
///
/// Source: ID TECH's SDK, whose documentation has no length and does not say whether data may have `03`: the frame ends with the
/// first one that the right LRC follows.
public struct BTMagFormat: FrameFormat {
    /// The most bytes of data.
    public let greatestData: Int

    /// - Parameter greatestData: the most bytes of data. How many there are at most is not documented.
    public init(greatestData: Int = 1024) { self.greatestData = greatestData }

    /// The most bytes that a frame has.
    public var greatestSize: Int { greatestData + 3 }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0] == IDTechCommandFormat.startOfText else { return .fault(.noStart(bytes[0])) }
        let marks = bytes.extracting(first: min(bytes.count, greatestSize - 1))
        var (sum, first) = (bytes[0], 1)
        while let end = marks.firstIndex(of: IDTechCommandFormat.endOfText, from: first) {
            guard end + 1 < bytes.count else { return .partial(atLeast: end + 2) }
            sum ^= RedundancyCheck.longitudinal(bytes.extracting(first...end))
            if bytes[end + 1] == sum { return .whole(end + 2) }
            first = end + 1
        }
        guard bytes.count < greatestSize else {
            return .fault(FrameFault(.length, at: greatestSize - 1, "no end in \(greatestSize) bytes"))
        }
        return .partial(atLeast: bytes.count + (bytes.count > 1 ? 1 : 2))
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        return [
            FrameField("STX", 0..<1, "02"),
            FrameField("data", 1..<end, frame.extracting(1..<end).sensitive(isRevealing)),
            FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right"),
        ]
    }

    /// Makes a frame.
    /// - Parameter data: what it says.
    /// - Returns: the frame.
    public static func frame(_ data: [UInt8]) -> [UInt8] {
        let frame = [IDTechCommandFormat.startOfText] + data + [IDTechCommandFormat.endOfText]
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}
