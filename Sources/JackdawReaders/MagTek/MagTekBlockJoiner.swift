/// Joins the notifications in which eDynamo and tDynamo send a message over Bluetooth Low Energy: each begins with its number
/// from 0, and behind the last one comes FF with their count.
///
/// What is kept of a message that is not whole is bounded, and overwritten when it is done.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 2.2.
public struct MagTekBlockJoiner: ~Copyable {
    /// The number of the notification that ends a message.
    static let end = 0xFF

    private var parts: JoinedParts

    /// - Parameter greatestPayload: bytes that a message has at most.
    public init(greatestPayload: Int = 4096) { parts = JoinedParts(most: greatestPayload) }

    /// Takes a notification in.
    /// - Parameters:
    ///   - notification: as it came.
    ///   - take: gets the message where this is its end, without the numbers; it is gone after the call.
    /// - Throws: ``JoiningFault``, once for each message that is lost.
    public mutating func receive(
        _ notification: Span<UInt8>, _ take: (Span<UInt8>) -> Void
    ) throws(JoiningFault) {
        guard notification.count > 0 else { throw parts.drop(.empty) }
        let number = Int(notification[0])
        let part = notification.extracting(1...)
        switch number {
        case Self.end: try finish(part, take)
        case 0: try begin(part)
        case _ where parts.isSkipping: break
        case parts.count: try parts.append(part)
        case parts.count - 1: throw parts.drop(.repeated(number))
        default: throw parts.drop(number > parts.count ? .missing(parts.count) : .outOfOrder(number))
        }
    }

    /// Forgets what came, as behind a lost connection.
    public mutating func reset() { parts.reset() }

    private mutating func begin(_ part: Span<UInt8>) throws(JoiningFault) {
        let lost = parts.count
        parts.reset()
        try parts.append(part)
        if lost > 0 { throw .interrupted(after: lost) }
    }

    private mutating func finish(_ part: Span<UInt8>, _ take: (Span<UInt8>) -> Void) throws(JoiningFault) {
        guard !parts.isSkipping else { return parts.reset() }
        guard part.count > 0 else { throw parts.drop(.empty, isEnd: true) }
        let told = Int(part[0])
        guard told == parts.count else { throw parts.drop(.count(told: told, received: parts.count), isEnd: true) }
        if told > 0 { parts.finish(take) }
    }

    /// Cuts a message into notifications, as a reader does.
    /// - Parameters:
    ///   - payload: the message.
    ///   - size: bytes that a notification has at most, its number included; 2 or more.
    /// - Returns: the notifications, the end included.
    /// - Throws: ``JoiningFault`` (`tooLong`) where it takes more than 255 notifications and the end.
    public static func blocks(of payload: [UInt8], size: Int) throws(JoiningFault) -> [[UInt8]] {
        precondition(size >= 2, "a notification has a number and data")
        guard payload.count <= end * (size - 1) else { throw .tooLong(most: end * (size - 1)) }
        let starts = stride(from: 0, to: payload.count, by: size - 1)
        let blocks = starts.enumerated().map { number, start in
            [UInt8(number)] + payload[start..<min(start + size - 1, payload.count)]
        }
        return blocks + [[UInt8(end), UInt8(blocks.count)]]
    }
}
