import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

/// The messages of payments at an EMVSwiper. No bytes of them are published: the wire is invented, and written here by
/// hand from its description in docs/readers/bbpos.md, with the numbers of the simulated profile.
@Suite struct BBPOSPaymentWireTests {
    /// The number of a message in the simulated profile.
    private func number(_ message: BBPOSMessage) throws -> UInt8 {
        let profile = try #require(ReaderFamily.named("bbpos")).simulatedProfile
        return UInt8(try profile.integer(message.key, in: 0...255))
    }

    private func frame(_ message: BBPOSMessage, _ data: [UInt8]) throws -> [UInt8] {
        try LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [3])
        ).frame([number(message)] + data)
    }

    private static let times = BBPOSTransactionTimes(
        card: .seconds(1), application: .seconds(2), amount: .seconds(3), pin: .seconds(4), confirmation: .seconds(5),
        issuer: .seconds(300))

    private static let settings: BBPOSTransactionSettings = {
        var settings = BBPOSTransactionSettings()
        settings.time = "260728121530"
        return settings
    }()

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The calls of a payment, and the data that each has on the wire.
    private static let calls: [(BBPOSCall, BBPOSMessage, [UInt8])] = [
        (.getDeviceInfo, .getDeviceInfo, []),
        (.checkCard(.swipeOrInsert, within: .seconds(10)), .checkCard, text("\u{A}SWIPE_OR_INSERT")),
        (.cancelCheckCard, .cancelCheckCard, []),
        (.startEMV(times, forcesOnline: true, settings), .startEmv, hex("0102030405FF01 323630373238313231353330")),
        (.selectApplication(1), .selectApplication, [1]), (.cancelSelectApplication, .cancelSelectApplication, []),
        (
            .setAmount(456, cashback: 12, currency: 826, .cashback), .setAmount,
            hex("000000000456 000000000012 0826 434153484241434B")
        ),
        (.cancelSetAmount, .cancelSetAmount, []), (.pinWasEntered, .sendPinEntryResult, []),
        (.bypassPINEntry, .bypassPinEntry, []), (.cancelPINEntry, .cancelPinEntry, []),
        (.sendIdentity(isRight: false), .sendVerifyIDResult, [0]),
        (.sendConfirmation(true), .sendFinalConfirmResult, [1]),
        (.sendConnectivity(false), .sendServerConnectivity, [0]),
        // The answers of the samples: the issuer accepts; it could not be reached.
        (.sendIssuerAnswer(hex("8A023030")), .sendOnlineProcessResult, hex("018A023030")),
        (.sendIssuerAnswer(nil), .sendOnlineProcessResult, [0]),
        (.sendTime("260728121530"), .sendTerminalTime, text("260728121530")),
        (.sendReferral(isApproved: true), .sendReferProcessResult, text("APPROVED")),
        (.sendReferral(isApproved: false), .sendReferProcessResult, text("DECLINED")),
        (.cancelReferral, .cancelReferProcess, []),
    ]

    @Test func callsAreWrittenAsDescribed() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (call, message, data) in Self.calls {
            let expected = try frame(message, data)
            #expect(wire.frame(call) == expected, "\(call)")
        }
    }

    @Test func callsAreReadAsTheyWereWritten() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (call, message, _) in Self.calls {
            let frame = wire.frame(call)
            // A limit has one byte.
            if message == .startEmv {
                #expect(wire.call(frame.span).map { wire.frame($0) } == frame)
            } else {
                #expect(wire.call(frame.span) == call)
            }
            #expect(wire.report(frame.span).map { "\($0)" } == nil)
        }
    }

    /// The reports of a payment, and the data that each has on the wire.
    private static let reports: [(BBPOSReport, BBPOSMessage, [UInt8])] = [
        (.deviceInfo(["b": "80", "a": ""]), .onReturnDeviceInfo, text("\u{1}a\u{0}\u{1}b\u{2}80")),
        (.battery(.criticallyLow), .onBatteryLow, text("CRITICALLY_LOW")),
        (.failed(.deviceBusy), .onError, text("DEVICE_BUSY")), (.waitingForCard, .onWaitingForCard, []),
        (.card(.chip, nil), .onReturnCheckCardResult, text("\u{3}ICC")),
        (
            .card(.track2Only, bbposSwipe(";1=2?")), .onReturnCheckCardResult,
            text("\u{B}TRACK2_ONLY\u{0}\u{5};1=2?\u{0}")
        ),
        (.started(true), .onReturnStartEmvResult, text("SUCCESS")),
        (.started(false), .onReturnStartEmvResult, text("FAIL")),
        (
            .request(.application(["VISA", "GIROCARD"]), nil), .onRequestSelectApplication,
            text("\u{4}VISA\u{8}GIROCARD")
        ),
        (.request(.amount, nil), .onRequestSetAmount, []), (.request(.pin, nil), .onRequestPinEntry, []),
        (.request(.identity, ReaderBytes("9F620100")), .onRequestVerifyID, hex("9F620100")),
        (.request(.confirmation, nil), .onRequestFinalConfirm, []),
        (.request(.connectivity, nil), .onRequestCheckServerConnectivity, []),
        (.request(.issuer, ReaderBytes("9F270180")), .onRequestOnlineProcess, hex("9F270180")),
        (.request(.time, nil), .onRequestTerminalTime, []), (.request(.referral, nil), .onRequestReferProcess, []),
        (.display(.pinIsRight), .onRequestDisplayText, text("PIN_OK")), (.display(nil), .onRequestClearDisplay, []),
        (.batchData(ReaderBytes("9F270140")), .onReturnBatchData, hex("9F270140")),
        (.reversalData(ReaderBytes("9F270100")), .onReturnReversalData, hex("9F270100")),
        (.transactionEnded(.cardRemoved), .onReturnTransactionResult, text("ICC_CARD_REMOVED")),
    ]

    @Test func reportsAreWrittenAsDescribed() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (report, message, data) in Self.reports {
            let expected = try frame(message, data)
            #expect(wire.frame(report) == expected, "\(report)")
        }
    }

    @Test func reportsAreReadAsTheyWereWritten() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (report, _, _) in Self.reports {
            let frame = wire.frame(report)
            #expect(wire.report(frame.span).map { wire.frame($0) } == frame, "\(report)")
            #expect(wire.report(frame.span).map { "\($0)" } == "\(report)")
            #expect(wire.call(frame.span) == nil)
        }
    }

    private static let bad: [(BBPOSMessage, [UInt8])] = [
        (.getDeviceInfo, [0]), (.checkCard, []), (.checkCard, text("\u{A}SLOT")), (.startEmv, [1, 2, 3, 4, 5, 6]),
        (.startEmv, [1, 2, 3, 4, 5, 6, 2]), (.selectApplication, []),
        (.setAmount, hex("000000000456 000000000012 0826")),
        (.setAmount, hex("00000000045A 000000000012 0826 474F4F4453")), (.sendFinalConfirmResult, [2]),
        (.sendServerConnectivity, []), (.sendOnlineProcessResult, []), (.sendOnlineProcessResult, [0, 1]),
        (.sendReferProcessResult, text("TERMINATED")), (.sendTerminalTime, [0xFF]), (.onReturnDeviceInfo, [1, 0x61]),
        (.onReturnDeviceInfo, [2, 0x61]), (.onBatteryLow, []), (.onError, text("NO")),
        (.onReturnCheckCardResult, []), (.onReturnCheckCardResult, [4, 0x49]), (.onReturnStartEmvResult, []),
        (.onRequestSelectApplication, []), (.onRequestSelectApplication, [9, 1]), (.onRequestSetAmount, [0]),
        (.onRequestDisplayText, text("HELLO")), (.onRequestClearDisplay, [0]), (.onReturnTransactionResult, []),
    ]

    @Test func otherMessagesAreNotRead() throws {
        let wire = try BBPOSPaymentBench.settings().wire
        for (message, data) in Self.bad {
            let frame = try frame(message, data)
            #expect(wire.call(frame.span) == nil, "\(message)")
            #expect(wire.report(frame.span).map { "\($0)" } == nil, "\(message)")
        }
        // What is none of a payment has no frame.
        #expect(wire.frame(BBPOSCall.getKeySerialNumbers) == [])
        #expect(wire.frame(BBPOSCall.setAmount(-1, cashback: 0, currency: 978, .goods)) == [])
        #expect(wire.frame(BBPOSReport.connected(.audio)) == [])
    }

    @Test func numbersAreTheProfiles() throws {
        let family = try #require(ReaderFamily.named("bbpos"))
        #expect(throws: ReaderError.self) { try BBPOSPaymentSettings(profile: family.profile) }
        var profile = family.simulatedProfile
        profile["payment.startEmv"] = profile["payment.checkCard"]
        #expect(throws: ReaderError.self) { try BBPOSPaymentSettings(profile: profile) }
        // The profile without payments still opens a reader.
        #expect(throws: Never.self) { try family.makeDialect(family.simulatedProfile) }
        #expect(family.profile["payment.startEmv"]?.provenance == .unknown)
    }
}

