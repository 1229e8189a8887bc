import JackdawDSP

/// Messages of eDynamo and tDynamo over Bluetooth Low Energy, as ``MagTekBlockJoiner`` joins them: a kind
/// (``MagTekPayloadKind``), and a swipe (``MagTekCardRecord``) or a notification behind it.
///
/// Nothing in a message tells its length, so that it is no ``FrameFormat``: the link keeps messages apart.
package struct MagTekPayloadFormat: FrameExplainer {
    /// The format, which has no settings.
    package init() {}

    /// Reads bytes that have to be one message.
    /// - Throws: ``FrameFault``; of a swipe that was shortened, the place in what it was before is in the message.
    package func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        let kind = try Self.kind(of: bytes)
        let content = bytes.extracting(1...)
        do throws(FrameFault) {
            guard kind.isShortened else {
                if kind.isCardData { _ = try MagTekCardRecord(content) }
                return
            }
            var whole = try MagTekRunLength.decode(content)
            defer { whole.wipe() }
            guard kind.isCardData else { return }
            do throws(FrameFault) {
                _ = try MagTekCardRecord(whole.span)
            } catch {
                // What stands there is not sent as it is.
                throw FrameFault(error.code, at: 0, "byte \(error.offset) of the whole record: \(error.message)")
            }
        } catch {
            throw FrameFault(error.code, at: error.offset + 1, error.message)
        }
    }

    /// Explains a message, field by field; one that was shortened as a whole.
    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        guard let kind = try? Self.kind(of: frame) else { return [] }
        let first = FrameField("kind", 0..<1, "\(kind)")
        guard frame.count > 1 else { return [first] }
        let content = frame.extracting(1...)
        if kind == .cardData, let record = try? MagTekCardRecord(content) {
            return [first] + record.fields(of: content, from: 1, isRevealing: isRevealing)
        }
        return [first, FrameField("content", 1..<frame.count, content.sensitive(isRevealing))]
    }

    /// Reads the kind of a message.
    /// - Throws: ``FrameFault`` (`truncated`) where there is none; (`start`) where it is not a documented one.
    package static func kind(of message: Span<UInt8>) throws(FrameFault) -> MagTekPayloadKind {
        guard message.count > 0 else { throw FrameFault(.truncated, at: 0, "there are no bytes") }
        guard let kind = MagTekPayloadKind(rawValue: message[0]) else { throw .noStart(message[0]) }
        return kind
    }
}

/// What the first byte of a message from eDynamo or tDynamo says.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2.
package enum MagTekPayloadKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A swipe (``MagTekCardRecord``).
    case cardData = 0
    /// A swipe, shortened (``MagTekRunLength``).
    case shortenedCardData = 1
    /// A notification.
    case notification = 2
    /// A notification, shortened (``MagTekRunLength``).
    case shortenedNotification = 3

    /// Whether it is about a swipe.
    package var isCardData: Bool { rawValue & 2 == 0 }
    /// Whether rows of the same byte are shortened.
    package var isShortened: Bool { rawValue & 1 == 1 }

    /// Number and meaning.
    package var description: String {
        "\(rawValue.hexadecimal) \(isCardData ? "card data" : "notification")\(isShortened ? ", shortened" : "")"
    }
}

