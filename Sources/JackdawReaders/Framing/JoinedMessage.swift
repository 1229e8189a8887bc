import JackdawCards
internal import Synchronization

/// What joins the parts of messages, one message after the other.
protocol MessageJoiner: ~Copyable {
    /// Takes a part in, and gives the message away where this was its end.
    mutating func receive(_ part: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault)
}

/// What has come of a message; a place that a dialect can be copied with.
final class JoinedMessage<Joiner: MessageJoiner & ~Copyable>: Sendable {
    private let joiner: Mutex<Joiner>

    init(_ joiner: consuming sending Joiner) { self.joiner = Mutex(joiner) }

    /// Takes a part in.
    /// - Returns: the message, where this was its end.
    /// - Throws: ``JoiningFault`` where the message is lost.
    func receive(_ part: Span<UInt8>) throws(JoiningFault) -> SecretBytes? {
        let part = SecretBytes(copying: part)
        return try joiner.withLock { (joiner) throws(JoiningFault) in
            var message: SecretBytes?
            try part.withBytes { (bytes) throws(JoiningFault) in
                try joiner.receive(bytes) { message = SecretBytes(copying: $0) }
            }
            return message
        }
    }
}

/// Parts of a message that have come, which may be card data, and whether what follows belongs to one that is lost.
struct JoinedParts: ~Copyable {
    let most: Int
    private var bytes = FrameBuffer()
    private(set) var count = 0
    /// A part is lost, and whoever asked was told of it: the rest is of no use.
    private(set) var isSkipping = false

    /// - Parameter most: bytes that a message has at most.
    init(most: Int) { self.most = most }

    mutating func append(_ part: Span<UInt8>, isEnd: Bool = false) throws(JoiningFault) {
        guard bytes.count + part.count <= most else { throw drop(.tooLong(most: most), isEnd: isEnd) }
        if part.count > 0 { bytes.append(part) }
        count += 1
    }

    /// Gives the message away.
    mutating func finish(_ take: (Span<UInt8>) -> Void) {
        bytes.withBytes { take($0) }
        reset()
    }

    /// Gives the message away, in memory of its own.
    mutating func finish() -> SecretBytes {
        let message = bytes.withBytes { SecretBytes(copying: $0) }
        reset()
        return message
    }

    /// Gives the message up, and what follows of it unless this was its end.
    mutating func drop(_ fault: JoiningFault, isEnd: Bool = false) -> JoiningFault {
        reset()
        isSkipping = !isEnd
        return fault
    }

    mutating func reset() {
        bytes.removeAll()
        count = 0
        isSkipping = false
    }
}
