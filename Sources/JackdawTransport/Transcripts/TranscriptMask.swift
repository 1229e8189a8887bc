/// Decides which bytes of a link may be card data and must not be stored. A mask receives all bytes in order, since a
/// message may arrive in pieces of any size.
public protocol TranscriptMask: Sendable {
    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: the sent or received bytes, at least one.
    ///   - isSent: whether the bytes are sent.
    /// - Returns: the same number of bytes, nil for each byte that must not be stored. If the number differs, no byte
    ///   is stored.
    mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Masks the next bytes of complete messages; the bytes of an incomplete message are returned by a later call.
    /// - Parameters:
    ///   - bytes: the sent or received bytes, at least one.
    ///   - isSent: whether the bytes are sent.
    /// - Returns: the next bytes of the direction to store, including those that were held back; nil for each byte that
    ///   must not be stored.
    mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?]

    /// Ends a direction.
    /// - Parameter isSent: whether it is the sent direction.
    /// - Returns: the held-back bytes to store, nil for each byte that must not be stored.
    mutating func finish(isSent: Bool) -> [UInt8?]
}

extension TranscriptMask {
    /// Default: masks at once and holds no bytes back.
    public mutating func maskMessages(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        let kept = mask(bytes, isSent: isSent)
        return kept.count == bytes.count ? kept : Array(repeating: nil, count: bytes.count)
    }

    /// Default: empty, no bytes were held back.
    public mutating func finish(isSent: Bool) -> [UInt8?] { [] }
}

/// Masks all bytes that look like card data, for links whose protocol is unknown:
///
/// - runs of 8 or more printable characters, and of 8 or more digits in half bytes, including the separator (`D`) that
///   a chip card has after the account number;
/// - runs of 8 or more digits with a parity bit as the top bit, or in EBCDIC;
/// - runs of 3 or more characters that names consist of: letters, blanks and `' - . /`;
/// - shorter runs at the beginning and the end of a block, if they may continue in the next one;
/// - whole blocks, from the one with which one direction exceeds 32 bytes until the direction changes.
///
/// The mask does not recognise tracks as raw bits in pieces of up to 32 bytes, each of which is answered, or names of 1
/// or 2 letters inside a block: a program that knows the protocol must supply a mask of its own.
public struct CardDataMask: TranscriptMask {
    /// The shortest run that is masked at any position.
    static let run = 8
    /// The shortest run that is masked if it may be part of a name.
    static let name = 3
    /// The number of bytes since the last change of direction that are searched for runs. A block that exceeds it is
    /// masked as a whole.
    static let block = 32

    private var direction: Bool?
    /// Number of bytes since the last change of direction; after ``mask(_:isSent:)`` it includes the last block.
    private var before = 0

    /// A mask at the beginning of a link.
    public init() {}

    /// Masks the next bytes.
    /// - Parameters:
    ///   - bytes: the sent or received bytes.
    ///   - isSent: whether the bytes are sent.
    /// - Returns: the same number of bytes, nil for each byte that may be card data.
    public mutating func mask(_ bytes: [UInt8], isSent: Bool) -> [UInt8?] {
        before = isSent == direction ? before : 0
        direction = isSent
        before += bytes.count
        // The system may split one message into blocks of any size, and a short piece of a track has no run. So the
        // limit is for all bytes since the direction changed, and not for a block.
        guard before <= Self.block else { return Array(repeating: nil, count: bytes.count) }
        // Two entries for each byte, one for each half.
        var isHidden = [Bool](repeating: false, count: 2 * bytes.count)
        Self.hide(bytes.flatMap { byte in [Self.isPrintable(byte), Self.isPrintable(byte)] }, 2 * Self.run, &isHidden)
        Self.hide(bytes.flatMap { byte in [Self.isOfName(byte), Self.isOfName(byte)] }, 2 * Self.name, &isHidden)
        Self.hide(bytes.flatMap { byte in [Self.isDigit(byte >> 4), Self.isDigit(byte & 15)] }, Self.run, &isHidden)
        let coded = bytes.flatMap { byte in [Self.isOfCodedNumber(byte), Self.isOfCodedNumber(byte)] }
        // Other bytes with the top bit set are too frequent to hide at each beginning and end of a block.
        Self.hide(coded, 2 * Self.run, &isHidden, atEnds: false)
        return bytes.indices.map { isHidden[2 * $0] || isHidden[2 * $0 + 1] ? nil : bytes[$0] }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// Whether a byte can be part of a number with a parity bit as the top bit, or is an EBCDIC digit.
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

    /// Hides runs that have the given length, and with `atEnds` also runs that touch the beginning or the end.
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

/// How a transcript protects the bytes that it stores.
public enum TranscriptSecrecy: Sendable {
    /// Stores only the bytes that a mask lets through.
    case masked(any TranscriptMask)
    /// Stores all bytes, including card data in clear.
    case revealed

    /// The default: ``CardDataMask``, which knows no protocol, and may miss card data in other encodings.
    public static var usual: TranscriptSecrecy { .masked(CardDataMask()) }
}
