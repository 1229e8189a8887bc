/// Messages of Spire's SPm20 readers: eight hexadecimal digits of length, a colon, a JSON object, a line feed.
///
/// Source: the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
public struct JSONPOSFormat: FrameFormat {
    /// The most bytes of an object.
    public static let greatestBody = 262_134
    static let colon = 8
    private static let end = UInt8(ascii: "\n")

    /// The format, which has no settings.
    public init() {}

    /// The most bytes that a frame has.
    public var greatestSize: Int { Self.colon + 1 + Self.greatestBody + 1 }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0].digitValue != nil } }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        var count = 0
        for index in 0..<min(bytes.count, Self.colon) {
            guard let digit = bytes[index].digitValue else {
                return .fault(
                    index == 0
                        ? .noStart(bytes[0])
                        : FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is no hexadecimal digit"))
            }
            count = count << 4 | Int(digit)
        }
        guard bytes.count > Self.colon else { return .partial(atLeast: Self.colon + 4) }
        guard bytes[Self.colon] == UInt8(ascii: ":") else {
            return .fault(
                FrameFault(.field, at: Self.colon, "\(bytes[Self.colon].hexadecimal), where a colon has to be"))
        }
        guard (2...Self.greatestBody).contains(count) else {
            return .fault(
                FrameFault(.length, at: 0, "an object of \(count) bytes, where it has 2 to \(Self.greatestBody)"))
        }
        let end = Self.colon + 1 + count
        guard bytes.count > Self.colon + 1 else { return .partial(atLeast: end + 1) }
        guard bytes[Self.colon + 1] == UInt8(ascii: "{") else {
            return .fault(FrameFault(.field, at: Self.colon + 1, "an object begins with {"))
        }
        guard bytes.count > end else { return .partial(atLeast: end + 1) }
        guard bytes[end - 1] == UInt8(ascii: "}") else {
            return .fault(FrameFault(.field, at: end - 1, "an object ends with }"))
        }
        guard bytes[end] == Self.end else {
            return .fault(FrameFault(.end, at: end, "\(bytes[end].hexadecimal), where the message ends with 0A"))
        }
        return .whole(end + 1)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        let body = Self.colon + 1..<end
        let value =
            isRevealing ? String(decoding: body.map { frame[$0] }, as: UTF8.self) : "\(body.count) bytes of JSON"
        return [
            FrameField("length", 0..<Self.colon, "\(body.count)"),
            FrameField("colon", Self.colon..<Self.colon + 1, ":"), FrameField("object", body, value),
            FrameField("end", end..<end + 1, "0A"),
        ]
    }

    /// Makes the frame of an object.
    /// - Parameter object: JSON, from brace to brace, in UTF-8.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where it is longer than a reader takes; (`field`) where it is no object.
    public static func frame(_ object: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard object.count <= greatestBody else {
            throw FrameFault(.length, at: 0, "an object of \(object.count) bytes, where \(greatestBody) are the most")
        }
        guard object.count >= 2, object.first == UInt8(ascii: "{"), object.last == UInt8(ascii: "}") else {
            throw FrameFault(.field, at: colon + 1, "an object begins with { and ends with }")
        }
        let digits = String(object.count, radix: 16)
        return Array((String(repeating: "0", count: colon - digits.count) + digits + ":").utf8) + object + [end]
    }
}
