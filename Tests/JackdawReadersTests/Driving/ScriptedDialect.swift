import JackdawReaders

/// A family made for tests: each frame is one letter that says what it means.
struct ScriptedDialect: ReaderDialect {
    let family = "scripted"
    var times = ReaderTimes()
    var hasPowerUp = true
    var waking: Duration?
    var isAlwaysArmed = false
    var poweringDown = [ReaderRequest("power down", Array("P".utf8))]
    var keepAlive: ReaderRequest?

    var identification: [ReaderRequest] { [ReaderRequest("identify", Array("I".utf8))] }

    func format(awaiting request: ReaderRequest?) -> any FrameFormat { LetterFormat() }

    func arming(for duration: Duration) -> [ReaderRequest] { [ReaderRequest("arm", Array("A".utf8))] }

    func disarming(after reason: DisarmReason) -> [ReaderRequest] { [ReaderRequest("disarm", Array("D".utf8))] }

    func asking(_ question: ReaderQuestion) -> [ReaderRequest] { [ReaderRequest("ask", Array("Q".utf8))] }

    func setting(_ setting: ReaderSetting) -> [ReaderRequest] { [ReaderRequest("set", Array("S".utf8))] }

    mutating func understand(_ frame: Span<UInt8>, answering request: ReaderRequest?) -> [ReaderMeaning] {
        switch frame[0] {
        case UInt8(ascii: "u"): [.poweredUp]
        case UInt8(ascii: "d"): [.done([.firmware("1.0")])]
        case UInt8(ascii: "r"): [.refused("no")]
        case UInt8(ascii: "m"): [.more]
        case UInt8(ascii: "w"): [.swipe(Self.swipe)]
        case UInt8(ascii: "b"): [.badSwipe("too fast")]
        case UInt8(ascii: "g"): [.gaveUp]
        case UInt8(ascii: "c"): [.card(.inserted)]
        case UInt8(ascii: "t"): [.reported(.status("well"))]
        case UInt8(ascii: "o"): [.poweringDown]
        default: [.unknown("what?")]
        }
    }

    private static var swipe: ReaderSwipe {
        var builder = ReaderSwipe.Builder()
        let track = Array(";4111111111111111=28121010000012345678?".utf8)
        builder.add(.track(2), track.span)
        return builder.finish(family: "scripted", cipher: nil)
    }
}

/// A small letter is a frame.
private struct LetterFormat: FrameFormat {
    private static let letters = UInt8(ascii: "a")...UInt8(ascii: "z")

    var greatestSize: Int { 1 }

    func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { Self.letters.contains(bytes[$0]) } }

    func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        Self.letters.contains(bytes[0]) ? .whole(1) : .fault(FrameFault(.start, at: 0, "no small letter"))
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] { [FrameField("letter", 0..<1, "it")] }
}
