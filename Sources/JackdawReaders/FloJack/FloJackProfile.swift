extension ReaderProfile {
    /// What is known of Flomio's FloJack.
    static let flojack = serialManchester(
        family: "flojack", "Flomio's FloJack, which reads tags near it",
        baud: ProfileEntry(
            "bits a second", .number(44_100 / 13), .documented, "FJNFCService.mm: 13 samples of 44.1 kHz"),
        onesBefore: 4, onesAfter: 23, "FJNFCService.mm, published by Flomio",
        [.silence: ProfileEntry("ms that a message may stand still", .number(500), .documented, "FJNFCService.mm")])
}
