extension ReaderProfile {
    /// What is known of SPm20 terminals: times alone.
    static let jsonpos = ReaderProfile(
        family: "jsonpos", "Spire's SPm20 terminals, as Poplatek's public SDKs have them",
        [
            .answer: ProfileEntry(
                "ms for an answer", .number(5000), .documented, "pt-android-sdk: _Sync and _Keepalive"),
            .answerTries: ProfileEntry(
                "how often something is sent", .number(1), .documented,
                "pt-android-sdk: a link without an answer is closed"),
            .keepAlive: ProfileEntry(
                "ms from one look for the reader to the next", .number(30_000), .documented, "pt-android-sdk: when idle"
            ),
        ])
}
