/// What a program sends to set up ID TECH's magnetic stripe readers: `02 S` function, length, data or `02 R` function, then
/// `03` and an LRC over all of it.
///
/// Source: ID TECH's iMag and SecureMag manuals.
public struct IDTechCommandFormat: FrameFormat {
    static let startOfText: UInt8 = 0x02
    static let endOfText: UInt8 = 0x03
    private static let set = UInt8(ascii: "S")
    private static let review = UInt8(ascii: "R")

    /// The format, which has no settings.
    public init() {}

    /// `02 S` function, length, 255 bytes, `03` LRC.
    public var greatestSize: Int { 4 + 255 + 2 }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? { bytes.firstIndex(of: Self.startOfText) }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0] == Self.startOfText else { return .fault(.noStart(bytes[0])) }
        guard bytes.count > 1 else { return .partial(atLeast: 5) }
        guard bytes[1] == Self.set || bytes[1] == Self.review else {
            return .fault(FrameFault(.field, at: 1, "\(bytes[1].hexadecimal) is neither S (53) nor R (52)"))
        }
        var end = 3
        if bytes[1] == Self.set, bytes.count < 3 { return .partial(atLeast: 5) }
        if hasLength(bytes) {
            guard bytes.count > 3 else { return .partial(atLeast: 6) }
            end = 4 + Int(bytes[3])
        }
        return measureEnd(bytes, at: end, from: 0)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 2
        var fields = [
            FrameField("STX", 0..<1, "02"), FrameField("kind", 1..<2, frame[1] == Self.set ? "S set" : "R review"),
            FrameField("function", 2..<3, "\(IDTechFunction(rawValue: frame[2]))"),
        ]
        if hasLength(frame) {
            fields.append(FrameField("length", 3..<4, "\(frame[3])"))
            let data = frame.extracting(4..<end)
            let shown = isRevealing || !data.mayBeOfACard ? data.hexadecimal(first: 255) : data.sensitive(false)
            fields.append(FrameField("data", 4..<end, shown))
        }
        return fields + [FrameField("ETX", end..<end + 1, "03"), FrameField("LRC", end + 1..<end + 2, "right")]
    }

    /// Makes a command that sets something.
    /// - Parameters:
    ///   - function: what is set.
    ///   - data: to what, up to 255 bytes; none for ``IDTechFunction/resetToDefault``.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where that is too much.
    public static func set(_ function: IDTechFunction, _ data: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard data.count <= 255 else {
            throw FrameFault(.length, at: 3, "\(data.count) bytes of data, where 255 are the most")
        }
        guard function != .resetToDefault else {
            guard data.isEmpty else { throw FrameFault(.length, at: 3, "resetting takes no data") }
            return ended([startOfText, set, function.rawValue])
        }
        return ended([startOfText, set, function.rawValue, UInt8(data.count)] + data)
    }

    /// Makes a command that asks for something.
    public static func review(_ function: IDTechFunction) -> [UInt8] {
        ended([startOfText, review, function.rawValue])
    }

    /// Whether length and data follow the function: a question has none, and neither has resetting.
    private func hasLength(_ bytes: Span<UInt8>) -> Bool {
        bytes[1] == Self.set && bytes[2] != IDTechFunction.resetToDefault.rawValue
    }

    private static func ended(_ bytes: [UInt8]) -> [UInt8] {
        let frame = bytes + [endOfText]
        return frame + [RedundancyCheck.longitudinal(frame.span)]
    }
}

/// Measures the end `03` LRC of a frame.
/// - Parameters:
///   - bytes: what has come of the frame.
///   - end: where `03` has to be.
///   - first: where what the LRC is over begins.
/// - Returns: what the bytes are.
func measureEnd(_ bytes: Span<UInt8>, at end: Int, from first: Int) -> FrameMeasure {
    guard bytes.count > end else { return .partial(atLeast: end + 2) }
    guard bytes[end] == IDTechCommandFormat.endOfText else {
        return .fault(FrameFault(.end, at: end, "\(bytes[end].hexadecimal), where the frame ends with 03"))
    }
    guard bytes.count > end + 1 else { return .partial(atLeast: end + 2) }
    let sum = RedundancyCheck.longitudinal(bytes.extracting(first...end))
    guard bytes[end + 1] == sum else { return .fault(.check("LRC", at: end + 1, bytes[end + 1], expected: sum)) }
    return .whole(end + 2)
}
