/// The protocol of HiJack, which carries plain bytes: their meaning is an agreement between the program and its own
/// hardware. Received bytes are reported unchanged (``ReaderFact/bytes(_:)``), and a setting's value is sent unchanged,
/// with any number.
///
/// Source: HiJackMgr.mm of its authors.
package struct HiJackDialect: ReaderDialect {
    package let family = "hijack"
    package let times: ReaderTimes
    package let waking: Duration?

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
    }

    /// No requests, as the protocol has no questions.
    package var identification: [ReaderRequest] { [] }

    /// The bytes of each received block.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        PacketFormat(greatestSize: PacketFormat.greatestBurst)
    }

    /// Always throws `unsupported`, as the protocol has no cards.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(
            .unsupported, "hijack carries plain bytes and has no swipes", remedy: "use the bytes that it reports")
    }

    /// Sends the setting's value, unchanged.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        [ReaderRequest("send \(setting.value.count) bytes", setting.value, isAnswered: false)]
    }

    /// Reports the bytes, unchanged.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        [.reported(.bytes(ReaderBytes(copying: frame)))]
    }
}

extension ReaderProfile {
    /// The known facts about HiJack.
    static let hijack = serialManchester(
        family: "hijack", "HiJack of the University of Michigan: a line for plain bytes",
        baud: ProfileEntry(
            "bits per second", .number(44_100 / 32), .documented, "HiJackMgr.mm: 32 samples of 44.1 kHz"),
        onesBefore: 100, onesAfter: 100, "HiJackMgr.mm, published by its authors")
}

extension ReaderFamily {
    static let hijack = ReaderFamily(
        "hijack", "HiJack on the audio jack, for plain bytes", [.audio], .documented,
        "the simulated reader, in sound and by its bytes",
        ["how long a reader takes to wake up", "the meaning of the bytes: the builder of the reader defines it"],
        [.hijack], HiJackDialect.init(profile:),
        sound: { profile throws(ReaderError) in try profile.serialManchesterSound() })
}
