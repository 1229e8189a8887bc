public import JackdawCards

/// A test card: a number that the card schemes publish for tests, in the tracks of a stripe.
public struct SimulatedCard: RedactedDescription, Hashable {
    /// The kind of a card, which decides how readers send it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A bank card.
        case payment
        /// A driving licence (AAMVA).
        case licence
        /// A gift card, with a number that its issuer has chosen.
        case gift
    }

    /// A name for scripts: `visa`, `expired`, ...
    public let name: String
    /// Payment card, driving licence or gift card.
    public let kind: Kind
    /// Tracks 1 to 3 with their sentinels, as a reader sends them in clear; a track that the card lacks is empty.
    public let tracks: [String]

    /// A card from its tracks.
    /// - Parameters:
    ///   - name: a name for scripts.
    ///   - kind: the kind of the card.
    ///   - track1: from `%` to `?`, 79 characters at most (ISO 7811); empty if the card has no track 1.
    ///   - track2: from `;` to `?`, 40 at most; empty if the card has no track 2.
    ///   - track3: from `;` or `+` to `?`, 107 at most; empty if the card has no track 3.
    public init(_ name: String, _ kind: Kind = .payment, track1: String = "", track2: String = "", track3: String = "")
    {
        precondition(
            track1.utf8.count <= 79 && track2.utf8.count <= 40 && track3.utf8.count <= 107, "too many characters")
        self.name = name
        self.kind = kind
        tracks = [track1, track2, track3]
    }

    /// Tracks 1 to 3, each after a byte with its length.
    var countedTracks: [UInt8] { tracks.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) } }

    /// The name of the card, without its tracks.
    public var description: String { name }

    /// Valid cards of several kinds, all for tests.
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
        // The service code of this card indicates a chip.
        SimulatedCard(
            "chip", track1: "%B5200828282828210^TEST/CHIP^28122010000000000000?",
            track2: ";5200828282828210=28122010000012345678?"),
    ]

    /// Finds a card of the deck by its name; nil if the deck has no such card.
    public static func named(_ name: String) -> SimulatedCard? { deck.first { $0.name == name } }
}

/// One presentation of a card to a simulated reader.
public struct Presentation: Sendable, Hashable {
    /// The way in which a card is presented.
    public enum Manner: Sendable, Hashable, CaseIterable {
        /// Swiped and read without an error.
        case swiped
        /// Swiped too fast, or with a worn stripe, so that the reader cannot read it.
        case swipedInVain
        /// Inserted with its chip into the slot.
        case inserted
        /// Removed from the chip slot.
        case removed
        /// Inserted, but its chip does not answer.
        case unreadable
        /// Held near the reader (contactless).
        case tapped
        /// Swiped, but the card has a chip that the reader asks for instead.
        case swipedWithChip
    }

    /// The card that is presented.
    public let card: SimulatedCard
    /// The way in which the card is presented.
    public let manner: Manner
    /// The time since the reader began to wait for a card, or since the last presentation if the reader still waits.
    public let delay: Duration

    /// - Parameters:
    ///   - card: the card that is presented.
    ///   - manner: the way in which it is presented.
    ///   - delay: the time since the reader began to wait.
    public init(_ card: SimulatedCard, _ manner: Manner = .swiped, after delay: Duration = .seconds(1)) {
        self.card = card
        self.manner = manner
        self.delay = delay
    }
}
