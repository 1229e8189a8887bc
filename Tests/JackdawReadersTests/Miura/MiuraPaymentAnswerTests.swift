import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// Frames of payments that others have published: logs of readers in the issues of `paypal-here-sdk-ios-distribution` and
/// `paypal-here-sdk-android-distribution` (numbers at each), and the tests of Miura's SDK for Android.
enum PublishedMiuraFrames {
    /// `UnsolicitedMessageEventDispatcherTest.deviceStatus`, whole in its comment.
    static let pinAccepted = hex("01 40 14 E610 C30102 C406 50494E204F4B DFA1020102 9000 3D")
    /// iOS, 138: the first message after the link was opened.
    static let poweredOn = hex("01401AE616C30101C41144657669636520706F7765726564206F6E90006A")
    /// iOS, 138.
    static let cardPresent = hex("014008E10448020300900075")
    /// iOS, 254.
    static let noCard = hex("014008E10448020000900076")
    /// iOS, 254: the answer to P2PE STATUS.
    static let encryptionStatus = hex("010009E105DFAE01010690000B")
    /// iOS, 138 and 254.
    static let done = hex("010002900093")
    /// Android, 71: START TRANSACTION of 1.00 USD. Each length has five bytes.
    static let start = hex(
        """
        010046DED1000041E0840000003B9F418400000004000000009A84000000031606089F2184000000031913089C8400000001009F028400000006
        0000000001005F2A840000000208408A
        """)
    /// Android, 87: a declined payment by tap, in two frames. The values of the card and of the reader's serial number and
    /// keys are replaced by others of the same lengths, and the checks with them; tags, order, lengths and the division are
    /// those of the log.
    static let declined = [
        hex(
            """
            0101FEE582012050104465626974204D6173746572436172645F24033012315F280205285F2A0208405F340101820219808407A00000
            00041010950500000080009A031610269C01009F02060000000001009F03060000000000009F0607A00000000410109F090200029F10
            1A00000000000000000000000000000000000000000000000000009F12104445424954204D6173746572436172649F1A0208409F1C08
            00000000000000009F1E0800000000000000009F260800000000000000009F2701809F33030008089F34031F03029F3501229F360200
            009F370400000000DF280100DF30020201DFAE02200000000000000000000000000000000000000000A8
            """),
        hex("010028000000000000000000000000DFAE030A00000000000000000000DFAE5A08541333FFFFFF0011900078"),
    ]
    /// `UnsolicitedMessageEventDispatcherTest.cardStatus`, `.keyPressed` and `.printStatus`, without frames.
    static let cardWithTrack = hex("E104 4802 0302 9000")
    static let key = hex("E005 DFA205011B 9000")
    static let printer = hex("E605 DFA4010103 9000")
    /// `CardDataTest.valueOf_unsecured`, without a frame.
    static let swipe =
        hex("E1819E 48020007 5F2146")
        + Array("%B4761739001010010^VISA ACQUIRER TEST CARD 05^15122011143800575000000?".utf8)
        + hex("5F2225") + Array(";4761739001010010=15122011143857589?<".utf8) + hex("DFAE2225")
        + Array(";476173******0010=1512201**********?*".utf8) + hex("9000")
    /// `CardDataTest.valueOf_secured`, without a frame.
    static let encryptedSwipe =
        hex(
            """
            E181B7 48020007 DFAE0278 72212907C9B93D919511254CA428CE061009857EC1F129D3DE63CBF9F7D5452C36C961C881A11E84EF2F7D6C
            223C12CF2CC55A87AFC2D097F57D07BFF787A997CA5DB3E0FE46AF9C7C37580459EE6F6065CAD8E1BDACAE01B8ED4E06D232485F3B7A72C8
            8119E3DF27F3553284411FCC8DC25EFC8ECF4AFA DFAE030A00000200000055400182 DFAE2225
            """) + Array(";476173******0010=1512201**********?*".utf8) + hex("9000")
}

/// The answers and reports of readers in a payment.
@Suite struct MiuraPaymentAnswerTests {
    /// The message of frames that follow each other.
    private func message(_ frames: [UInt8]...) -> [UInt8] { frames.flatMap { $0.dropFirst(3).dropLast() } }

    @Test func publishedFramesAreWhole() {
        let answers = [
            PublishedMiuraFrames.pinAccepted, PublishedMiuraFrames.poweredOn, PublishedMiuraFrames.cardPresent,
            PublishedMiuraFrames.noCard, PublishedMiuraFrames.encryptionStatus, PublishedMiuraFrames.done,
            PublishedMiuraFrames.declined[0], PublishedMiuraFrames.declined[1],
        ]
        verify(MiuraFormat(.answer), frames: answers, garbage: [0, 0x10, 0x41, 0xFF])
        verify(MiuraFormat(.command), frames: [PublishedMiuraFrames.start], garbage: [0, 3, 0x90])
    }

    @Test func aDeclinedPaymentIsReadFromItsTwoFrames() throws {
        let message = message(PublishedMiuraFrames.declined[0], PublishedMiuraFrames.declined[1])
        guard case .declined(let objects) = MiuraPaymentAnswer(message.span) else {
            return #expect(Bool(false), "not declined")
        }
        #expect(objects.count == 31)
        #expect(objects[0x84] == hex("A0000000041010"))
        #expect(objects[0x95] == hex("0000008000"))
        #expect(objects[0x9F34] == hex("1F0302"))
        #expect(objects[0xDFAE02]?.count == 32)
        #expect(objects[0xDFAE5A] == hex("541333FFFFFF0011"))
    }

