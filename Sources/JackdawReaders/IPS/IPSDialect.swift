/// How IPS's readers are taken to be spoken to, from an OEM's sample code: they are woken with one byte, and send swipes.
public struct IPSDialect: ReaderDialect {
    /// The family.
    public let family = "ips"
    /// How long things take.
    public let times: ReaderTimes
    /// It has a battery, and reads cards from the start.
    public let isAlwaysArmed = true
    /// Where the fields of a swipe lie.
    let layout: IPSLayout
    private let wake: [UInt8]
    /// The second byte of the answer to it; nil where that is not waited for.
    private let wakeAnswer: UInt8?

    /// - Parameters:
    ///   - times: how long things take.
    ///   - layout: where the fields of a swipe lie.
    public init(times: ReaderTimes = ReaderTimes(), layout: IPSLayout = IPSLayout()) {
        self.times = times
        self.layout = layout
        wake = IPSFormat.wake
        wakeAnswer = nil
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        layout = try profile.ipsLayout()
        wake = try profile.bytes(.ipsWake, count: 1...64)
        wakeAnswer = try profile.flag(.ipsAnswersWake) ? try profile.bytes(.ipsWakeAnswer, count: 1...1)[0] : nil
    }

    /// To be woken: of what it answers to `0C` one byte only is known, so that it is waited for by those alone who want it.
    public var identification: [ReaderRequest] { [ReaderRequest("wake up", wake, isAnswered: wakeAnswer != nil)] }

    /// Swipes; where the answer to being woken is awaited, whatever comes at once.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        request == nil ? IPSFormat(layout) : PacketFormat()
    }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if request != nil {
            guard frame.count > 1, frame[1] == wakeAnswer else { return [.unknown("no answer to being woken")] }
            return [.done()]
        }
        guard let layout = try? IPSSwipe(frame, layout) else { return [.badSwipe("the reader did not read it")] }
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
