extension ReaderProfile {
    /// What is known of Miura's readers.
    static let miura = ReaderProfile(
        family: "miura", "Miura's readers, as their SDK's sources have them",
        [
            .reportFlags: ProfileEntry(
                "P1 of the card status command that switches the reports on, 0 to 255", .number(0x1F), .inferred,
                "bit 0 asks for reports, as names in the SDK suggest; what the others ask for is not published, so that all "
                    + "that could be flags of tracks are set")
        ])
}

extension ProfileKey {
    /// P1 of Miura's card status command that switches the reports on.
    public static let reportFlags: ProfileKey = "miura.reportFlags"
}
