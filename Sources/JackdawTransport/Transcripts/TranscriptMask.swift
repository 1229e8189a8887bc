/// Says which bytes of a link may be card data and must not be kept. It sees all of them in their order, since a message may
/// come in any pieces.
public protocol TranscriptMask: Sendable {
    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: what is sent or was received, at least one.
    ///   - isSent: whether it is sent.
    /// - Returns: as many, nil in the place of each that must not be kept; where they are not as many, none is kept.
    mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Masks the next bytes as far as their messages are whole; the others come later.
    /// - Parameters:
    ///   - bytes: what is sent or was received, at least one.
    ///   - isSent: whether it is sent.
    /// - Returns: what is to be kept of the direction's next bytes, with those that were held back; nil in the place of each
    ///   that must not be kept.
    mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Ends a direction.
    /// - Parameter isSent: which one.
    /// - Returns: what is to be kept of the bytes that were held back.
    mutating func finish(isSent: Bool) -> [UInt8?]
}

extension TranscriptMask {
    /// Holds nothing back.
    public mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        let kept = mask(bytes, isSent: isSent)
        return kept.count == bytes.count ? kept : Array(repeating: nil, count: bytes.count)
    }

    /// Nothing is held back.
    public mutating func finish(isSent: Bool) -> [UInt8?] { [] }
}

/// Masks what looks as card data may, where nobody knows the protocol:
///
/// - runs of 8 or more printable characters, and of 8 or more digits that are coded in halves of bytes, with the separator
///   (`D`) that a chip has behind the number;
/// - runs of 8 or more digits with a parity bit at the top, or of EBCDIC;
/// - runs of 3 or more characters that names are written with: letters, blanks and `' - . /`;
/// - shorter ones at the beginning and the end of a block, where they may go on in the next one;
/// - blocks that go beyond 32 bytes in one direction, as a whole, and those that follow them.
///
/// Tracks as raw bits in pieces of up to 32 bytes, each of which is answered, and names of 1 or 2 letters inside of a block
/// are not known for what they are: who knows the protocol brings a mask of his own.
public struct CardDataMask: TranscriptMask {
    /// The shortest run that is masked wherever it stands.
    static let run = 8
    /// The shortest run that is masked where it may be of a name.
    static let name = 3
    /// The most bytes in one direction that are looked at more closely.
    static let block = 32

    private var direction: Bool?
    /// Bytes of the blocks before in the same direction.
    private var before = 0

    /// A mask at the beginning of a link.
    public init() {}

    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: what is sent or was received.
    ///   - isSent: whether it is sent.
    /// - Returns: as many, nil in the place of each that may be card data.
    public mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        before = isSent == direction ? before : 0
        direction = isSent
        before += bytes.count
        // Where blocks begin and end is the system's doing: their first and last bytes are like any other.
        guard before <= Self.block else { return Array(repeating: nil, count: bytes.count) }
        // Two for each byte, its halves.
        var isHidden = [Bool](repeating: false, count: 2 * bytes.count)
        Self.hide(bytes.flatMap { byte in [Self.isPrintable(byte), Self.isPrintable(byte)] }, 2 * Self.run, &isHidden)
        Self.hide(bytes.flatMap { byte in [Self.isOfName(byte), Self.isOfName(byte)] }, 2 * Self.name, &isHidden)
        Self.hide(bytes.flatMap { byte in [Self.isDigit(byte >> 4), Self.isDigit(byte & 15)] }, Self.run, &isHidden)
        let coded = bytes.flatMap { byte in [Self.isOfCodedNumber(byte), Self.isOfCodedNumber(byte)] }
        // Other bytes with that bit are too many to be hidden where a block begins or ends.
        Self.hide(coded, 2 * Self.run, &isHidden, atEnds: false)
        return bytes.indices.map { isHidden[2 * $0] || isHidden[2 * $0 + 1] ? nil : bytes[$0] }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// Whether a byte is of a number with a parity bit at the top, or a digit of EBCDIC.
    private static func isOfCodedNumber(_ byte: UInt8) -> Bool {
        (0xf0...0xf9).contains(byte) || (0x30...0x3f).contains(byte & 0x7f)
    }

    private static func isOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x41...0x5a, 0x61...0x7a: true
        default: " '-./".utf8.contains(byte)
        }
    }

    private static func isDigit(_ half: UInt8) -> Bool { half < 10 || half == 0xd }

    /// Hides runs that are long, or that touch an end unless that does not count.
    private static func hide(_ matches: [Bool], _ longest: Int, _ isHidden: inout [Bool], atEnds: Bool = true) {
        var start = 0
        for index in 0...matches.count {
            guard index == matches.count || !matches[index] else { continue }
            if index - start >= longest || atEnds && (start == 0 || index == matches.count) {
                for place in start..<index { isHidden[place] = true }
            }
            start = index + 1
        }
    }
}

/// What a transcript keeps of the bytes.
public enum TranscriptSecrecy: Sendable {
    /// What a mask lets through.
    case masked(any TranscriptMask)
    /// All of them, card data in clear.
    case revealed

    /// What is kept unless something else is asked for: what ``CardDataMask`` lets through, which knows no protocol and may
    /// miss card data that looks like none.
    public static var usual: TranscriptSecrecy { .masked(CardDataMask()) }
}
