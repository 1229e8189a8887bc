/// A family of readers with the same protocol. Each family declares itself beside its dialect; ``all`` lists them.
public struct ReaderFamily: Sendable {
    /// The kind of link that carries the family's bytes.
    public enum Carrier: String, Sendable, Hashable, CaseIterable {
        /// A serial line, or its equivalent: RFCOMM, TCP, a terminal.
        case serial
        /// Bluetooth Low Energy, by GATT characteristics.
        case lowEnergy = "low energy"
        /// The audio jack of a sound card.
        case audio
    }

    /// The name in commands and link names: lower case, without spaces.
    public let name: String
    /// The readers of the family, in a few words.
    public let title: String
    /// The kinds of link that Jackdaw supports for this family.
    public let carriers: [Carrier]
    /// How much of the protocol the makers have published.
    public let provenance: Provenance
    /// How to distinguish the readers from other devices before a connection or by their first answer; nil if not
    /// known.
    public let recognition: String?
    /// The published frames and simulated readers against which the driver was tested.
    public let verification: String
    /// The unpublished facts, which are left out or taken from a profile.
    public let unknowns: [String]
    /// The family's own profile first, then the others that come with it.
    public var profiles: [ReaderProfile] { makeProfiles() }
    /// The protocols of the readers' frames, as `jackdaw frame` explains them; empty if none is published.
    package let frames: [FrameProtocol]
    /// The encryption of the readers' swipes; nil if it is not published, or the readers do not encrypt.
    package let encryption: SwipeEncryption?
    // Made at their use: lists of families, as in help texts, do not need them.
    private let makeProfiles: @Sendable () -> [ReaderProfile]
    private let make: @Sendable (ReaderProfile) throws(ReaderError) -> any ReaderDialect
    private let sound: (@Sendable (ReaderProfile) throws(ReaderError) -> ReaderSound)?

    /// Whether the family needs links that keep packets apart, as Bluetooth Low Energy or a line code with bursts does;
    /// a byte stream does not suffice.
    public var needsPackets: Bool { carriers == [.lowEnergy] || carriers == [.audio] }

    /// The facts about the readers that are not public or may change, as far as they are known.
    public var profile: ReaderProfile { profiles[0] }

    /// The profile of the simulated reader: ``profile``, or a synthetic one if ``profile`` is incomplete.
    public var simulatedProfile: ReaderProfile { profiles[profiles.count - 1] }

    /// Creates a dialect of the family.
    /// - Parameter profile: overrides values of the family's own ``profile``; it may omit the others.
    /// - Returns: a dialect in its initial state.
    /// - Throws: ``ReaderError``: `missingValue` if a needed value is unknown, `badProfile` if a value is invalid.
    public func makeDialect(_ profile: ReaderProfile? = nil) throws(ReaderError) -> any ReaderDialect {
        guard let profile else { return try make(self.profile) }
        return try make(self.profile.with(profile))
    }

    /// Returns the sound of the readers on an audio jack.
    /// - Parameter profile: overrides values of the family's own ``profile``; it may omit the others.
    /// - Returns: tones and line codes; nil if the family does not use an audio jack.
    /// - Throws: ``ReaderError``: `missingValue` if a needed value is unknown, `badProfile` if a value is invalid.
    public func makeSound(_ profile: ReaderProfile? = nil) throws(ReaderError) -> ReaderSound? {
        guard let sound else { return nil }
        guard let profile else { return try sound(self.profile) }
        return try sound(self.profile.with(profile))
    }

    /// Creates a family whose wire format a profile must supply.
    init(unpublished vocabulary: WireVocabulary, _ title: String) {
        self.init(
            vocabulary.family, title, [.serial], .unknown, "only the simulated reader, with a synthetic wire format",
            ["the whole wire format: a profile must supply it"], [vocabulary.profile, vocabulary.simulatedProfile]
        ) { profile throws(ReaderError) in try WireDialect(vocabulary, profile: profile) }
    }

    init<Dialect: ReaderDialect>(
        _ name: String, _ title: String, _ carriers: [Carrier], _ provenance: Provenance, _ verification: String,
        _ unknowns: [String], _ profiles: @autoclosure @escaping @Sendable () -> [ReaderProfile],
        _ make: @escaping @Sendable (ReaderProfile) throws(ReaderError) -> Dialect,
        frames: [FrameProtocol] = [], encryption: SwipeEncryption? = nil, recognition: String? = nil,
        sound: (@Sendable (ReaderProfile) throws(ReaderError) -> ReaderSound)? = nil
    ) {
        self.name = name
        self.title = title
        self.carriers = carriers
        self.provenance = provenance
        self.frames = frames
        self.encryption = encryption
        self.recognition = recognition
        self.verification = verification
        self.unknowns = unknowns
        makeProfiles = profiles
        self.make = { profile throws(ReaderError) in try make(profile) }
        self.sound = sound
    }
}
