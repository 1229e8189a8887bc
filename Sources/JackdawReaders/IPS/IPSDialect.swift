/// How IPS's readers are taken to be spoken to, from an OEM's sample code: they are woken with one byte, and send swipes.
public struct IPSDialect: ReaderDialect {
    /// The family.
    public let family = "ips"
    /// How long things take.
    public let times: ReaderTimes
    /// It has a battery, and reads cards from the start.
    public let isAlwaysArmed = true

    /// - Parameter times: how long things take.
    public init(times: ReaderTimes = ReaderTimes()) { self.times = times }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) { self.init(times: try profile.times()) }

    /// Nothing: what it answers to `0C` is known by one byte only.
    public var identification: [ReaderRequest] { [ReaderRequest("wake up", IPSFormat.wake, isAnswered: false)] }

    /// Swipes of 131 bytes.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat { IPSFormat() }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        guard let layout = try? IPSSwipe(frame) else { return [.badSwipe("the reader did not read it")] }
        var builder = ReaderSwipe.Builder()
        let digits = [layout.issuer, layout.lastDigits].map { frame.extracting($0).digits }
        let stars = layout.accountNumberCount - digits[0].count - digits[1].count
        if stars > 0 {
            let number = Array((digits[0] + String(repeating: "*", count: stars) + digits[1]).utf8)
            builder.add(.maskedNumber, number.span)
        }
        // In clear it is packed as it is encrypted.
        let isInClear = layout.keyManagement == .plain
        builder.add(isInClear ? .packedTracks : .encryptedTracks, frame.extracting(layout.encrypted))
        builder.add(.keySerialNumber, frame.extracting(layout.keySerialNumber))
        builder.add(.frame, frame)
        return [.swipe(builder.finish(family: family, cipher: isInClear ? nil : .tripleDESBlocks))]
    }
}
