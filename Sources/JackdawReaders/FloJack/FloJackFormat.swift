/// Messages of Flomio's FloJack readers, the same both ways: opcode, length of all of it, subopcode, data, and a byte that
/// makes the XOR of all of them 0.
///
/// HiJack, whose line they share, sends plain bytes: it has no frames.
///
/// Source: Flomio's drivers for iOS, in a public repository, with their messages. Two of these have an XOR or a length that is
/// wrong, and are refused.
public struct FloJackFormat: FrameFormat {
    /// Opcode, length, subopcode.
    private static let dataStart = 3
    private static let leastSize = dataStart + 1

    /// The format, which has no settings.
    public init() {}

    /// The most bytes that a frame has.
    public var greatestSize: Int { Int(UInt8.max) }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { FloJackOpcode(rawValue: bytes[$0]).isKnown }
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard FloJackOpcode(rawValue: bytes[0]).isKnown else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: Self.leastSize) }
        let count = Int(bytes[1])
        guard count >= Self.leastSize else {
            return .fault(FrameFault(.length, at: 1, "\(count) bytes, where a message has \(Self.leastSize) at least"))
        }
        guard bytes.count >= count else { return .partial(atLeast: count) }
        let sum = RedundancyCheck.longitudinal(bytes.extracting(first: count - 1))
        guard bytes[count - 1] == sum else {
            return .fault(.check("XOR", at: count - 1, bytes[count - 1], expected: sum))
        }
        return .whole(count)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        var fields = [
            FrameField("opcode", 0..<1, "\(FloJackOpcode(rawValue: frame[0]))"),
            FrameField("length", 1..<2, "\(frame.count)"), FrameField("subopcode", 2..<3, frame[2].hexadecimal),
        ]
        let data = Self.dataStart..<end
        if !data.isEmpty { fields.append(FrameField("data", data, frame.extracting(data).sensitive(isRevealing))) }
        return fields + [FrameField("XOR", end..<end + 1, "right")]
    }

    /// Makes a message.
    /// - Parameters:
    ///   - opcode: what it is about.
    ///   - subopcode: the same in more detail.
    ///   - data: up to 251 bytes.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    public static func message(
        _ opcode: FloJackOpcode, _ subopcode: UInt8, _ data: [UInt8] = []
    ) throws(FrameFault) -> [UInt8] {
        let most = Int(UInt8.max) - leastSize
        guard data.count <= most else {
            throw FrameFault(.length, at: 1, "\(data.count) bytes of data, where \(most) are the most")
        }
        let frame = [opcode.rawValue, UInt8(data.count + leastSize), subopcode] + data
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}
