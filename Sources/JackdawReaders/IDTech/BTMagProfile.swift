extension ReaderProfile {
    /// What is known of ID TECH's BTMag.
    static let btmag = ReaderProfile(
        family: "btmag", "ID TECH's BTMag, as its manual and ID TECH's SDK have it",
        [
            .takesCommands: ProfileEntry(
                "whether it takes commands; else nothing is asked of it", .flag(true), .inferred,
                "its manual refers to the SecureHead's, and ID TECH's SDK frames commands as SecureMag's manual"),
            .readingOn: ProfileEntry(
                "data of the command that has it read cards; none where it reads them at any time", .bytes([]),
                .inferred, "ID TECH's demo program has such a switch; its commands are not published"),
            .readingOff: ProfileEntry(
                "data of the command that has it read no more; none where it needs none", .bytes([]), .inferred,
                "as what has it read cards"),
        ])
}

extension ProfileKey {
    /// Data of the command that has a BTMag read cards.
    public static let readingOn: ProfileKey = "btmag.readingOn"
    /// Data of the command that has a BTMag read no more.
    public static let readingOff: ProfileKey = "btmag.readingOff"
}
