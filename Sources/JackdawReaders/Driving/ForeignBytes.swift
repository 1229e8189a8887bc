import JackdawDSP
import JackdawTransport

/// Bytes that came with no frame among them: the device at the other end speaks another protocol.
public struct ForeignBytes: Sendable, Hashable, CustomStringConvertible {
    /// The family whose frames were expected.
    public let family: String
    /// How many bytes came since the last frame.
    public let count: Int
    /// The first of them, 32 at most; nil for each that may be card data.
    public let first: [UInt8?]

    /// - Parameters:
    ///   - family: the family whose frames were expected.
    ///   - count: how many bytes came since the last frame.
    ///   - first: the first of them, masked.
    init(family: String, count: Int, first: [UInt8?]) {
        self.family = family
        self.count = count
        self.first = first
    }

    /// Two hexadecimal digits a byte with blanks between, `**` for one that is masked.
    public var digits: String { first.map { $0?.hexadecimal ?? "**" }.joined(separator: " ") }

    /// The expected protocol, the number of bytes, and the first of them.
    public var description: String {
        let bytes = count == 1 ? "1 byte" : "\(count) bytes"
        return "\(bytes) without a frame: this is not the protocol of \(family) readers; first bytes \(digits)"
    }
}

/// Watches for ``ForeignBytes``. Each time that there are enough of them they are reported once, and again only after a frame.
struct ForeignBytesWatch {
    /// So many bytes without a frame are too many, whatever came before.
    static let mostBytes = 4_096
    /// On a link on which no frame has come yet, bytes for so long without one are enough.
    static let patience = Duration.seconds(5)
    /// Bytes that are shown.
    private static let shown = 32

    /// When what has come is enough; nil while nothing is.
    private(set) var deadline: Duration?
    private var count = 0
    private var first: [UInt8] = []
    private var hasSeenFrame = false
    private var isReported = false

    /// Takes that a frame has come: what was before it was noise.
    mutating func receiveFrame() {
        forget()
        hasSeenFrame = true
        isReported = false
    }

    /// Takes bytes that were received and are no part of a frame so far.
    /// - Parameters:
    ///   - bytes: the next ones.
    ///   - pending: how many of the last ones belong to a frame that has begun.
    ///   - now: when.
    /// - Returns: whether there are enough without a frame.
    mutating func receive(_ bytes: Span<UInt8>, pending: Int, at now: Duration) -> Bool {
        guard !isReported else { return false }
        count += bytes.count
        for index in bytes.indices.prefix(Self.shown - first.count) { first.append(bytes[index]) }
        guard count > pending else { return false }
        if deadline == nil, !hasSeenFrame { deadline = now + Self.patience }
        return count - pending >= Self.mostBytes
    }

    /// The bytes since the last frame.
    /// - Parameter family: whose frames were expected.
    /// - Returns: to be reported once.
    mutating func report(family: String) -> ForeignBytes {
        var mask = CardDataMask()
        let bytes = ForeignBytes(family: family, count: count, first: mask.mask(first, isSent: false))
        forget()
        isReported = true
        return bytes
    }

    private mutating func forget() {
        deadline = nil
        count = 0
        first.wipe()
        first = []
    }
}