/// Joins the notifications in which eDynamo and tDynamo send a message over Bluetooth Low Energy: each begins with its number
/// from 0, and behind the last one comes FF with their count.
///
/// What is kept of a message that is not whole is bounded, and overwritten when it is done.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 2.2.
package struct MagTekBlockJoiner: MessageJoiner, ~Copyable {
    /// The number of the notification that ends a message.
    static let end = 0xFF

    private var parts: JoinedParts

    /// - Parameter greatestPayload: bytes that a message has at most.
    package init(greatestPayload: Int = 4096) { parts = JoinedParts(most: greatestPayload) }

    /// Takes a notification in.
    /// - Parameters:
    ///   - notification: as it came.
    ///   - take: gets the message where this is its end, without the numbers; it is gone after the call.
    /// - Throws: ``JoiningFault``, once for each message that is lost.
    package mutating func receive(
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
    package mutating func reset() { parts.reset() }

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
    package static func blocks(of payload: [UInt8], size: Int) throws(JoiningFault) -> [[UInt8]] {
        precondition(size >= 2, "a notification has a number and data")
        guard payload.count <= end * (size - 1) else { throw .tooLong(most: end * (size - 1)) }
        let starts = stride(from: 0, to: payload.count, by: size - 1)
        let blocks = starts.enumerated().map { number, start in
            [UInt8(number)] + payload[start..<min(start + size - 1, payload.count)]
        }
        return blocks + [[UInt8(end), UInt8(blocks.count)]]
    }
}

/// How eDynamo and tDynamo make messages shorter: a byte that comes several times in a row is sent twice, and then how often
/// it came, up to 255; a longer row is several. The count is that of all of them: the manual's example sends nine bytes 55 as
/// `55 55 09`.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2; mDynamo's, 3.2.1.
package enum MagTekRunLength {
    /// Writes rows as they were.
    /// - Parameters:
    ///   - encoded: what a reader sent.
    ///   - most: bytes that the message has at most.
    /// - Returns: the message. There is no other copy of it: overwrite it when it is done.
    /// - Throws: ``FrameFault`` where a row has no count (`truncated`), one that no row has (`field`), or all is longer
    ///   (`length`).
    package static func decode(_ encoded: Span<UInt8>, most: Int = 4096) throws(FrameFault) -> [UInt8] {
        var size = 0
        try rows(of: encoded) { _, count in size += count }
        guard size <= most else {
            throw FrameFault(.length, at: 0, "\(size) bytes, where a message has \(most) at most")
        }
        var message: [UInt8] = []
        // A smaller array that it grew out of would leave a copy behind.
        message.reserveCapacity(size)
        try rows(of: encoded) { byte, count in for _ in 0..<count { message.append(byte) } }
        return message
    }

    /// Makes a message shorter, as a reader does.
    /// - Parameter message: as it is to be read.
    /// - Returns: what is sent.
    package static func encode(_ message: Span<UInt8>) -> [UInt8] {
        var encoded: [UInt8] = []
        var start = 0
        while start < message.count {
            var end = start + 1
            while end < message.count, message[end] == message[start], end - start < 255 { end += 1 }
            encoded.append(message[start])
            if end - start > 1 { encoded += [message[start], UInt8(end - start)] }
            start = end
        }
        return encoded
    }

    /// Tells each row in its order; a byte that came once is one.
    private static func rows(
        of encoded: Span<UInt8>, _ tell: (_ byte: UInt8, _ count: Int) -> Void
    ) throws(FrameFault) {
        var next = 0
        while next < encoded.count {
            let byte = encoded[next]
            guard next + 1 < encoded.count, encoded[next + 1] == byte else {
                tell(byte, 1)
                next += 1
                continue
            }
            guard next + 2 < encoded.count else {
                throw FrameFault(.truncated, at: encoded.count, "a row without its count")
            }
            let count = Int(encoded[next + 2])
            guard count > 1 else { throw FrameFault(.field, at: next + 2, "a row of \(count) is none") }
            tell(byte, count)
            next += 3
        }
    }
}

/// What MagTek's readers are known by over Bluetooth Low Energy.
package enum MagTekService {
    /// A service or a characteristic.
    package struct Attribute: Sendable, Hashable {
        /// Its UUID, lower case with hyphens.
        package let uuid: String
        /// How it is known.
        package let provenance: Provenance

        /// All of them differ in two bytes only.
        init(_ number: String, _ provenance: Provenance) {
            uuid = "0508e6f8-ad82-898f-f843-e3410cb6\(number)"
            self.provenance = provenance
        }
    }

    /// Service of readers for stripes alone, as public sample code names it.
    package static let stripeReader = Attribute("0102", .reported)
    /// Service of eDynamo, as public sample code names it.
    package static let eDynamo = Attribute("0103", .reported)
    /// Service of tDynamo, as public sample code names it.
    package static let tDynamo = Attribute("0104", .reported)
    /// Where commands are written, as public sample code names it.
    package static let command = Attribute("0200", .reported)
    /// Notifies of messages (``MagTekBlockJoiner``), or has them to read.
    package static let cardData = Attribute("0201", .documented)
    /// Notifies that there is something to read: 4 bytes.
    package static let dataReady = Attribute("0202", .documented)
    /// Takes what became of reading: 3 bytes.
    package static let readStatus = Attribute("0203", .documented)
    /// Service of devices with a keypad.
    package static let keypad = Attribute("0101", .documented)
    /// How much the next message to a keypad device has.
    package static let fromHostLength = Attribute("0220", .documented)
    /// Takes a message to a keypad device, up to 65 bytes.
    package static let fromHost = Attribute("0221", .documented)
    /// How much the next message from a keypad device has.
    package static let toHostLength = Attribute("0222", .documented)
    /// Has a message from a keypad device, up to 128 bytes.
    package static let toHost = Attribute("0223", .documented)
}
