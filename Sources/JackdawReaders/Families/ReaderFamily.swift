/// A family of readers that are spoken to alike: the one place where each is registered.
public struct ReaderFamily: Sendable {
    /// What carries the family's bytes.
    public enum Carrier: String, Sendable, Hashable, CaseIterable {
        /// A serial line, or what stands for one: RFCOMM, TCP, a terminal.
        case serial
        /// Bluetooth Low Energy.
        case lowEnergy = "low energy"
        /// An audio jack.
        case audio
    }

    /// What it is called in commands and link names: lower case, no blanks.
    public let name: String
    /// Which readers these are, in a few words.
    public let title: String
    /// What carries its bytes, of what Jackdaw can use.
    public let carriers: [Carrier]
    /// How much of its protocol its makers have published.
    public let provenance: Provenance
    /// What the driver was tried against.
    public let verification: String
    /// What nobody has published, and is left out or taken from a profile.
    public let unknowns: [String]
    private let make: @Sendable () -> any ReaderDialect

    /// How the family speaks.
    public func makeDialect() -> any ReaderDialect { make() }

    /// All of them, by name.
    public static let all = [
        ReaderFamily(
            "idtech", "ID TECH SecureMag, UniMag, Shuttle and their like", [.serial], .documented,
            "published swipes and settings, byte for byte; the simulated reader",
            ["swipes of a reader that is set to send tracks without a frame"],
            { IDTechDialect(isAlwaysArmed: true) }),
        ReaderFamily(
            "ips", "IPS", [.serial], .inferred,
            "a swipe made of the inferred layout; the simulated reader, made of the same",
            ["whether IPS's readers speak like that at all", "all but one byte of the answer to being woken"],
            { IPSDialect() }),
        ReaderFamily(
            "magtek", "MagTek iDynamo and other MagneSafe V5 readers", [.serial], .documented,
            "the published swipe; the simulated reader", [], { MagTekDialect() }),
        ReaderFamily(
            "miura", "Miura M010, M020 and their like", [.serial], .documented,
            "published frames, byte for byte; the simulated reader",
            ["which flags of the card status command ask for which track"], { MiuraDialect() }),
    ]

    /// The family of a name; nil where there is none.
    public static func named(_ name: String) -> ReaderFamily? { all.first { $0.name == name } }

    init(
        _ name: String, _ title: String, _ carriers: [Carrier], _ provenance: Provenance, _ verification: String,
        _ unknowns: [String], _ make: @escaping @Sendable () -> any ReaderDialect
    ) {
        self.name = name
        self.title = title
        self.carriers = carriers
        self.provenance = provenance
        self.verification = verification
        self.unknowns = unknowns
        self.make = make
    }
}
