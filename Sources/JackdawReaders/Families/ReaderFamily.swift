/// A family of readers with the same protocol, and the one place in which each family is registered.
public struct ReaderFamily: Sendable {
    /// The record of a swipe that a reader encrypts, which determines the rules of the encryption.
    package enum Encryption: Sendable, Hashable {
        /// A frame of ID TECH's readers, `IDTechSwipe`.
        case idTech
        /// A line of MagneSafe V5, `MagTekSwipe`.
        case magTekLine
        /// A record of eDynamo, `MagTekCardRecord`.
        case magTekRecord
        /// A frame of IPS's readers, `IPSSwipe`.
        case ips
    }

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
    public let profiles: [ReaderProfile]
    /// The encryption of the readers' swipes; nil if it is not published, or the readers do not encrypt.
    package let encryption: Encryption?
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

    /// All families, sorted by name.
    public static let all = [
        wire(.bbpos, "BBPOS EMVSwiper and similar readers"),
        ReaderFamily(
            "btmag", "ID TECH BTMag over Bluetooth", [.serial], .documented,
            "published swipes of ID TECH's other readers, byte for byte; the simulated reader",
            [
                "its commands: the driver uses those of ID TECH's other readers",
                "whether reading must be switched on, and by which command",
                "the end of a swipe that is sent as plain text, without encryption",
            ],
            [.btmag], BTMagDialect.init(profile:), encryption: .idTech),
        wire(.cloverGo, "Clover Go RP350 and RP450"),
        ReaderFamily(
            "edynamo", "MagTek eDynamo and tDynamo over Bluetooth Low Energy", [.lowEnergy], .documented,
            "the records that MagTek published (99875475-10, appendix D; D998200115-17, appendix B.1.1); "
                + "the simulated reader",
            ["commands and their answers", "what notifications tell that are no swipes"],
            [.edynamo], EDynamoDialect.init(profile:), encryption: .magTekRecord,
            recognition:
                "services 0103 (eDynamo) and 0104 (tDynamo) of MagTek's base UUID, as in public sample code"),
        wire(.epos, "Spire PosMate and SPm2, by EPOS"),
        ReaderFamily(
            "flojack", "Flomio FloJack on the audio jack", [.audio], .documented,
            "published messages, byte for byte; the simulated reader, in sound and by its bytes",
            [
                "how long a reader takes to wake up", "whether it answers the command to look for tags",
                "how versions are written",
            ],
            [.flojack], FloJackDialect.init(profile:),
            recognition: "its answer to the request for its versions",
            sound: { profile throws(ReaderError) in try profile.serialManchesterSound() }),
        ReaderFamily(
            "hijack", "HiJack on the audio jack, for plain bytes", [.audio], .documented,
            "the simulated reader, in sound and by its bytes",
            ["how long a reader takes to wake up", "the meaning of the bytes: the builder of the reader defines it"],
            [.hijack], HiJackDialect.init(profile:),
            sound: { profile throws(ReaderError) in try profile.serialManchesterSound() }),
        ReaderFamily(
            "idtech", "ID TECH SecureMag, UniMag, Shuttle and similar readers", [.serial], .documented,
            "published swipes and settings, byte for byte; the simulated reader",
            ["swipes of a reader that is set to send tracks without a frame"],
            [.idtech], IDTechDialect.init(profile:), encryption: .idTech,
            recognition: "its answer to being asked for its software (52 22)"),
        ReaderFamily(
            "ips", "IPS", [.serial, .audio], .inferred,
            "a swipe of the inferred layout; the simulated reader with the same layout, in synthetic sound",
            [
                "whether IPS's readers use this protocol at all", "all but one byte of the answer to the wake-up byte",
                "the line code on the audio jack: a profile must supply it",
            ],
            [.ips, .simulatedIPS], IPSDialect.init(profile:), encryption: .ips,
            recognition: "4D in the second byte of its answer to 0C; inferred",
            sound: { profile throws(ReaderError) in try profile.ipsSound() }),
        ReaderFamily(
            "ipsenterprise", "IPS Enterprise", [.serial, .audio], .unknown,
            "only the simulated reader, by its bytes and in sound, both synthetic",
            ["all of it: a profile must supply it, if the reader is similar to IPS's other readers"],
            [.ipsEnterprise, .simulatedIPSEnterprise], IPSDialect.init(profile:),
            sound: { profile throws(ReaderError) in try profile.ipsSound() }),
        ReaderFamily(
            "jsonpos", "Spire SPm20, by JSON", [.serial], .documented,
            "frames made by the published rule; the simulated terminal",
            ["the meaning of the terminal's states", "swipes: the terminal processes whole payments"],
            [.jsonpos], JSONPOSDialect.init(profile:),
            recognition: "a Bluetooth name that begins with SP:, and a serial port; its answer to _Sync"),
        ReaderFamily(
            "magtek", "MagTek iDynamo and other MagneSafe V5 readers", [.serial], .documented,
            "the swipes that MagTek has printed (99875483, appendix B; 99875475-10, appendix D); the simulated reader",
            ["what the encrypted fields hold of a track that could not be read"], [.magtek],
            MagTekDialect.init(profile:), encryption: .magTekLine,
            recognition: "its answers to being asked for software and serial number (00 01 00, 00 01 03)"),
        ReaderFamily(
            "miura", "Miura M010, M020 and similar readers", [.serial], .documented,
            "published frames, byte for byte; the simulated reader",
            ["whether it answers when card status reports are switched off"], [.miura], MiuraDialect.init(profile:),
            recognition: "its answer to RESET (D0 00), which names software and number"),
        ReaderFamily(
            "neo", "ID TECH NEO and ViVOpay, protocol 2", [.serial], .documented,
            "published frames, byte for byte; the simulated reader",
            [
                "whether tracks in clear come with their sentinels",
                "services and characteristics over Bluetooth Low Energy",
            ],
            [.neo], NEODialect.init(profile:), encryption: .idTech, recognition: "its answer to a ping (18-01)"),
        ReaderFamily(
            "udynamo", "MagTek uDynamo on the audio jack", [.audio], .reported,
            "the simulated reader, in sound and by its bytes, with synthetic messages",
            [
                "the content of messages: a profile must supply it", "how long a reader takes to wake up",
                "whether packets are acknowledged",
            ],
            [.udynamo, .simulatedUDynamo], UDynamoDialect.init(profile:),
            sound: { profile throws(ReaderError) in try profile.uDynamoSound() }),
        ReaderFamily(
            "unimag", "ID TECH UniMag and Shuttle on the audio jack", [.audio], .reported,
            "the simulated reader, in sound and by its bytes",
            [
                "the message that a reader sends at power-up, except for a part of it",
                "which of its models accept commands, and how loud the power of each must be",
                "swipes of a reader that is set to send tracks without a frame",
            ],
            [.unimag], UniMagDialect.init(profile:), encryption: .idTech,
            recognition: "a text with SPPMSR, or ID of readers of 2010, when it has power",
            sound: { profile throws(ReaderError) in try profile.uniMagSound() }),
    ]

