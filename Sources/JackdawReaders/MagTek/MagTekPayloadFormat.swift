import JackdawBytes
import JackdawDSP

/// Messages of eDynamo and tDynamo over Bluetooth Low Energy, as ``MagTekBlockJoiner`` joins them: a kind
/// (``MagTekPayloadKind``), then a swipe (``MagTekCardRecord``) or a notification.
///
/// A message has no length field, so this is not a ``FrameFormat``: the link keeps messages apart.
package struct MagTekPayloadFormat: FrameExplainer {
    package init() {}

    /// Checks that the bytes are exactly one message.
    /// - Throws: ``FrameFault``; for an encoded swipe, its text has the position in the expanded record.
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
                // The offset in the record is not one in the received bytes.
                throw FrameFault(error.code, at: 0, "byte \(error.offset) of the whole record: \(error.message)")
            }
        } catch {
            throw FrameFault(error.code, at: error.offset + 1, error.message)
        }
    }

    /// Explains a message, field by field; a run-length encoded one as a single field.
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

    /// Returns the kind of a message.
    /// - Throws: ``FrameFault``: `truncated` if there are no bytes, `start` if the kind is not documented.
    package static func kind(of message: Span<UInt8>) throws(FrameFault) -> MagTekPayloadKind {
        guard message.count > 0 else { throw FrameFault(.truncated, at: 0, "there are no bytes") }
        guard let kind = MagTekPayloadKind(rawValue: message[0]) else { throw .noStart(message[0]) }
        return kind
    }
}

/// The kind of a message from eDynamo or tDynamo: its first byte.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2.
package enum MagTekPayloadKind: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A swipe (`MagTekCardRecord`).
    case cardData = 0
    /// A swipe, run-length encoded (`MagTekRunLength`).
    case shortenedCardData = 1
    case notification = 2
    /// A notification, run-length encoded (`MagTekRunLength`).
    case shortenedNotification = 3

    /// Whether the message is a swipe.
    package var isCardData: Bool { rawValue & 2 == 0 }
    /// Whether the message is run-length encoded.
    package var isShortened: Bool { rawValue & 1 == 1 }

    package var description: String {
        "\(rawValue.hexadecimal) \(isCardData ? "card data" : "notification")\(isShortened ? ", shortened" : "")"
    }
}

/// Joins the notifications of a message from eDynamo or tDynamo over Bluetooth Low Energy: each begins with its number,
/// from 0; after the last one, FF and their count follow.
///
/// The stored parts of a message are bounded, and overwritten when it is complete.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 2.2.
package struct MagTekBlockJoiner: MessageJoiner, ~Copyable {
    /// The number of the notification that ends a message.
    static let end = 0xFF

    private var parts: JoinedParts

    /// - Parameter greatestPayload: the most bytes of a message.
    package init(greatestPayload: Int = 4096) { parts = JoinedParts(most: greatestPayload) }

    /// Adds a notification.
    /// - Parameters:
    ///   - notification: the bytes received.
    ///   - take: receives the message, without the numbers, if the notification ends it; the bytes are invalid after
    ///     the call.
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

    /// Discards a partial message, for example after a lost connection.
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
        let announced = Int(part[0])
        guard announced == parts.count else {
            throw parts.drop(.count(announced: announced, received: parts.count), isEnd: true)
        }
        if announced > 0 { parts.finish(take) }
    }

    /// Cuts a message into notifications, as a reader does.
    /// - Parameters:
    ///   - payload: the message.
    ///   - size: the most bytes of a notification, its number included; 2 or more.
    /// - Returns: the notifications, the end included.
    /// - Throws: ``JoiningFault`` (`tooLong`) if it takes more than 255 notifications and the end.
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

/// The run-length encoding of eDynamo and tDynamo: a byte that is repeated is sent twice, followed by the length of the
/// run, up to 255; a longer run is split. The length counts all bytes of the run: the manual's example sends nine bytes
/// 55 as `55 55 09`.
///
/// Source: MagTek's eDynamo programmer's manual D998200115, 3.2; mDynamo's, 3.2.1.
package enum MagTekRunLength {
    /// Expands a run-length encoded message.
    /// - Parameters:
    ///   - encoded: the bytes received.
    ///   - most: the most bytes of the message.
    /// - Returns: the message, in a single copy, which the caller must overwrite after use.
    /// - Throws: ``FrameFault``: `truncated` if a run has no length, `field` if its length is not allowed, `length` if
    ///   the message is too long.
    package static func decode(_ encoded: Span<UInt8>, most: Int = 4096) throws(FrameFault) -> [UInt8] {
        var size = 0
        try rows(of: encoded) { _, count in size += count }
        guard size <= most else {
            throw FrameFault(.length, at: 0, "\(size) bytes; a message has at most \(most)")
        }
        var message: [UInt8] = []
        // Growing the array would leave copies of it in freed memory.
        message.reserveCapacity(size)
        try rows(of: encoded) { byte, count in for _ in 0..<count { message.append(byte) } }
        return message
    }

    /// Encodes a message, as a reader does.
    /// - Parameter message: the message to encode.
    /// - Returns: the encoded bytes.
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

    /// Calls `tell` with each run in order; a single byte is a run of one.
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
            guard count > 1 else { throw FrameFault(.field, at: next + 2, "a row of \(count) is too short") }
            tell(byte, count)
            next += 3
        }
    }
}

/// The services and characteristics of MagTek's readers over Bluetooth Low Energy.
package enum MagTekService {
    package struct Attribute: Sendable, Hashable {
        package let uuid: String
        package let provenance: Provenance

        /// The UUIDs differ only in two bytes.
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
    /// The characteristic for commands, as public sample code names it.
    package static let command = Attribute("0200", .reported)
    /// The characteristic that notifies of messages (``MagTekBlockJoiner``), or has them to read.
    package static let cardData = Attribute("0201", .documented)
    /// The characteristic that notifies of data to read: 4 bytes.
    package static let dataReady = Attribute("0202", .documented)
    /// The characteristic for the result of reading: 3 bytes.
    package static let readStatus = Attribute("0203", .documented)
    /// Service of devices with a keypad.
    package static let keypad = Attribute("0101", .documented)
    /// The length of the next message to a keypad device.
    package static let fromHostLength = Attribute("0220", .documented)
    /// A message to a keypad device, up to 65 bytes.
    package static let fromHost = Attribute("0221", .documented)
    /// The length of the next message from a keypad device.
    package static let toHostLength = Attribute("0222", .documented)
    /// A message from a keypad device, up to 128 bytes.
    package static let toHost = Attribute("0223", .documented)
}
