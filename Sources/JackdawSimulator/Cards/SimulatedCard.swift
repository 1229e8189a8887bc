public import JackdawCards

/// A card that does not exist: numbers that the schemes publish for tests, and what a stripe has around them.
public struct SimulatedCard: RedactedDescription, Hashable {
    /// What kind of card it is.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A bank card.
        case payment
        /// A driving licence (AAMVA).
        case licence
        /// A gift card, with a number of its issuer's own making.
        case gift
    }

    /// A name for scripts: `visa`, `expired`, ...
    public let name: String
    /// What kind of card it is.
    public let kind: Kind
    /// Tracks 1 to 3 with their sentinels, as a reader sends them in clear; empty where there is none.
    public let tracks: [String]

    /// A card of its tracks.
    /// - Parameters:
    ///   - name: a name for scripts.
    ///   - kind: what kind of card it is.
    ///   - track1: from `%` to `?`, 79 characters at most (ISO 7811); empty where there is none.
    ///   - track2: from `;` to `?`, 40 at most; empty where there is none.
    ///   - track3: from `;` or `+` to `?`, 107 at most; empty where there is none.
    public init(_ name: String, _ kind: Kind = .payment, track1: String = "", track2: String = "", track3: String = "")
    {
        precondition(
            track1.utf8.count <= 79 && track2.utf8.count <= 40 && track3.utf8.count <= 107, "more than a stripe has")
        self.name = name
        self.kind = kind
        tracks = [track1, track2, track3]
    }

    /// Its name, and nothing of its tracks.
    public var description: String { name }

    /// Good cards of several kinds, all for tests.
    public static let deck = [
        SimulatedCard(
            "visa", track1: "%B4111111111111111^TEST/CARD^28121010000000000000?",
            track2: ";4111111111111111=28121010000012345678?"),
        SimulatedCard(
            "mastercard", track1: "%B5555555555554444^TEST/CARD^28122010000000000000?",
            track2: ";5555555555554444=28122010000012345678?"),
        SimulatedCard("amex", track2: ";378282246310005=281210112345678?"),
        SimulatedCard("expired", track2: ";4111111111111111=01011010000012345678?"),
        SimulatedCard(
            "foreign", track1: "%B6200000000000005^CESHI/KA^28122200000000000000?",
            track2: ";6200000000000005=28122200000000000000?"),
        SimulatedCard(
            "licence", .licence, track1: "%CATESTVILLE^SAMPLE$ALEX^100 TEST STREET^?",
            track2: ";636014012345678=281219800101?"),
        SimulatedCard("gift", .gift, track2: ";9999000012345678=99120000000?"),
        // Its service code says that it has a chip.
        SimulatedCard(
            "chip", track1: "%B5200828282828210^TEST/CHIP^28122010000000000000?",
            track2: ";5200828282828210=28122010000012345678?"),
    ]

    /// The card of a name.
    public static func named(_ name: String) -> SimulatedCard? { deck.first { $0.name == name } }
}

/// A card that somebody presents to a reader, and how.
public struct Presentation: Sendable, Hashable {
    /// How.
    public enum Manner: Sendable, Hashable, CaseIterable {
        /// Swiped, and read.
        case swiped
        /// Swiped too fast, or with a worn stripe.
        case swipedInVain
        /// Put in, by its chip.
        case inserted
        /// Taken out.
        case removed
        /// Put in, though its chip does not answer.
        case unreadable
        /// Held near the reader.
        case tapped
        /// Swiped, though it has a chip that the reader wants instead.
        case swipedWithChip
    }

    /// The card.
    public let card: SimulatedCard
    /// How.
    public let manner: Manner
    /// How long after the reader began to wait for a card, or after the presentation before it where that was not over.
    public let delay: Duration

    /// - Parameters:
    ///   - card: the card.
    ///   - manner: how it is presented.
    ///   - delay: how long after the reader began to wait.
    public init(_ card: SimulatedCard, _ manner: Manner = .swiped, after delay: Duration = .seconds(1)) {
        self.card = card
        self.manner = manner
        self.delay = delay
    }
}
