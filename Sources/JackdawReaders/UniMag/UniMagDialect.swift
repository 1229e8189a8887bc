/// How ID TECH's readers on the audio jack are spoken to: as ``IDTechDialect`` has it, on power that is given for it.
///
/// Whoever hears the reader has to hand over one burst each time (``ReaderDemodulator``).
public struct UniMagDialect: ReaderDialect {
    /// The family.
    public let family = "unimag"
    /// How long things take: those of ID TECH's SDK.
    public let times: ReaderTimes
    /// It tells that it has power.
    public let hasPowerUp = true

    private let settings: IDTechDialect
    private let powerUpTexts: [[UInt8]]

    /// - Parameter profile: what is not public about these readers or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) where the profile does not do.
    public init(profile: ReaderProfile) throws(ReaderError) {
        times = try profile.times()
        settings = IDTechDialect(family: family, times: times, takesCommands: try profile.flag(.takesCommands))
        powerUpTexts = [Array(try profile.text(.powerUpText).utf8), Array(try profile.text(.firstPowerUpText).utf8)]
    }

    /// Its software and its number, where it can be asked.
    public var identification: [ReaderRequest] { settings.identification }

    /// Bursts, which the line keeps apart.
    public func format(awaiting request: ReaderRequest?) -> any FrameFormat {
        PacketFormat(greatestSize: ReaderDemodulator.greatestBurst)
    }

    /// Nothing: it reads cards while it has power.
    public func arming(for duration: Duration) -> [ReaderRequest] { [] }

    /// What asks something.
    public func asking(_ question: ReaderQuestion) throws(ReaderError) -> [ReaderRequest] {
        try settings.asking(question)
    }

    /// What sets something: the number is that of a function.
    public func setting(_ setting: ReaderSetting) throws(ReaderError) -> [ReaderRequest] {
        try settings.setting(setting)
    }

    /// What a burst means: that the reader has power, an answer, or a swipe.
    public func understand(_ burst: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        if Self.starts.contains(burst[0]) { return understand(frames: burst, answering: request) }
        // Swipes are reported to come behind a byte of flags, which say nothing that the swipe does not.
        if burst.count > 1, burst[1] == IDTechCommandFormat.startOfText {
            return understand(frames: burst.extracting(1...), answering: nil)
        }
        if let swipe = swipeInClear(burst) { return [.swipe(swipe)] }
        if isPowerUp(burst) { return [.poweredUp] }
        return Self.hasSentinel(burst)
            ? [.badSwipe("the frame of the swipe is damaged")] : [.unknown("\(burst.count) bytes that are no frame")]
    }

    /// Whether a burst tells that the reader has power. A text with sentinels is of a card, whatever else it holds.
    func isPowerUp(_ burst: Span<UInt8>) -> Bool {
        !Self.starts.contains(burst[0]) && !Self.hasSentinel(burst)
            && powerUpTexts.contains { !$0.isEmpty && burst.holds($0) }
    }

    private static func hasSentinel(_ burst: Span<UInt8>) -> Bool {
        burst.indices.contains { sentinels.contains(burst[$0]) }
    }

    /// What begins track 1, and 2 or 3.
    private static let sentinels = "%;+".utf8
    private static let endSentinel = UInt8(ascii: "?")
    /// The bit of the flags that says that the swipe is encrypted.
    private static let isEncrypted: UInt8 = 0x04

    /// A swipe as text, as readers without a key are reported to send it: flags, tracks with their sentinels, `0D`. Nil of
    /// anything else.
    func swipeInClear(_ burst: Span<UInt8>) -> ReaderSwipe? {
        guard burst.count > 3, burst[0] & Self.isEncrypted == 0, burst[burst.count - 1] == 0x0D else { return nil }
        var builder = ReaderSwipe.Builder()
        var start = 1
        var last = 0
        while start < burst.count - 1 {
            guard Self.sentinels.contains(burst[start]), last < 3,
                let end = (start..<burst.count - 1).first(where: { burst[$0] == Self.endSentinel })
            else { return nil }
            let number =
                burst[start] == UInt8(ascii: "%") ? 1 : burst[start] == UInt8(ascii: ";") ? max(2, last + 1) : 3
            guard number > last else { return nil }
            builder.add(.track(number), burst.extracting(start..<end + 1))
            last = number
            start = end + 1
        }
        builder.add(.frame, burst)
        return builder.finish(family: family, cipher: nil)
    }

    /// What begins a frame: `06`, `15`, `02`.
    static let starts = [
        IDTechAnswerFormat.acknowledge, IDTechAnswerFormat.refuse, IDTechCommandFormat.startOfText,
    ]

    /// A burst that is one frame or several, and nothing else.
    private func understand(frames burst: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        let format = settings.format(awaiting: request)
        var meanings: [ReaderMeaning] = []
        var start = 0
        while start < burst.count {
            let rest = burst.extracting(start...)
            switch format.measure(rest) {
            case .whole(let count), .unchecked(let count):
                meanings += settings.understand(rest.extracting(first: count), answering: request)
                start += count
            case .partial, .padding, .fault:
                // What is so long and answers nothing is a swipe: whoever has swiped has to do it again.
                guard request == nil, rest[0] == IDTechCommandFormat.startOfText else {
                    return [.unknown("\(burst.count) bytes that are no frame")]
                }
                return [.badSwipe("the frame of the swipe is damaged")]
            }
        }
        return meanings
    }
}

extension Span<UInt8> {
    /// Whether some bytes come in it one behind the other.
    fileprivate func holds(_ part: [UInt8]) -> Bool {
        guard part.count <= count else { return false }
        return (0...count - part.count).contains { start in part.indices.allSatisfy { self[start + $0] == part[$0] } }
    }
}
