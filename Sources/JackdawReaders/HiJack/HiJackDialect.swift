/// HiJack, which carries plain bytes: what they mean is agreed between the program and what it has built. What comes is told as
/// it is (``ReaderFact/bytes(_:)``), and a setting's value is sent as it is, whatever its number.
///
/// Source: HiJackMgr.mm of its authors.
package struct HiJackDialect: ReaderDialect {
    /// The family.
    package let family = "hijack"
    /// How long things take.
    package let times: ReaderTimes
    /// How long it takes to wake up.
    package let waking: Duration?

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    package init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        waking = try profile.waking()
    }

    /// Nothing: it has no questions.
    package var identification: [ReaderRequest] { [] }

    /// Bytes as they come.
    package func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        PacketFormat(greatestSize: PacketFormat.greatestBurst)
    }

    /// Nothing is known of cards.
    package func arming(for duration: Duration) throws(ReaderError) -> [ReaderRequest] {
        throw ReaderError(
            .unsupported, "hijack carries plain bytes, and knows of no cards", remedy: "take the bytes that it tells")
    }

    /// The value, as it is.
    package func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        [ReaderRequest("send \(setting.value.count) bytes", setting.value, isAnswered: false)]
    }

    /// Bytes, as they are.
    package func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        [.told(.bytes(ReaderBytes(copying: frame)))]
    }
}

extension ReaderProfile {
    /// What is known of HiJack.
    static let hijack = serialManchester(
        family: "hijack", "HiJack of the University of Michigan: a line for plain bytes",
        baud: ProfileEntry("bits a second", .number(44_100 / 32), .documented, "HiJackMgr.mm: 32 samples of 44.1 kHz"),
        onesBefore: 100, onesAfter: 100, "HiJackMgr.mm, published by its authors")
}
