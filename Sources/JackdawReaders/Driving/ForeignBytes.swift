import JackdawBytes
import JackdawDSP
import JackdawTransport

/// Bytes received without a frame among them: the device at the other end speaks another protocol.
public struct ForeignBytes: Sendable, Hashable, CustomStringConvertible {
    /// The family whose frames were expected.
    public let family: String
    /// The number of bytes received since the last frame.
    public let count: Int
    /// The first of these bytes, at most 32; nil for each byte that may be card data.
    public let first: [UInt8?]

    /// - Parameters:
    ///   - family: the family whose frames were expected.
    ///   - count: the number of bytes received since the last frame.
    ///   - first: the first of these bytes, masked.
    init(family: String, count: Int, first: [UInt8?]) {
        self.family = family
        self.count = count
        self.first = first
    }

    /// Two hexadecimal digits a byte, separated by spaces; `**` for a masked byte.
    public var digits: String { first.map { $0?.hexadecimal ?? "**" }.joined(separator: " ") }

    /// The expected protocol, the number of bytes, and the first of the bytes.
    public var description: String {
        let bytes = count == 1 ? "1 byte" : "\(count) bytes"
        return "\(bytes) without a frame: this is not the protocol of \(family) readers; first bytes \(digits)"
    }
}

/// Detects ``ForeignBytes``. Reports once when enough bytes have been received without a frame, and again only after a
/// frame.
struct ForeignBytesWatch {
    /// Report at this number of bytes without a frame, even if frames were received before.
    static let maxBytes = 4_096
    /// While a frame is expected and none has come, fewer bytes are reported this long after the first of them.
    static let patience = Duration.seconds(5)
    /// The number of bytes that a report shows.
    private static let shown = 32

    /// The time of the next report; nil if no report is due.
    private(set) var deadline: Duration?
    private var count = 0
    private var first: [UInt8] = []
    /// Whether a frame is expected and no frame has been received.
    private var isFrameMissing: Bool
    /// Whether a frame has been received since the last call of ``receive(_:pending:at:)``.
    private var hasFrame = false
    private var isReported = false

    /// - Parameter isFrameExpected: whether a reader of the family answers with a frame when it is connected. Other
    ///   readers may send their first frame when a card is swiped, and other bytes before it.
    init(isFrameExpected: Bool) { isFrameMissing = isFrameExpected }

    /// Handles a received frame: the bytes before it were noise.
    mutating func receiveFrame() {
        forget()
        isFrameMissing = false
        hasFrame = true
        isReported = false
    }

    /// Adds received bytes; they do not count if they contain a frame.
    /// - Parameters:
    ///   - bytes: the next bytes.
    ///   - pending: the number of bytes at the end that belong to a frame that has begun.
    ///   - now: the current time.
    /// - Returns: true if the limit is reached and ``report(family:)`` is due.
    mutating func receive(_ bytes: Span<UInt8>, pending: Int, at now: Duration) -> Bool {
        defer { hasFrame = false }
        guard !hasFrame, !isReported else { return false }
        count += bytes.count
        for index in bytes.indices.prefix(Self.shown - first.count) { first.append(bytes[index]) }
        guard count > pending else { return false }
        if deadline == nil, isFrameMissing { deadline = now + Self.patience }
        return count - pending >= Self.maxBytes
    }

    /// Reports the bytes since the last frame.
    /// - Parameter family: the family whose frames were expected.
    /// - Returns: the report. No other report is due until a frame is received.
    mutating func report(family: String) -> ForeignBytes {
        var mask = CardDataMask()
        let bytes = ForeignBytes(family: family, count: count, first: mask.mask(first, isSent: false))
        forget()
        isReported = true
        return bytes
    }

    /// Discards the bytes and the deadline.
    mutating func forget() {
        deadline = nil
        count = 0
        first.wipe()
        first = []
    }
}
