/// What is published of a family whose wire is not: the names of what its readers tell, and what these mean.
public struct WireVocabulary: Sendable {
    /// What something that a reader tells means for a driver.
    enum Meaning: Sendable {
        case badSwipe, gaveUp, poweringDown, status
        case card(CardNotice)
    }

    /// The name of the family.
    public let family: String
    /// Whose it is, in a few words.
    let title: String
    /// What is told, by its published name; a number where that is published too.
    let events: [(name: String, number: UInt8?, meaning: Meaning)]
    /// The number of the message that tells it, where that is published.
    let eventMessage: UInt8?

    /// What the family's own profile has: all that is needed, nearly all of it open.
    var profile: ReaderProfile {
        var entries: [ProfileKey: ProfileEntry] = [
            .frameStart: ProfileEntry("bytes that begin a frame, 1 to 8", missing: .bytes),
            .frameLengthSize: ProfileEntry("bytes of a frame's length, 1 or 2", missing: .number),
            .frameCounted: ProfileEntry("what the length counts: content or everything", missing: .text),
            .frameCheck: ProfileEntry("a frame's check: none, longitudinal, sum or crc16", missing: .text),
            .frameChecked: ProfileEntry("where the check begins: start, length or content", missing: .text),
            .frameEnd: ProfileEntry("bytes that end a frame, 0 to 8", missing: .bytes),
            .eventPlace: ProfileEntry("bytes of an event message before the event's number", missing: .number),
        ]
        for message in WireMessage.allCases {
            entries[message.key] = ProfileEntry("number of the message: \(message.title)", missing: .number)
        }
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
        return ReaderProfile(family: family, "\(title): names are published, the wire is not", entries)
    }

    /// A profile that only the simulated reader speaks.
    var simulatedProfile: ReaderProfile {
        let own = profile
        var made = ReaderProfile(
            "simulated", of: family, "made up for the simulator, no real reader speaks it", own.entries)
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

/// The messages that a conversation needs, whatever their numbers are. The content of a frame is a message's number and its data.
package enum WireMessage: String, Sendable, CaseIterable {
    case identify, arm, cancel, done, refuse, event, swipe

    var key: ProfileKey { ProfileKey(rawValue: "message.\(rawValue)") }

    var title: String {
        switch self {
        case .identify: "the reader is asked who it is"
        case .arm: "the reader is told to wait for a card"
        case .cancel: "the reader is told to wait no more"
        case .done: "the reader has done what it was told"
        case .refuse: "the reader will not do it; a number says why"
        case .event: "the reader tells what happens"
        case .swipe: "a card was swiped: track 1, 2 and 3, each behind a byte of its length"
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
