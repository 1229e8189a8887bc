/// The published facts about a family whose wire format is not published: the names of its readers' events, and their
/// meanings.
public struct WireVocabulary: Sendable {
    /// The meaning of an event for a driver.
    enum Meaning: Sendable {
        case badSwipe, gaveUp, poweringDown, status
        case card(CardNotice)
    }

    /// The name of the family, as in ``ReaderFamily``.
    public let family: String
    /// The maker and the readers, in a few words.
    let title: String
    /// The events, by their published names; with a number if that is published too.
    let events: [(name: String, number: UInt8?, meaning: Meaning)]
    /// The number of the message that carries an event, if it is published.
    let eventMessage: UInt8?
    /// The keys of the messages of payments with the chip, and their published names.
    var payments: [ProfileKey: String] = [:]
    /// Further values of payments, which have a default.
    var paymentValues: [ProfileKey: ProfileEntry] = [:]

    /// The family's own profile: all values that are needed, nearly all of them unknown.
    var profile: ReaderProfile {
        var entries: [ProfileKey: ProfileEntry] = [
            .frameStart: ProfileEntry("bytes that begin a frame, 1 to 8", missing: .bytes),
            .frameLengthSize: ProfileEntry("bytes of a frame's length, 1 or 2", missing: .number),
            .frameCounted: ProfileEntry("the counted bytes of the length: content or everything", missing: .text),
            .frameCheck: ProfileEntry("a frame's check: none, longitudinal, sum or crc16", missing: .text),
            .frameChecked: ProfileEntry("the start of the check: start, length or content", missing: .text),
            .frameEnd: ProfileEntry("bytes that end a frame, 0 to 8", missing: .bytes),
            .eventPlace: ProfileEntry("bytes of an event message before the event's number", missing: .number),
        ]
        for message in WireMessage.allCases {
            entries[message.key] = ProfileEntry("number of the message: \(message.title)", missing: .number)
        }
        for (key, name) in payments {
            entries[key] = ProfileEntry("number in payments: \(name)", missing: .number)
        }
        entries.merge(paymentValues) { own, _ in own }
        if let eventMessage {
            entries[WireMessage.event.key]? = ProfileEntry(
                "number of the message: \(WireMessage.event.title)", .number(Double(eventMessage)), .documented,
                "SDK's headers")
        }
        for event in events {
            let title = "number of the event \(event.name)"
            entries[Self.key(event.name)] =
                event.number.map { ProfileEntry(title, .number(Double($0)), .documented, "SDK's headers") }
                ?? ProfileEntry(title, missing: .number)
        }
        return ReaderProfile(family: family, "\(title): names are published, the wire format is not", entries)
    }

    /// A synthetic profile for the simulated reader only.
    var simulatedProfile: ReaderProfile {
        let own = profile
        var made = ReaderProfile(
            "simulated", of: family, "synthetic, for the simulator; no real reader uses it", own.entries)
        let framing: [ProfileKey: ProfileValue] = [
            .frameStart: .bytes([0x02]), .frameLengthSize: .number(2), .frameCounted: .text("content"),
            .frameCheck: .text("crc16"), .frameChecked: .text("start"), .frameEnd: .bytes([0x03]),
            .eventPlace: .number(1),
        ]
        var next = 1.0
        for key in own.missing {
            let value = framing[key] ?? .number(next)
            if framing[key] == nil { next += 1 }
            made[key] = ProfileEntry(own[key]?.title ?? "", value, .unknown, made.summary)
        }
        return made
    }

    static func key(_ event: String) -> ProfileKey { ProfileKey(rawValue: "event.\(event)") }
}

/// The messages of a conversation, independent of their numbers. The content of a frame is a message's number and its
/// data.
package enum WireMessage: String, Sendable, CaseIterable {
    case identify, arm, cancel, done, refuse, event, swipe

    var key: ProfileKey { ProfileKey(rawValue: "message.\(rawValue)") }

    var title: String {
        switch self {
        case .identify: "request for the reader's identity"
        case .arm: "start of a wait for a card"
        case .cancel: "end of a wait for a card"
        case .done: "completion of a request"
        case .refuse: "refusal of a request; a number gives the reason"
        case .event: "event of the reader"
        case .swipe: "swipe of a card: tracks 1, 2 and 3, each after a byte with its length"
        }
    }
}

extension ProfileKey {
    static let frameStart: ProfileKey = "frame.start"
    static let frameLengthSize: ProfileKey = "frame.lengthSize"
    static let frameCounted: ProfileKey = "frame.counted"
    static let frameCheck: ProfileKey = "frame.check"
    static let frameChecked: ProfileKey = "frame.checked"
    static let frameEnd: ProfileKey = "frame.end"
    static let eventPlace: ProfileKey = "event.place"
}
