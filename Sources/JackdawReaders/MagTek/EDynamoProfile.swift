extension ReaderProfile {
    /// What is known of eDynamo and tDynamo: times, and how they are reached.
    static let edynamo: ReaderProfile = {
        func entry(_ title: String, _ attribute: MagTekService.Attribute, _ source: String) -> ProfileEntry {
            ProfileEntry(title, .text(attribute.uuid), attribute.provenance, source)
        }
        let samples = "public sample code"
        return ReaderProfile(
            family: "edynamo",
            "MagTek's eDynamo and tDynamo over Bluetooth Low Energy, as the programmer's manual has them",
            [
                .lowEnergyService: entry("service of eDynamo; tDynamo's ends in 0104", MagTekService.eDynamo, samples),
                .lowEnergyNotify: entry("characteristic that notifies", MagTekService.cardData, "D998200115"),
                .lowEnergyWrite: entry("characteristic that is written", MagTekService.command, samples),
            ])
    }()
}
