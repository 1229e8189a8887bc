/// Swipes of encrypting readers as an OEM's sample code of 2012 and 2013 has them: 131 bytes that begin with 60 and end with a
/// CRC, or five that begin with 66 where a swipe was not read.
///
/// That IPS's readers send these is inferred from names in their SDK, not documented: another profile may be needed.
public struct IPSFormat: FrameFormat {
    static let swipe: UInt8 = 0x60
    static let failure: UInt8 = 0x66
    static let swipeSize = 131
    static let failureSize = 5

    /// What a program sends to wake such a reader and have it say what it is.
    public static let wake: [UInt8] = [0x0C]

    /// Whether bytes are what such a reader answers to ``wake``: the second one is 4D. No more of the answer is known.
    public static func isIdentification(_ answer: Span<UInt8>) -> Bool { answer.count > 1 && answer[1] == 0x4D }

    /// The format, which has no settings.
    public init() {}

    /// The most bytes that a frame has.
    public var greatestSize: Int { Self.swipeSize }

    /// The first byte that may begin a frame.
    public func start(in bytes: Span<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == Self.swipe || bytes[$0] == Self.failure }
    }

    /// Measures the frame that may begin with the first byte.
    public func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        switch bytes[0] {
        case Self.failure:
            return bytes.count < Self.failureSize
                ? .partial(atLeast: Self.failureSize) : .unchecked(Self.failureSize)
        case Self.swipe: break
        default: return .fault(.noStart(bytes[0]))
        }
        guard bytes.count >= Self.swipeSize else { return .partial(atLeast: Self.swipeSize) }
        let end = Self.swipeSize - 1
        let crc = RedundancyCheck.crc8(bytes.extracting(first: end))
        guard bytes[end] == crc else { return .fault(.check("CRC", at: end, bytes[end], expected: crc)) }
        return .whole(Self.swipeSize)
    }

    /// Explains a frame, field by field.
    public func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard frame[0] == Self.swipe else {
            return [
                FrameField("kind", 0..<1, "66 swipe that was not read"),
                FrameField("line", 1..<3, "\(Int(frame[2]) << 8 | Int(frame[1]))"),
                FrameField("length of track 1", 3..<4, "\(frame[3])"),
                FrameField("length of track 2", 4..<5, "\(frame[4])"),
            ]
        }
        let tracks = (0..<3).filter { frame[128] >> $0 & 1 == 1 }.map { "\($0 + 1)" }
        // Of a short number that would be all of it.
        let issuer = frame[4] >= 13 ? frame.extracting(5..<8).digits : ""
        let digits = issuer + "..." + frame.extracting(8..<10).digits
        return [
            FrameField("kind", 0..<1, "60 swipe"),
            FrameField("firmware", 1..<3, "\(frame[1].twoDigits).\(frame[2].twoDigits)"),
            FrameField("key management", 3..<4, Self.keyManagement(frame[3])),
            FrameField("digits of the PAN", 4..<5, "\(frame[4])"), FrameField("PAN, masked", 5..<10, digits),
            FrameField("expiry", 10..<12, frame.extracting(10..<12).digits),
            FrameField(
                "name", 12..<38, isRevealing ? frame.extracting(12..<38).printable : "\(26) characters"),
            FrameField("KSN", 38..<48, frame.extracting(38..<48).hexadecimal()),
            // Some are not encrypted, and some with keys that everybody knows.
            FrameField("encrypted tracks", 48..<128, frame.extracting(48..<128).sensitive(isRevealing)),
            FrameField("tracks", 128..<129, tracks.isEmpty ? "none" : tracks.joined(separator: ", ")),
            FrameField("swipes so far", 129..<130, "\(frame[129])"), FrameField("CRC", 130..<131, "right"),
        ]
    }

    /// Makes the frame of a swipe.
    /// - Parameter content: all but the CRC, 130 bytes that begin with 60.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault`` (`length`) where there are more or fewer; (`start`) where it begins otherwise.
    public static func frame(_ content: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard content.count == swipeSize - 1 else {
            throw FrameFault(.length, at: 0, "\(content.count) bytes, where a swipe has \(swipeSize - 1) and a CRC")
        }
        guard content[0] == swipe else { throw .noStart(content[0]) }
        return content + [RedundancyCheck.crc8(content.span)]
    }

    /// What the two kinds of device of that OEM write there.
    private static func keyManagement(_ byte: UInt8) -> String {
        switch byte {
        case 0x00: "00 fixed key"
        case 0xFE: "FE DUKPT"
        case 0xFD: "FD plain"
        case 0x01: "01 disperse I, or fixed key"
        default: "\(byte.hexadecimal), DUKPT in devices without a battery"
        }
    }
}

extension Span<UInt8> {
    /// Two digits a byte, as BCD has them.
    var digits: String { indices.map { self[$0].hexadecimal }.joined() }
}

extension UInt8 {
    fileprivate var twoDigits: String { self < 10 ? "0\(self)" : "\(self)" }
}
