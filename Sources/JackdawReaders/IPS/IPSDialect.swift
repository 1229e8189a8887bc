/// How IPS's readers are taken to be spoken to, from an OEM's sample code: they are woken with one byte, and send swipes.
public struct IPSDialect: ReaderDialect {
    /// The family.
    public let family: String
    /// How long things take.
    public let times: ReaderTimes
    /// It has a battery, and reads cards from the start.
    public let isAlwaysArmed = true
    /// Where the fields of a swipe lie.
    let layout: IPSLayout
    private let wake: [UInt8]
    /// What its answer to that is known by; nil where it is not waited for.
    let answer: IPSAnswerFormat?

    /// - Parameters:
    ///   - family: the family.
    ///   - times: how long things take.
    ///   - layout: where the fields of a swipe lie.
    public init(family: String = "ips", times: ReaderTimes = ReaderTimes(), layout: IPSLayout = IPSLayout()) {
        self.family = family
        self.times = times
        self.layout = layout
        wake = IPSFormat.wake
        answer = nil
    }

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        // All that are missing are told at once.
        try profile.require([.ipsSwipe, .ipsFailure, .ipsWake, .ipsAnswersWake] + IPSLayout.places.map(\.key))
        family = profile.family
        times = try profile.times()
        layout = try profile.ipsLayout()
        wake = try profile.bytes(.ipsWake, count: 1...64)
        answer = try profile.ipsAnswer(layout)
    }

    /// To be woken: of what it answers one byte only is known, so that it is waited for by those alone who want it.
    public var identification: [ReaderRequest] { [ReaderRequest("wake up", wake, isAnswered: answer != nil)] }

    /// Swipes; where the answer to being woken is awaited, that, too.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        if let answer, request != nil { answer } else { IPSFormat(layout) }
    }

    /// Nothing: it reads cards at any time.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What a frame means.
    public func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if let answer, request != nil {
            if answer.isAnswer(frame) { return [.done()] }
            guard (try? IPSFormat(layout).check(frame)) != nil else { return [.unknown("no answer to being woken")] }
        }
        guard let layout = try? IPSSwipe(frame, layout) else { return [.badSwipe("the reader did not read it")] }
        var builder = ReaderSwipe.Builder()
        let digits = [layout.issuer, layout.lastDigits].map { frame.extracting($0).digits }
        let stars = layout.accountNumberCount - digits[0].count - digits[1].count
        if stars > 0 {
            let number = Array((digits[0] + String(repeating: "*", count: stars) + digits[1]).utf8)
            builder.add(.maskedNumber, number.span)
        }
        builder.add(.expiry, frame.extracting(layout.expiry))
        builder.add(.cardholderName, frame.extracting(layout.name))
        // In clear it is packed as it is encrypted.
        let isInClear = layout.keyManagement == .plain
        builder.add(isInClear ? .packedTracks : .encryptedTracks, frame.extracting(layout.encrypted))
        builder.add(.keySerialNumber, frame.extracting(layout.keySerialNumber))
        builder.add(.frame, frame)
        return [.swipe(builder.finish(family: family, cipher: isInClear ? nil : .tripleDESBlocks))]
    }
}