/// The machine of payments at an EMVSwiper: its calls and events.
@Suite struct BBPOSPaymentTests {
    @Test func aReaderIsPrepared() throws {
        var bench = try BBPOSPaymentBench()
        bench.carryOut(.prepare)
        #expect(bench.takeLog() == ["> getDeviceInfo"])
        bench.report(.deviceInfo(["batteryPercentage": "80"]))
        #expect(bench.takeLog() == ["prepare_ok 1"])
        #expect(bench.payment.nextDeadline == nil)
        bench.carryOut(.acceptCard)
        #expect(bench.takeLog() == ["> \(BBPOSCall.checkCard(.swipeOrInsert, within: .seconds(90)))"])
    }

    @Test func aReaderThatIsBusySilentOrWithoutChargeIsNotPrepared() throws {
        var busy = try BBPOSPaymentBench()
        busy.carryOut(.prepare)
        busy.report(.failed(.deviceBusy))
        #expect(busy.takeLog() == ["> getDeviceInfo", "prepare_fail 1"])
        var silent = try BBPOSPaymentBench()
        silent.carryOut(.prepare)
        silent.wait(.seconds(10))
        #expect(silent.takeLog() == ["> getDeviceInfo", "prepare_fail 1"])
        #expect(silent.payment.nextDeadline == nil)
        // `LOW` is a warning only.
        var empty = try BBPOSPaymentBench()
        empty.carryOut(.prepare)
        empty.report(.battery(.low), .battery(.criticallyLow), .deviceInfo([:]))
        #expect(empty.takeLog() == ["> getDeviceInfo", "prepare_fail 1"])
    }

