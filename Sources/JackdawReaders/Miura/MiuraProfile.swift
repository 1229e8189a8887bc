extension ReaderProfile {
    /// What is known of Miura's readers.
    static let miura = ReaderProfile(
        family: "miura", "Miura's readers, as their SDK's sources have them",
        [
            .reportFlags: ProfileEntry(
                "P1 of the card status command that switches the reports on, 0 to 255", .number(0x1F), .documented,
                "sources of Miura's SDK for Android: 01 reports, 02 a chip's answer to reset, 04, 08 and 10 tracks 1, 2, 3"
            )
        ])
}

extension ProfileKey {
    /// P1 of Miura's card status command that switches the reports on.
    public static let reportFlags: ProfileKey = "miura.reportFlags"
}
