import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

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
        #expect(busy.troubles == [.busy])
        var silent = try BBPOSPaymentBench()
        silent.carryOut(.prepare)
        silent.wait(.seconds(10))
        #expect(silent.takeLog() == ["> getDeviceInfo", "prepare_fail 1"])
        #expect(silent.payment.nextDeadline == nil)
        #expect(silent.troubles == [.unanswered])
        // `LOW` is a warning only.
        var empty = try BBPOSPaymentBench()
        empty.carryOut(.prepare)
        empty.report(.battery(.low), .battery(.criticallyLow), .deviceInfo([:]))
        #expect(empty.takeLog() == ["> getDeviceInfo", "prepare_fail 1"])
        #expect(empty.troubles == [.batteryEmpty])
    }

    /// The names of the values are those of the SDK's samples; that a reader without settings has no version is invented.
    @Test func aReaderWithoutSettingsOrWithTooLittleChargeIsNotPrepared() throws {
        var settings = try BBPOSPaymentBench.settings()
        #expect(settings.leastBattery == 0)
        settings.leastBattery = 20
        for (facts, trouble) in [
            (["batteryPercentage": "20", "terminalSettingVersion": "1"], nil as ReaderTrouble?),
            (["batteryPercentage": "unknown"], nil), ([:], nil), (["batteryPercentage": "19"], .batteryEmpty),
            (["terminalSettingVersion": ""], .settingsMissing),
        ] {
            var bench = try BBPOSPaymentBench(settings)
            bench.carryOut(.prepare)
            bench.report(.deviceInfo(facts))
            #expect(bench.takeLog().last == (trouble == nil ? "prepare_ok 1" : "prepare_fail 1"), "\(facts)")
            #expect(bench.troubles == [trouble].compactMap(\.self))
            #expect(bench.payment.nextDeadline == nil)
        }
    }

    @Test(arguments: [
        (BBPOSError.inputInvalid, ReaderTrouble.dataRefused as ReaderTrouble?), (.inputOutOfRange, .dataRefused),
        (.inputInvalidFormat, .dataRefused), (.inputZeroValues, .dataRefused), (.cashbackNotSupported, .dataRefused),
        (.deviceBusy, .busy), (.volumeWarningNotAccepted, .soundTooWeak), (.unknown, nil), (.deviceReset, nil),
    ])
    func anErrorWithACardHasItsCause(_ error: BBPOSError, _ trouble: ReaderTrouble?) throws {
        var bench = try BBPOSPaymentBench()
        bench.prepare()
        // While a card is awaited, the payment's own limit decides.
        bench.report(.failed(error))
        #expect(bench.troubles == [])
        var other = try BBPOSPaymentBench()
        other.insertCard()
        other.report(.failed(error))
        #expect(other.takeLog() == ["kernel_error"])
        #expect(other.troubles == [trouble].compactMap(\.self))
    }

    /// A reader without power ends its link, or fails. Another cause that it names counts more.
    @Test func aBatteryThatRunsOutIsTheCauseOfTheFailure() throws {
        var lost = try BBPOSPaymentBench()
        lost.insertCard()
        lost.report(.battery(.criticallyLow))
        #expect(lost.takeLog() == [])
        #expect(lost.troubles == [])
        lost.lose()
        #expect(lost.takeLog() == ["link_lost"])
        #expect(lost.troubles == [.batteryEmpty])
        for (report, trouble) in [
            (BBPOSReport.failed(.unknown), ReaderTrouble.batteryEmpty), (.transactionEnded(.terminated), .batteryEmpty),
            (.failed(.inputInvalid), .dataRefused), (.transactionEnded(.deviceError), .damaged),
        ] {
            var bench = try BBPOSPaymentBench()
            bench.insertCard()
            bench.report(.battery(.low), .battery(.criticallyLow), report)
            #expect(bench.takeLog() == ["kernel_error"])
            #expect(bench.troubles == [trouble])
        }
        // A payment that ends well has none, and a card that is gone is the cardholder's.
        var ended = try BBPOSPaymentBench()
        ended.insertCard()
        ended.report(.battery(.criticallyLow), .transactionEnded(.cardRemoved))
        #expect(ended.takeLog() == ["card_removed"])
        #expect(ended.troubles == [])
    }

    @Test func aReaderThatFailsIsDamaged() throws {
        var bench = try BBPOSPaymentBench()
        bench.insertCard()
        bench.report(.transactionEnded(.deviceError))
        #expect(bench.takeLog() == ["kernel_error"])
        #expect(bench.troubles == [.damaged])
        var other = try BBPOSPaymentBench()
        other.insertCard()
        other.report(.transactionEnded(.terminated))
        #expect(other.takeLog() == ["kernel_error"])
        #expect(other.troubles == [])
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
}
