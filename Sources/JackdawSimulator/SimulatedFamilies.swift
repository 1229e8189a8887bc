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

    /// Finds a family by its name; nil if it is not simulated.
    public static func named(_ name: String) -> SimulatedFamily? { all.first { $0.name == name } }
}
