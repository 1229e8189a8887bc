extension ReaderProfile {
    /// What is known of ID TECH's magnetic stripe readers.
    static let idtech = ReaderProfile(
        family: "idtech", "ID TECH's magnetic stripe readers, as their manuals have them",
        [
            .isAlwaysArmed: ProfileEntry(
                "whether cards are read at any time; else while power is given for a wait", .flag(true), .documented,
                "manuals of SecureMag and its like; readers on an audio jack live on the power for a wait")
        ])
}

extension ProfileKey {
    /// Whether an ID TECH reader reads cards at any time.
    public static let isAlwaysArmed: ProfileKey = "idtech.isAlwaysArmed"
    /// Whether a UniMag or a BTMag takes commands.
    public static let takesCommands: ProfileKey = "idtech.takesCommands"
}
