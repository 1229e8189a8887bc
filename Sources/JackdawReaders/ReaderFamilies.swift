/// The list of drivers: a new family adds its line here, and one in JackdawSimulator's list.
extension ReaderFamily {
    /// All families, sorted by name.
    public static let all: [ReaderFamily] = [
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

    /// Returns the family with this name; nil if there is none.
    public static func named(_ name: String) -> ReaderFamily? { all.first { $0.name == name } }
}

extension FrameProtocol {
    /// All protocols, sorted by name: those of the families, and those whose readers have no driver. HiJack is not
    /// among them, as it sends plain bytes without frames.
    public static let all = (ReaderFamily.all.flatMap(\.frames) + [datecs, nga]).sorted { $0.name < $1.name }
}
