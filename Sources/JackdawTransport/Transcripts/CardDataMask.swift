/// Masks whatever may be card data where nobody knows the protocol:
///
/// - runs of 8 or more printable characters, and of 8 or more digits that are coded in halves of bytes, with the separator
///   (`D`) that a chip has behind the number;
/// - shorter ones at the beginning and the end of a block, where they may go on in the next one;
/// - of more than 32 bytes in one direction all but the first and the last, in as many blocks as they come.
///
/// Tracks as raw bits in pieces of up to 32 bytes, each of which is answered, are not known for what they are: who knows the
/// protocol brings a mask of his own.
public struct CardDataMask: TranscriptMask {
    /// The shortest run that is masked wherever it stands.
    static let run = 8
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
        let isFirst = before == 0
        before += bytes.count
        // Two for each byte, its halves.
        var isHidden = [Bool](repeating: false, count: 2 * bytes.count)
        Self.hide(bytes.flatMap { byte in [Self.isPrintable(byte), Self.isPrintable(byte)] }, 2 * Self.run, &isHidden)
        Self.hide(bytes.flatMap { byte in [Self.isDigit(byte >> 4), Self.isDigit(byte & 15)] }, Self.run, &isHidden)
        if before > Self.block {
            for index in bytes.indices where !(isFirst && index == 0) && index != bytes.count - 1 {
                isHidden[2 * index] = true
            }
        }
        return bytes.indices.map { isHidden[2 * $0] || isHidden[2 * $0 + 1] ? nil : bytes[$0] }
    }

    private static func isPrintable(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    private static func isDigit(_ half: UInt8) -> Bool { half < 10 || half == 0xd }

    /// Hides runs that are long, or that touch an end.
    private static func hide(_ matches: [Bool], _ longest: Int, _ isHidden: inout [Bool]) {
        var start = 0
        for index in 0...matches.count {
            guard index == matches.count || !matches[index] else { continue }
            if index - start >= longest || start == 0 || index == matches.count {
                for place in start..<index { isHidden[place] = true }
            }
            start = index + 1
        }
    }
}