    /// Returns the family with this name; nil if there is none.
    public static func named(_ name: String) -> ReaderFamily? { all.first { $0.name == name } }

    /// Creates a family whose wire format a profile must supply.
    private static func wire(_ vocabulary: WireVocabulary, _ title: String) -> ReaderFamily {
        ReaderFamily(
            vocabulary.family, title, [.serial], .unknown, "only the simulated reader, with a synthetic wire format",
            ["the whole wire format: a profile must supply it"], [vocabulary.profile, vocabulary.simulatedProfile]
        ) { profile throws(ReaderError) in try WireDialect(vocabulary, profile: profile) }
    }

    init<Dialect: ReaderDialect>(
        _ name: String, _ title: String, _ carriers: [Carrier], _ provenance: Provenance, _ verification: String,
        _ unknowns: [String], _ profiles: [ReaderProfile],
        _ make: @escaping @Sendable (ReaderProfile) throws(ReaderError) -> Dialect,
        encryption: Encryption? = nil, recognition: String? = nil,
        sound: (@Sendable (ReaderProfile) throws(ReaderError) -> ReaderSound)? = nil
    ) {
        self.name = name
        self.title = title
        self.carriers = carriers
        self.provenance = provenance
        self.encryption = encryption
        self.recognition = recognition
        self.verification = verification
        self.unknowns = unknowns
        self.profiles = profiles
        self.make = { profile throws(ReaderError) in try make(profile) }
        self.sound = sound
    }
}
