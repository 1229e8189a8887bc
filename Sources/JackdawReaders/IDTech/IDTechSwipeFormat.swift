/// A swipe as ID TECH's encrypting readers send it: `02`, a length, a body, LRC and sum of the body, `03`.
/// ``IDTechSwipe`` reads the body.
///
/// Source: ID TECH's MS246, SecureMag and UniMag II manuals; two published swipes.
public struct IDTechSwipeFormat: FrameFormat {
    /// From card type, status and three lengths, which every body has, to the most that its fields can take: three tracks,
    /// masked, encrypted and hashed, session, serial and KSN.
    static let bodySizes = 5...(7 + 3 * 255 + 3 * 256 + 8 + 3 * 20 + 10 + 10)

    /// The format, which has no settings.
    public init() {}

    /// The most bytes that a frame has.
    public var greatestSize: Int { IDTechBody.start + Self.bodySizes.upperBound + IDTechBody.endSize }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.firstIndex(of: IDTechCommandFormat.startOfText)
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        IDTechBody.measure(bytes, sizes: Self.bodySizes) { first in
            IDTechSwipe.CardType(rawValue: first & ~IDTechSwipe.enhanced) == nil
                ? FrameFault(.field, at: IDTechBody.start, "no card type is \(first.hexadecimal)") : nil
        }
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        do throws(FrameFault) {
            let swipe = try IDTechSwipe(frame)
            return IDTechBody.fields(around: swipe.fields(of: frame, isRevealing: isRevealing), count: frame.count)
        } catch {
            let body = IDTechBody.start..<frame.count - IDTechBody.endSize
            return IDTechBody.fields(
                around: [FrameField("body", body, "cannot be read: \(error)")], count: frame.count)
        }
    }

    /// Makes the frame of a body.
    /// - Parameter body: from the card type to the KSN.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where no body is that long.
    public static func frame(_ body: [UInt8]) throws(FrameFault) -> [UInt8] {
        try IDTechBody.frame(body, sizes: bodySizes)
    }
}
