/// A swipe as ID TECH's encrypting readers send it: `02`, a length, a body, LRC and sum of the body, `03`.
/// ``IDTechSwipe`` reads the body.
///
/// Source: ID TECH's MS246, SecureMag and UniMag II manuals; two published swipes.
public struct IDTechSwipeFormat: FrameFormat {
    /// Mark and length.
    static let bodyStart = 3
    /// Card type, status, three lengths: what every body has.
    static let leastBody = 5
    /// The most that the fields of a body can take: three tracks, masked, encrypted and hashed, session, serial and KSN.
    static let greatestBody = 7 + 3 * 255 + 3 * 256 + 8 + 3 * 20 + 10 + 10

    /// The format, which has no settings.
    public init() {}

    /// The most bytes that a frame has.
    public var greatestSize: Int { Self.bodyStart + Self.greatestBody + 3 }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == IDTechCommandFormat.startOfText }
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        guard bytes[0] == IDTechCommandFormat.startOfText else { return .fault(.noStart(bytes[0])) }
        guard bytes.count >= Self.bodyStart else { return .partial(atLeast: Self.bodyStart + Self.leastBody + 3) }
        let count = Int(bytes[2]) << 8 | Int(bytes[1])
        guard (Self.leastBody...Self.greatestBody).contains(count) else {
            return .fault(
                FrameFault(
                    .length, at: 1, "a body of \(count) bytes, where it has \(Self.leastBody) to \(Self.greatestBody)"))
        }
        guard bytes.count > Self.bodyStart else { return .partial(atLeast: Self.bodyStart + count + 3) }
        guard IDTechSwipe.CardType(rawValue: bytes[3] & ~IDTechSwipe.enhanced) != nil else {
            return .fault(FrameFault(.field, at: 3, "no card type is \(bytes[3].hexadecimal)"))
        }
        let end = Self.bodyStart + count
        guard bytes.count >= end + 3 else { return .partial(atLeast: end + 3) }
        let body = bytes.extracting(Self.bodyStart..<end)
        let lrc = RedundancyCheck.longitudinal(body)
        guard bytes[end] == lrc else { return .fault(.check("LRC", at: end, bytes[end], expected: lrc)) }
        let sum = RedundancyCheck.sum(body)
        guard bytes[end + 1] == sum else { return .fault(.check("sum", at: end + 1, bytes[end + 1], expected: sum)) }
        guard bytes[end + 2] == IDTechCommandFormat.endOfText else {
            return .fault(FrameFault(.end, at: end + 2, "\(bytes[end + 2].hexadecimal), where the frame ends with 03"))
        }
        return .whole(end + 3)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 3
        var fields = [FrameField("STX", 0..<1, "02"), FrameField("length", 1..<3, "\(end - Self.bodyStart)")]
        do throws(FrameFault) {
            let swipe = try IDTechSwipe(frame)
            fields += swipe.fields(of: frame, isRevealing: isRevealing)
        } catch {
            fields.append(FrameField("body", Self.bodyStart..<end, "cannot be read: \(error)"))
        }
        return fields + [
            FrameField("LRC", end..<end + 1, "right"), FrameField("sum", end + 1..<end + 2, "right"),
            FrameField("ETX", end + 2..<end + 3, "03"),
        ]
    }

    /// Makes the frame of a body.
    /// - Parameter body: from the card type to the KSN.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where no body is that long.
    public static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard (leastBody...greatestBody).contains(body.count) else {
            throw FrameFault(
                .length, at: 1, "a body of \(body.count) bytes, where it has \(leastBody) to \(greatestBody)")
        }
        let checks = [RedundancyCheck.longitudinal(body.span), RedundancyCheck.sum(body.span)]
        return [IDTechCommandFormat.startOfText, UInt8(body.count & 255), UInt8(body.count >> 8)] + body + checks
            + [IDTechCommandFormat.endOfText]
    }
}
