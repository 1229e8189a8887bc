@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// A payment at a reader that a test plays: messages of the reader go in, and commands and events come out.
struct MiuraPaymentBench: ~Copyable {
    var payment: MiuraPayment
    var now = Duration.zero
    /// The APDUs of the commands, and the names of the events with the effects that they answer.
    private(set) var log: [String] = []
    /// The causes of failures.
    private(set) var troubles: [ReaderTrouble] = []
    private var next = 0

    init(_ settings: MiuraPaymentSettings = MiuraPaymentSettings()) throws {
        payment = MiuraPayment(try miuraTransaction(), settings)
    }

    /// Carries out an action, whose effect has the next number.
    mutating func carryOut(_ action: PaymentAction, host: HostResponse? = nil, isTapAllowed: Bool = false) {
        next += 1
        take(
            payment.carryOut(
                PaymentEffect(identifier: next, action: action), host: host, isTapAllowed: isTapAllowed, at: now))
    }

    /// Sends an answer of the reader, in digits and with its status.
    mutating func answer(_ message: String) throws { try send(hex(message)) }

    /// Sends a report of the reader, in digits and with its status.
    mutating func report(_ message: String) throws { try send(hex(message), isUnsolicited: true) }

    mutating func send(_ message: [UInt8], isUnsolicited: Bool = false) throws {
        for frame in try MiuraFormat.answer(message, isUnsolicited: isUnsolicited) { receive(frame) }
    }

    mutating func receive(_ bytes: [UInt8]) { take(payment.receive(bytes.span, at: now)) }

    mutating func choose(_ index: Int) { take(payment.choose(index, at: now)) }

    mutating func lose() { take(payment.lose()) }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) {
        now += duration
        take(payment.advance(to: now))
    }

    /// Returns what happened since the last call.
    mutating func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    private mutating func take(_ outputs: [MiuraPayment.Output]) {
        for output in outputs {
            switch output {
            case .send(let bytes): log.append("> " + hexadecimal(bytes.dropFirst(3).dropLast()))
            case .event(let event, let identifier): log.append(event.rawValue + (identifier.map { " \($0)" } ?? ""))
            case .trouble(let trouble): troubles.append(trouble)
            case .note, .power: break
            }
        }
    }

    /// Prepares the reader, and inserts a card: the effects 1, 2 and 3.
    mutating func insertCard() throws {
        carryOut(.prepare)
        try answer("9000")
        try answer("E100 9000")
        carryOut(.acceptCard)
        try report("E104 4802 0000 9000")
        try report("E104 4802 0300 9000")
        carryOut(.processCard)
        log = []
    }
}

private let start = "> DED1000028E0269C01009F02060000000004569A032607289F2103121530DFA2040101DFA20301005F2A020826"
private let abort = "> D0FF0000"

