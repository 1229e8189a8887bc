import JackdawCards
internal import Synchronization

/// What joins the parts of messages, one message after the other.
protocol MessageJoiner: ~Copyable {
    /// Takes a part in, and gives the message away where this was its end.
    mutating func receive(_ part: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault)
}

extension MagTekBlockJoiner: MessageJoiner {}
extension DynamoMessageJoiner: MessageJoiner {}

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
