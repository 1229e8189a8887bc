extension ReaderProfile {
    /// What is known of HiJack.
    static let hijack = serialManchester(
        family: "hijack", "HiJack of the University of Michigan: a line for plain bytes",
        baud: ProfileEntry("bits a second", .number(44_100 / 32), .documented, "HiJackMgr.mm: 32 samples of 44.1 kHz"),
        onesBefore: 100, onesAfter: 100, "HiJackMgr.mm, published by its authors")
}