/// The machine of payments at Miura's readers: its commands and events.
@Suite struct MiuraPaymentTests {
    @Test func aReaderIsPrepared() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        #expect(bench.takeLog() == [abort])
        try bench.answer("9000")
        #expect(bench.takeLog() == ["> D0000000"])
        try bench.answer("E10B9F1E083034303030323033 9000")
        #expect(bench.takeLog() == ["prepare_ok 1"])
    }

    /// A payment of an earlier program, which ABORT ends: its result is none of RESET.
    @Test func whatAnEarlierPaymentStillSendsDoesNotCount() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        try bench.answer("E400 9000")
        try bench.answer("9000")
        try bench.answer("9F41")
        #expect(bench.takeLog() == [abort, "> D0000000"])
        try bench.answer("9000")
        #expect(bench.takeLog() == ["prepare_ok 1"])
    }

    @Test func aReaderThatRefusesOrIsSilentIsNotPrepared() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9F22")
        #expect(bench.takeLog().last == "prepare_fail 1")
        var silent = try MiuraPaymentBench()
        silent.carryOut(.prepare)
        // No answer to ABORT, and none to RESET.
        silent.wait(.seconds(4))
        #expect(silent.takeLog() == [abort, "> D0000000"])
        silent.wait(.seconds(4))
        #expect(silent.takeLog() == ["prepare_fail 1"])
        #expect(silent.payment.nextDeadline == nil)
        #expect(silent.troubles == [.unanswered])
    }

    /// Source of the statuses: Miura's SDK for Android.
    @Test(arguments: [
        ("9FCF", ReaderTrouble.damaged as ReaderTrouble?), ("9FE0", .keyMissing), ("9F2A", .fileMissing),
        ("9F26", .busy), ("9F21", .dataRefused), ("9F27", .dataRefused), ("9F22", nil),
    ])
    func aStatusHasItsCause(_ status: String, _ trouble: ReaderTrouble?) throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer(status)
        #expect(bench.takeLog().last == "prepare_fail 1")
        var other = try MiuraPaymentBench()
        try other.insertCard()
        try other.answer(status)
        #expect(other.takeLog() == ["kernel_error"])
        var late = try MiuraPaymentBench()
        try late.insertCard()
        try late.answer("E400 9000")
        late.carryOut(.completeCard(.declined))
        try late.answer(status)
        #expect(late.takeLog().last == "kernel_error")
        for troubles in [bench.troubles, other.troubles, late.troubles] {
            #expect(troubles == [trouble].compactMap(\.self))
        }
    }

    /// The battery of a published answer has DFA209 and DFA20A.
    @Test(arguments: [
        ("E10A DFA20901 00 DFA20A01 14 9000", true), ("E10A DFA20901 00 DFA20A01 13 9000", false),
        // It is being charged.
        ("E10A DFA20901 01 DFA20A01 13 9000", true), ("E105 DFA20A01 13 9000", false), ("9000", true), ("6D00", true),
    ])
    func aReaderNeedsTheLeastCharge(_ answer: String, _ isReady: Bool) throws {
        var settings = MiuraPaymentSettings()
        #expect(settings.leastBattery == 0)
        settings.leastBattery = 20
        var bench = try MiuraPaymentBench(settings)
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9000")
        #expect(bench.takeLog() == [abort, "> D0000000", "> D0620000"])
        try bench.answer(answer)
        #expect(bench.takeLog() == [isReady ? "prepare_ok 1" : "prepare_fail 1"])
        #expect(bench.troubles == (isReady ? [] : [.batteryEmpty]))
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func aReaderThatIsSilentAboutItsBatteryIsNotPrepared() throws {
        var settings = MiuraPaymentSettings()
        settings.leastBattery = 20
        var bench = try MiuraPaymentBench(settings)
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9000")
        bench.wait(.seconds(4))
        #expect(bench.takeLog().last == "prepare_fail 1")
        // A refused or silent RESET is not followed by the question.
        for answer in ["9F22", nil] {
            var other = try MiuraPaymentBench(settings)
            other.carryOut(.prepare)
            try other.answer("9000")
            if let answer { try other.answer(answer) } else { other.wait(.seconds(4)) }
            #expect(other.takeLog() == [abort, "> D0000000", "prepare_fail 1"])
        }
    }

    @Test func aCardIsInsertedAndPaysOnline() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9000")
        _ = bench.takeLog()
        bench.carryOut(.acceptCard)
        #expect(bench.takeLog() == ["> D0601D00"])
        bench.receive(PublishedMiuraFrames.noCard)
        #expect(bench.takeLog() == [])
        bench.receive(PublishedMiuraFrames.cardPresent)
        #expect(bench.takeLog() == ["insert 2"])
        // The same report again is not another card.
        bench.receive(PublishedMiuraFrames.cardPresent)
        #expect(bench.takeLog() == [])
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == [start])
        try bench.answer("E409 82023C00 9F3602002A 9000")
        #expect(bench.takeLog() == ["ac1_arqc 3"])
        #expect(bench.payment.objects[0x9F36] == hex("002A"))
        bench.carryOut(.askHost)
        let code = try #require(AuthorisationResponseCode(Array("00".utf8)))
        let host = HostResponse(isApproved: true, responseCode: code, authenticationData: hex("0102030405060708"))
        bench.carryOut(.completeCard(.approved), host: host)
        #expect(bench.takeLog() == ["> DED2000010E00E8A023030" + "91080102030405060708"])
        try bench.answer("E306 9F270140 9500 9000")
        #expect(bench.takeLog() == ["ac2_tc 5"])
        // The objects of both results.
        #expect(bench.payment.objects.tags == [0x82, 0x95, 0x9F27, 0x9F36])
        bench.carryOut(.storeRecord)
        bench.carryOut(.prompt(.removeCard))
        bench.carryOut(.end(.approved))
        #expect(bench.takeLog() == ["> D20100010F" + hexadecimal("Remove the card".utf8), "> D0600000"])
        try bench.answer("9000")
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test(arguments: [
        (HostKnowledge.declined, nil as String?, "Z1"), (.unreachable, nil, "Z3"), (.unknown, nil, "Z1"),
        (.declined, "05", "05"), (.unknown, "00", "Z1"), (.unreachable, "00", "Z3"),
    ])
    func otherAnswersOfTheHostHaveAResponseCode(
        _ knowledge: HostKnowledge, _ host: String?, _ code: String
    ) throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer("E400 9000")
        _ = bench.takeLog()
        let response = host.flatMap { AuthorisationResponseCode(Array($0.utf8)) }.map {
            HostResponse(isApproved: false, responseCode: $0)
        }
        bench.carryOut(.completeCard(knowledge), host: response)
        #expect(bench.takeLog() == ["> DED2000006E0048A02" + hexadecimal(code.utf8)])
        try bench.answer("E500 9000")
        #expect(bench.takeLog() == ["ac2_aac 4"])
    }

    @Test(arguments: [
        ("E300 9000", "ac1_tc 3"), ("E306 9F3403 1E0300 9000", "ac1_tc_sig 3"),
        ("E306 9F3403 1F0302 9000", "ac1_tc 3"), ("E306 9F3403 030300 9000", "ac1_tc_sig 3"),
        ("E306 9F3403 1E0301 9000", "ac1_tc 3"), ("E500 9000", "ac1_aac 3"), ("E400 9000", "ac1_arqc 3"),
        ("E100 9000", "kernel_error"), ("E4 9000", "kernel_error"), ("9F23", "card_removed"),
        ("9F25", "card_blocked 3"), ("9F28", "no_common_app 3"), ("9F30", "chip_unreadable 3"),
        ("9F40", "kernel_error"),
        ("9F41", "cancel"), ("9F21", "kernel_error"), ("9F22", "kernel_error"), ("9F26", "kernel_error"),
        ("9F27", "kernel_error"), ("9F2A", "kernel_error"), ("9FE0", "kernel_error"), ("9FFF", "kernel_error"),
        ("6D00", "kernel_error"),
    ])
    func theResultOfTheKernelIsAnEvent(_ message: String, _ event: String) throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer(message)
        #expect(bench.takeLog() == [event])
    }

    @Test(arguments: [
        ("E300 9000", "ac2_tc 4"), ("E306 9F3403 1E0300 9000", "ac2_tc_sig 4"), ("E500 9000", "ac2_aac 4"),
        ("E400 9000", "kernel_error"), ("9F23", "card_removed"), ("9F41", "kernel_error"), ("9F30", "kernel_error"),
    ])
    func theSecondResultIsAnEvent(_ message: String, _ event: String) throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer("E400 9000")
        bench.carryOut(.completeCard(.unreachable))
        _ = bench.takeLog()
        try bench.answer(message)
        #expect(bench.takeLog() == [event])
    }

    /// The log of Android, 71: success without data while START TRANSACTION waits. The answer to an earlier command.
    @Test func successWithoutDataIsNoResult() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.receive(PublishedMiuraFrames.done)
        #expect(bench.takeLog() == [])
        for frame in PublishedMiuraFrames.declined { bench.receive(frame) }
        #expect(bench.takeLog() == ["ac1_aac 3"])
    }

    @Test func theHostChoosesAnApplication() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer("E214 9F0607A0000000031010 9F0607A0000000041010 9000")
        #expect(bench.takeLog() == ["app_list 3"])
        bench.carryOut(.chooseApplication)
        bench.choose(2)
        #expect(bench.takeLog() == ["app_choice_invalid 4"])
        bench.choose(1)
        #expect(bench.takeLog() == ["app_chosen 4"])
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == ["> DED200000CE00A9F0607A0000000041010"])
        try bench.answer("E400 9000")
        #expect(bench.takeLog() == ["ac1_arqc 5"])
    }

    // MARK: the PIN

    @Test func theEntryOfAPINIsReported() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.report("E60A C30102 C400 DFA1010100 9000")
        #expect(bench.takeLog() == ["pin_prompt 3"])
        try bench.report("E60A C30102 C400 DFA2010101 9000")
        try bench.report("E60A C30102 C400 DFA1020101 9000")
        #expect(bench.takeLog() == ["pin_wrong 3"])
        bench.receive(PublishedMiuraFrames.pinAccepted)
        #expect(bench.takeLog() == ["pin_ok 3"])
        try bench.answer("E400 9000")
        #expect(bench.takeLog() == ["ac1_arqc 3"])
    }

    /// If the reader does not report the end of the entry, the TVR says it (EMV Book 3, annex C5).
    @Test(arguments: [
        ("E400 9000", "pin_ok 3"), ("E407 9505 0000000000 9000", "pin_ok 3"),
        ("E407 9505 0000200000 9000", "pin_tries_exceeded 3"), ("E407 9505 0000080000 9000", "pin_bypassed 3"),
    ])
    func theResultEndsTheEntryOfAPIN(_ message: String, _ event: String) throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.report("E603 C30102 9000")
        try bench.answer(message)
        #expect(bench.takeLog() == ["pin_prompt 3", event, "ac1_arqc 3"])
    }

    @Test func theCancelKeyAtThePINPadEndsThePayment() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.report("E603 C30102 9000")
        try bench.answer("9F41")
        #expect(bench.takeLog() == ["pin_prompt 3", "pin_cancelled 3"])
    }

    // MARK: the card

    @Test func aCardThatGoesIsReported() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer("E400 9000")
        bench.receive(PublishedMiuraFrames.noCard)
        #expect(bench.takeLog() == ["ac1_arqc 3", "card_removed"])
    }

    /// The chip of the card does not answer: the kernel is not asked.
    @Test func aCardWithoutAChipThatAnswersIsUnreadable() throws {
        var bench = try MiuraPaymentBench()
        bench.carryOut(.prepare)
        try bench.answer("9000")
        try bench.answer("9000")
        bench.carryOut(.acceptCard)
        try bench.report("E104 4802 0100 9000")
        bench.carryOut(.processCard)
        #expect(bench.takeLog().suffix(2) == ["insert 2", "chip_unreadable 3"])
        // The card must leave the slot before it is tried again.
        bench.carryOut(.acceptCard)
        try bench.report("E104 4802 0100 9000")
        #expect(bench.takeLog() == [])
        bench.receive(PublishedMiuraFrames.noCard)
        bench.receive(PublishedMiuraFrames.cardPresent)
        #expect(bench.takeLog() == ["insert 4"])
    }

    @Test func swipesAreEvents() throws {
        for (message, event) in [
            (PublishedMiuraFrames.swipe, "swipe_chip_card 2"),
            (PublishedMiuraFrames.encryptedSwipe, "swipe_chip_card 2"),
            (hex("E104 4802 0001 9000"), "swipe_bad 2"),
            (
                hex("E11F 48020003 5F2218") + Array(";4111111111111111=2812101?".utf8.prefix(24)) + hex("9000"),
                "swipe_plain 2"
            ),
        ] {
            var bench = try MiuraPaymentBench()
            bench.carryOut(.prepare)
            try bench.answer("9000")
            try bench.answer("9000")
            bench.carryOut(.acceptCard)
            _ = bench.takeLog()
            try bench.send(message, isUnsolicited: true)
            #expect(bench.takeLog() == [event])
            #expect((bench.payment.swipe == nil) == (event == "swipe_bad 2"))
        }
    }

    // MARK: ABORT

    /// The reader answers ABORT first, and then the payment (`MpiClientMTAbort`).
    @Test func aPaymentIsAborted() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.carryOut(.stopReader)
        #expect(bench.takeLog() == [abort, "> D0600000"])
        bench.carryOut(.end(.cancelled))
        try bench.answer("9000")
        try bench.answer("9F41")
        #expect(bench.takeLog() == [])
        #expect(bench.payment.nextDeadline == nil)
    }

    /// The race of `MpiClientMTAbort`: the result was on its way when ABORT was sent.
    @Test func aResultBeforeTheAnswerToAbortDoesNotCount() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.carryOut(.stopReader)
        try bench.answer("E400 9000")
        try bench.answer("9000")
        #expect(bench.takeLog() == [abort, "> D0600000"])
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func aReaderThatWaitsForTheIssuerIsAborted() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        try bench.answer("E400 9000")
        _ = bench.takeLog()
        // The host approved, and the card was gone.
        bench.carryOut(.end(.failedAutoReversed))
        #expect(bench.takeLog() == ["> D0600000", abort])
        try bench.answer("9000")
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func anAbortWithoutAnAnswerIsGivenUp() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.carryOut(.stopReader)
        bench.carryOut(.prompt(.removeCard))
        _ = bench.takeLog()
        bench.wait(.seconds(4))
        #expect(bench.takeLog() == ["> D20100010F" + hexadecimal("Remove the card".utf8)])
    }

    @Test func aReaderThatRestartsHasLostThePayment() throws {
        for report in ["E603 C3010A 9000", "E603 C3010B 9000", "E603 C3010C 9000"] {
            var bench = try MiuraPaymentBench()
            try bench.insertCard()
            try bench.report(report)
            #expect(bench.takeLog() == ["link_lost"])
        }
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.receive(PublishedMiuraFrames.poweredOn)
        #expect(bench.takeLog() == ["link_lost"])
        // A reader sends the same after each opening of a link.
        var new = try MiuraPaymentBench()
        new.receive(PublishedMiuraFrames.poweredOn)
        #expect(new.takeLog() == [])
    }

    @Test func theLossOfTheLinkIsAnEvent() throws {
        var bench = try MiuraPaymentBench()
        try bench.insertCard()
        bench.receive([0x01, 0x00])
        bench.lose()
        #expect(bench.takeLog() == ["link_lost"])
        #expect(bench.payment.nextDeadline == nil)
    }
}
