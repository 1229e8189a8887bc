extension ReaderProfile {
    /// What is known of NEO readers.
    static let neo = ReaderProfile(
        family: "neo", "ID TECH's NEO and ViVOpay readers, as the NEO 2 Interface Developer's Guide has them",
        [
            .longestSwipe: ProfileEntry(
                "ms that a wait for a card has at most", .number(255_000), .documented,
                "the wait is one byte of seconds: NEO 2 Interface Developer's Guide"),
            .lowEnergyService: ProfileEntry("service over Bluetooth Low Energy", missing: .text),
            .lowEnergyNotify: ProfileEntry("characteristic that notifies", missing: .text),
            .lowEnergyWrite: ProfileEntry("characteristic that is written", missing: .text),
            .pollOnDemand: ProfileEntry(
                "whether the reader is told to look for cards on demand only when it is connected (command 01-01)",
                .flag(false),
                .documented, "NEO 2 Interface Developer's Guide, p. 409; a reader that looks by itself needs it"),
        ])
}

extension ProfileKey {
    /// Whether a NEO reader is told, when it is connected, to look for cards on demand only.
    public static let pollOnDemand: ProfileKey = "neo.pollOnDemand"
}
