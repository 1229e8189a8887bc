/// The list of simulated readers: a new family adds its line here, and one in JackdawReaders' list.
extension SimulatedFamily {
    /// All simulated families, sorted by name.
    public static let all: [SimulatedFamily] = [
        bbpos,
        btmag,
        cloverGo,
        edynamo,
        epos,
        flojack,
        hijack,
        idtech,
        ips,
        ipsEnterprise,
        jsonpos,
        magtek,
        miura,
        neo,
        udynamo,
        unimag,
    ]

    /// The names of readers that are not those of their families, and the families.
    package static let readers: [(name: String, family: String)] = [
        ("emvswiper", bbpos.name),
        ("posmate", epos.name),
        ("spm20", jsonpos.name),
    ]

    /// The names that ``named(_:)`` finds: of families, and then of readers.
    package static let names: [String] = all.map(\.name) + readers.map(\.name)

    /// Finds a family by its name, or by that of one of its readers; nil if it is not simulated.
    public static func named(_ name: String) -> SimulatedFamily? {
        let family = readers.first { $0.name == name }?.family ?? name
        return all.first { $0.name == family }
    }
}