    @Test(arguments: [
        ("9000", "done"), ("E300 9000", "approved"), ("E400 9000", "online"), ("E500 9000", "declined"),
        ("E105 DFAE010106 9000", "other"), ("9F41", "refused 9F 41 cancelled"), ("9FFF", "refused 9F FF unknown"),
        ("6D00", "refused 6D 00 unknown"), ("E501 9000", "unreadable"), ("E4", "unreadable"), ("", "unreadable"),
        ("00 9000", "other"),
    ])
    func resultsAreTemplates(_ text: String, _ name: String) {
        let message = hex(text)
        #expect(MiuraPaymentAnswer(message.span).name == name)
    }

    /// Name and label as `parsePaymentAppDecision` reads them, in tests of a payment SDK with Miura's readers.
    @Test func applicationsToChooseFromAreListed() {
        let message = hex("E220 9F0607A0000000031010 500456495341 9F0607A0000000041010 9F0603A00001 9000")
        guard case .choice(let list) = MiuraPaymentAnswer(message.span) else { return #expect(Bool(false)) }
        #expect(list.map(\.name) == ["A0000000031010", "A0000000041010", "A00001"].map(hex))
        #expect(list.map(\.label) == ["VISA", nil, nil])
    }

    @Test(arguments: [
        ("9FE0", MiuraPINAnswer.noKey), ("9F0F", .invalidParameter), ("9000", .failed),
        ("08 9000", .cancelledOrTimedOut),
        ("0C 9000", .bypassed), ("09 9000", .failed), ("0A 9000", .failed), ("0B 9000", .failed), ("01 9000", .failed),
        ("DFAE0403010203 9000", .failed), ("", .failed),
        (
            "E11A DFAE04080102030405060708 DFAE050AFFFF9876543210E00001 9000",
            .entered(block: hex("0102030405060708"), keySerialNumber: hex("FFFF9876543210E00001"))
        ),
        ("DFAE040101 DFAE050102 9000", .entered(block: [1], keySerialNumber: [2])),
    ])
    func thePINOfASwipeIsRead(_ text: String, _ answer: MiuraPINAnswer) {
        let message = hex(text)
        #expect(MiuraPINAnswer(message.span) == answer)
    }

    @Test func publishedReportsAreRead() {
        func report(_ message: [UInt8]) -> MiuraReport { MiuraReport(message.span) }
        guard case .device(0x02, .status(2)) = report(message(PublishedMiuraFrames.pinAccepted)) else {
            return #expect(Bool(false), "PIN")
        }
        guard case .device(0x01, nil) = report(message(PublishedMiuraFrames.poweredOn)) else {
            return #expect(Bool(false), "powered on")
        }
        for (message, isPresent) in [
            (message(PublishedMiuraFrames.cardPresent), true), (message(PublishedMiuraFrames.noCard), false),
        ] {
            guard case .card(let card) = report(message) else { return #expect(Bool(false), "card") }
            #expect(card.isPresent == isPresent && card.isCompatible == isPresent && !card.isSwipe)
        }
        guard case .other = report(PublishedMiuraFrames.key), case .other = report(PublishedMiuraFrames.printer) else {
            return #expect(Bool(false), "other")
        }
        for swipe in [PublishedMiuraFrames.swipe, PublishedMiuraFrames.encryptedSwipe] {
            guard case .card(let card) = report(swipe) else { return #expect(Bool(false), "swipe") }
            #expect(card.isSwipe && card.swipe?.hasChip == true && !card.isPresent)
            #expect(card.swipe?.maskedNumber == "476173******0010")
        }
        // The byte of the stripe names track 1, and no data is there.
        guard case .card(let card) = report(PublishedMiuraFrames.cardWithTrack) else { return #expect(Bool(false)) }
        #expect(card.isPresent && card.isCompatible && !card.isSwipe)
    }

    /// Its tag says template, and its value is none.
    @Test func anAnswerToResetIsNoTemplate() {
        let message = hex("E109 48020300 63033B65FF 9000")
        guard case .card(let card) = MiuraReport(message.span) else { return #expect(Bool(false)) }
        #expect(card.isPresent)
        let dialect = MiuraDialect()
        let frames = (try? MiuraFormat.answer(message, isUnsolicited: true)) ?? []
        let meanings = frames.flatMap { dialect.understand($0.span, answering: nil) }
        guard case .card(.inserted)? = meanings.first else { return #expect(Bool(false), "\(meanings)") }
    }

    @Test(arguments: ["E1", "E105 4802", "", "90"]) func otherReportsAreUnreadable(_ text: String) {
        let message = hex(text)
        guard case .unreadable = MiuraReport(message.span) else { return #expect(Bool(false)) }
    }
}

extension MiuraPaymentAnswer {
    fileprivate var name: String {
        switch self {
        case .done: "done"
        case .choice: "choice"
        case .approved: "approved"
        case .online: "online"
        case .declined: "declined"
        case .other: "other"
        case .refused(let status): "refused \(status)"
        case .unreadable: "unreadable"
        }
    }
}