    /// The order of the callbacks is that of the SDK's samples.
    @Test func aCardIsInsertedAndPaysOnline() throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        bench.report(.card(.chip, nil))
        #expect(bench.takeLog() == ["insert 2"])
        bench.carryOut(.processCard)
        #expect(bench.takeLog().first?.hasPrefix("> startEMV") == true)
        bench.report(.started(true))
        bench.ask(.amount)
        #expect(bench.takeLog() == ["> \(BBPOSCall.setAmount(456, cashback: 0, currency: 826, .goods))"])
        bench.ask(.time)
        #expect(bench.takeLog() == ["> \(BBPOSCall.sendTime("260728121530"))"])
        bench.ask(.confirmation)
        bench.ask(.connectivity)
        #expect(
            bench.takeLog() == ["> \(BBPOSCall.sendConfirmation(true))", "> \(BBPOSCall.sendConnectivity(true))"])
        bench.ask(.issuer, "82023C00 9F3602002A 9F270180")
        #expect(bench.takeLog() == ["ac1_arqc 3"])
        #expect(bench.payment.objects[0x9F36] == hex("002A"))
        bench.carryOut(.askHost)
        let code = try #require(AuthorisationResponseCode(Array("00".utf8)))
        let host = HostResponse(
            isApproved: true, responseCode: code, authenticationData: hex("8600965D36A1716E3030"), scripts: [])
        bench.carryOut(.completeCard(.approved), host: host)
        // The second answer of the samples.
        #expect(
            bench.takeLog() == ["> \(BBPOSCall.sendIssuerAnswer(hex("8A023030910A8600965D36A1716E3030")))"])
        bench.report(.batchData(ReaderBytes("9F270140 95050000000000")), .transactionEnded(.approved))
        #expect(bench.takeLog() == ["ac2_tc 5"])
        #expect(bench.payment.objects.tags == [0x82, 0x95, 0x9F27, 0x9F36])
        bench.carryOut(.end(.approved))
        #expect(bench.takeLog() == [])
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test(arguments: [
        (HostKnowledge.unreachable, nil as String?), (.unknown, "8A025A33"), (.declined, "8A025A33"),
        (.approved, "8A025A33"), (.asked, "8A025A33"),
    ])
    func otherAnswersOfTheHostAreSent(_ knowledge: HostKnowledge, _ objects: String?) throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.askIssuer()
        bench.carryOut(.completeCard(knowledge))
        #expect(bench.takeLog() == ["> \(BBPOSCall.sendIssuerAnswer(objects.map { hex($0) }))"])
        bench.report(.batchData(ReaderBytes("9F270100")), .transactionEnded(.declined))
        #expect(bench.takeLog() == ["ac2_aac 4"])
    }

    @Test(arguments: [
        ("9F270140", BBPOSTransactionResult.approved, "ac1_tc 3"),
        ("9F270140 9F34031E0300", .approved, "ac1_tc_sig 3"), ("9F270140 9F34031F0302", .approved, "ac1_tc 3"),
        ("9F270100", .declined, "ac1_aac 3"), ("", .declined, "ac1_aac 3"),
        // An approval without the objects of a TC is none.
        ("9F270100", .approved, "kernel_error"), ("", .approved, "kernel_error"), ("9F", .approved, "kernel_error"),
    ])
    func theDecisionOfTheCardIsAnEvent(_ objects: String, _ result: BBPOSTransactionResult, _ event: String) throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.batchData(ReaderBytes(objects)), .transactionEnded(result))
        #expect(bench.takeLog() == [event])
    }

    @Test(arguments: [
        (BBPOSTransactionResult.cardRemoved, "card_removed"), (.cancelled, "cancel"), (.notChip, "chip_unreadable 3"),
        (.cardNotSupported, "no_common_app 3"), (.noApplications, "no_common_app 3"),
        (.cardBlocked, "card_blocked 3"), (.applicationBlocked, "app_blocked 3"), (.terminated, "kernel_error"),
        (.publicKeyFailed, "kernel_error"), (.deviceError, "kernel_error"), (.missingMandatoryData, "kernel_error"),
        (.invalidChipData, "kernel_error"), (.conditionNotSatisfied, "kernel_error"),
    ])
    func otherResultsEndThePayment(_ result: BBPOSTransactionResult, _ event: String) throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.transactionEnded(result))
        #expect(bench.takeLog() == [event])
        // After the issuer was asked it is the kernel, except for a card that is gone.
        var late = try BBPOSPaymentBench()
        late.insertCard()
        late.askIssuer()
        late.carryOut(.completeCard(.approved))
        _ = late.takeLog()
        late.report(.transactionEnded(result))
        #expect(late.takeLog() == [result == .cardRemoved ? "card_removed" : "kernel_error"])
    }

    @Test func aPaymentThatTheReaderDoesNotBeginFails() throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        bench.report(.card(.chip, nil))
        bench.carryOut(.processCard)
        _ = bench.takeLog()
        bench.report(.started(false))
        #expect(bench.takeLog() == ["kernel_error"])
        var broken = try BBPOSPaymentBench()
        broken.insertCard()
        broken.report(.failed(.communicationError))
        #expect(broken.takeLog() == ["kernel_error"])
    }

    // MARK: application and PIN

    @Test func theTillChoosesTheApplication() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.application(["VISA", "GIROCARD"]))
        #expect(bench.takeLog() == ["app_list 3"])
        #expect(bench.payment.applicationLabels == ["VISA", "GIROCARD"])
        bench.carryOut(.chooseApplication)
        bench.choose(2)
        #expect(bench.takeLog() == ["app_choice_invalid 4"])
        bench.choose(1)
        #expect(bench.takeLog() == ["app_chosen 4"])
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == ["> \(BBPOSCall.selectApplication(1))"])
    }

    @Test func theEntryOfAPINIsReported() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.pin)
        #expect(bench.takeLog() == ["pin_prompt 3"])
        bench.report(.display(.incorrectPIN), .display(.lastPINTry))
        bench.ask(.pin)
        #expect(bench.takeLog() == ["pin_wrong 3"])
        bench.report(.display(.pinIsRight))
        #expect(bench.takeLog() == ["pin_ok 3"])
        bench.ask(.issuer, "95050000000000")
        #expect(bench.takeLog() == ["ac1_arqc 3"])
    }

    @Test(arguments: [
        ("0000200000", "pin_tries_exceeded 3"), ("0000080000", "pin_bypassed 3"), ("0000000000", "pin_ok 3"),
    ])
    func theTVREndsTheEntryOfAPIN(_ results: String, _ event: String) throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.pin)
        _ = bench.takeLog()
        bench.ask(.issuer, "9505" + results)
        #expect(bench.takeLog() == [event, "ac1_arqc 3"])
    }

    @Test func theCancelKeyAtThePINPadEndsThePayment() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.pin)
        _ = bench.takeLog()
        bench.report(.transactionEnded(.cancelled))
        #expect(bench.takeLog() == ["pin_cancelled 3"])
    }

    /// The reader ends its prompt after a minute, before the limit of the payment's flow.
    @Test func aPINThatIsNotEnteredIsCancelled() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.ask(.pin)
        _ = bench.takeLog()
        bench.wait(.seconds(60))
        #expect(bench.takeLog() == ["> cancelPINEntry"])
    }

    // MARK: cards and swipes

    @Test(arguments: [BBPOSCheckCardResult.notChip, .noResponse])
    func aChipThatDoesNotAnswerIsUnreadable(_ result: BBPOSCheckCardResult) throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        bench.report(.card(result, nil))
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == ["insert 2", "chip_unreadable 3"])
        bench.carryOut(.acceptCard)
        #expect(bench.takeLog() == ["> \(BBPOSCall.checkCard(.swipeOrInsert, within: .seconds(90)))"])
    }

    /// The service codes 101 and 201.
    @Test(arguments: [(101, "swipe_plain 2"), (201, "swipe_chip_card 2")])
    func swipesAreEvents(_ code: Int, _ event: String) throws {
        for result in [BBPOSCheckCardResult.stripe, .track2Only] {
            var bench = try BBPOSPaymentBench()
            bench.prepare()
            bench.report(.card(result, bbposSwipe(";4111111111111111=2812\(code)0000012345678?")))
            #expect(bench.takeLog() == [event])
            #expect(bench.payment.swipe?.maskedNumber == "411111******1111")
            bench.carryOut(.askHost)
            bench.carryOut(.end(.approved))
            #expect(bench.takeLog() == [])
        }
    }

    @Test func swipesThatAreOfNoUseAreEvents() throws {
        for (result, event) in [
            (BBPOSCheckCardResult.badSwipe, "swipe_bad 2"), (.stripe, "swipe_bad 2"), (.useChip, "swipe_chip_card 2"),
        ] {
            var bench = try BBPOSPaymentBench()
            bench.prepare()
            bench.report(.card(result, nil))
            #expect(bench.takeLog() == [event])
            bench.carryOut(.acceptCard)
            #expect(bench.takeLog() == ["> \(BBPOSCall.checkCard(.swipeOrInsert, within: .seconds(90)))"])
        }
    }

    @Test(arguments: [BBPOSCheckCardResult.noCard, .contactlessTrack2, .tapCardDetected])
    func theReaderWaitsAgainAfterWhatIsNoCardForIt(_ result: BBPOSCheckCardResult) throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        bench.report(.card(result, nil))
        #expect(bench.takeLog() == ["> \(BBPOSCall.checkCard(.swipeOrInsert, within: .seconds(90)))"])
    }

    // MARK: stops and the link

    @Test func aWaitForACardIsStopped() throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        bench.carryOut(.stopReader)
        bench.carryOut(.end(.cancelled))
        #expect(bench.takeLog() == ["> cancelCheckCard"])
        #expect(bench.payment.nextDeadline == nil)
    }

    /// No call stops a payment: the reader's open request is refused, or its next one.
    @Test func aPaymentIsStoppedByARefusal() throws {
        let refusals: [(BBPOSRequest, BBPOSCall)] = [
            (.application(["A", "B"]), .cancelSelectApplication), (.pin, .cancelPINEntry),
            (.issuer, .sendIssuerAnswer(hex("8A025A33"))),
        ]
        for (request, refusal) in refusals {
            var bench = try BBPOSPaymentBench()
            bench.insertCard()
            bench.ask(request, "9F270180")
            _ = bench.takeLog()
            bench.carryOut(.stopReader)
            #expect(bench.takeLog() == ["> \(refusal)"])
            bench.report(.batchData(ReaderBytes("9F270140")), .transactionEnded(.approved))
            #expect(bench.takeLog() == [])
            var early = try BBPOSPaymentBench()
            early.insertCard()
            early.carryOut(.stopReader)
            #expect(early.takeLog() == [])
            early.ask(request, "9F270180")
            #expect(early.takeLog() == ["> \(refusal)"])
        }
    }

    @Test func theLossOfTheLinkIsAnEvent() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.receive([0x02, 0x00])
        bench.lose()
        #expect(bench.takeLog() == ["link_lost"])
        #expect(bench.payment.nextDeadline == nil)
    }

    /// The reader's silence and the loss of its answer end the payment.
    @Test func aSilentReaderFails() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.wait(.seconds(90))
        #expect(bench.takeLog() == ["kernel_error"])
        var online = try BBPOSPaymentBench()
        online.insertCard()
        online.askIssuer()
        online.report(.failed(.timedOut))
        #expect(online.takeLog() == ["kernel_error"])
        online.carryOut(.completeCard(.approved))
        // The reader no longer waits for the answer.
        #expect(online.takeLog() == ["kernel_error"])
    }

    // MARK: streams

    private func log(step: Int) throws -> [String] {
        var bench = try BBPOSPaymentBench()
        let wire = bench.wire
        func feed(_ bench: inout BBPOSPaymentBench, _ bytes: [UInt8]) {
            for start in stride(from: 0, to: bytes.count, by: min(step, bytes.count)) {
                bench.receive(Array(bytes[start..<start + min(step, bytes.count - start)]))
            }
        }
        bench.carryOut(.prepare)
        feed(&bench, wire.frame(.deviceInfo(["batteryPercentage": "80"])))
        bench.carryOut(.acceptCard)
        feed(&bench, [0xFF, 0x00, 0x55] + wire.frame(.waitingForCard) + wire.frame(.card(.chip, nil)))
        bench.carryOut(.processCard)
        feed(&bench, wire.frame(.started(true)) + wire.frame(.request(.amount, nil)))
        feed(&bench, wire.frame(.request(.pin, nil)) + wire.frame(.request(.issuer, ReaderBytes("9F270180"))))
        bench.carryOut(.completeCard(.unreachable))
        feed(&bench, wire.frame(.batchData(ReaderBytes("9F270100"))) + wire.frame(.transactionEnded(.declined)))
        return bench.takeLog()
    }

    @Test func blocksDoNotMatter() throws {
        let whole = try log(step: .max)
        #expect(
            whole.filter { !$0.hasPrefix(">") } == [
                "prepare_ok 1", "insert 2", "pin_prompt 3", "pin_ok 3", "ac1_arqc 3", "ac2_aac 4",
            ])
        for step in [1, 2, 3, 7, 64] { #expect(try log(step: step) == whole, "\(step)") }
    }

    private static let actions: [PaymentAction] = [
        .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard(.approved), .completeCard(.unknown),
        .askHost, .storeRecord, .stopReader, .prompt(.tryAgain), .end(.cancelled),
    ]

    /// Bytes that mostly mean something, and actions in any order: no trap, and no more output than input.
    @Test(arguments: 1...20) func hostileReadersDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = try BBPOSPaymentBench()
        let reports: [BBPOSReport] = [
            .deviceInfo([:]), .battery(.criticallyLow), .failed(.unknown), .waitingForCard, .card(.chip, nil),
            .card(.noCard, nil), .card(.noResponse, nil), .card(.stripe, bbposSwipe(";4111111111111111=2812101?")),
            .started(true), .started(false), .request(.application(["A", "B"]), nil), .request(.amount, nil),
            .request(.pin, nil), .request(.identity, ReaderBytes("00")), .request(.confirmation, nil),
            .request(.connectivity, nil), .request(.issuer, ReaderBytes("9F270180")),
            .request(.issuer, ReaderBytes("9F")), .request(.time, nil), .request(.referral, nil),
            .display(.pinIsRight), .batchData(ReaderBytes("9F270140")), .reversalData(ReaderBytes("FF")),
            .transactionEnded(.approved), .transactionEnded(.declined), .transactionEnded(.cancelled),
        ]
        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &random) {
            case 0: bench.carryOut(Self.actions.randomElement(using: &random) ?? .prepare)
            case 1: bench.wait(.milliseconds(Int.random(in: 0...30_000, using: &random)))
            case 2:
                bench.receive(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            case 3: bench.choose(Int.random(in: -1...2, using: &random))
            default:
                var frame = bench.wire.frame(reports.randomElement(using: &random) ?? .waitingForCard)
                if Int.random(in: 0..<8, using: &random) == 0, let index = frame.indices.randomElement(using: &random) {
                    frame[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
                bench.receive(frame)
            }
            #expect(bench.takeLog().count <= 24)
        }
        bench.lose()
        #expect(bench.payment.nextDeadline == nil)
    }
}
