import JackdawCards
internal import Synchronization

/// Joins the parts of messages, one message after the other.
protocol MessageJoiner: ~Copyable {
    /// Adds a part of a message; after the last one, passes the whole message to `take`.
    mutating func receive(_ part: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault)
}

/// The received parts of a message, by reference, so that copies of a dialect share them.
final class JoinedMessage<Joiner: MessageJoiner & ~Copyable>: Sendable {
    private let joiner: Mutex<Joiner>

    init(_ joiner: consuming sending Joiner) { self.joiner = Mutex(joiner) }

    /// Adds a part of a message.
    /// - Returns: the whole message after its last part; nil before.
    /// - Throws: ``JoiningFault`` if the message is lost.
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

/// The received parts of a message, which may be card data, and whether the next parts belong to a lost message.
struct JoinedParts: ~Copyable {
    let most: Int
    private var bytes = FrameBuffer()
    private(set) var count = 0
    /// A part was lost and reported to the caller; the rest of the message is discarded.
    private(set) var isSkipping = false

    /// - Parameter most: the most bytes that a message has.
    init(most: Int) { self.most = most }

    mutating func append(_ part: Span<UInt8>, isEnd: Bool = false) throws(JoiningFault) {
        guard bytes.count + part.count <= most else { throw drop(.tooLong(most: most), isEnd: isEnd) }
        if part.count > 0 { bytes.append(part) }
        count += 1
    }

    /// Adds a part of a message that is not appended if the message is lost.
    /// - Returns: the whole message after its last part; nil before, and if the message is lost.
    /// - Throws: ``JoiningFault`` if the message is too long; it is lost then.
    mutating func join(_ part: Span<UInt8>, isEnd: Bool) throws(JoiningFault) -> SecretBytes? {
        guard !isSkipping else {
            if isEnd { reset() }
            return nil
        }
        try append(part, isEnd: isEnd)
        return isEnd ? finish() : nil
    }

    /// Passes the message to `take`, and resets.
    mutating func finish(_ take: (Span<UInt8>) -> Void) {
        bytes.withBytes { take($0) }
        reset()
    }

    /// Returns the message in its own memory, and resets.
    mutating func finish() -> SecretBytes {
        let message = bytes.withBytes { SecretBytes(copying: $0) }
        reset()
        return message
    }

    /// Discards the message, and the rest of it unless this part ends it.
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
