import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import Testing

private let terminate = "> TerminateTransaction "
private let start = "> InitTransaction 9C01009A032607289F2103121530" + "9F410400000000"

/// The messages of payments at a PosMate. No bytes of them are published: the wire is invented, and written here by
/// hand from its description in docs/readers/epos.md, with the numbers of the simulated profile.
@Suite struct EPOSPaymentMessageTests {
    /// The number of a message in the simulated profile; that of the status report is published.
    private func number(_ message: EPOSMessage) throws -> UInt8 {
        let profile = try #require(ReaderFamily.named("epos")).simulatedProfile
        return UInt8(try profile.integer(message.key, in: 0...255))
    }

    private func frame(_ content: [UInt8]) throws -> [UInt8] {
        try LayoutFormat(
            FrameLayout(start: [2], lengthSize: 2, counted: .content, check: .crc16, checked: .start, end: [3])
        ).frame(content)
    }

    @Test func messagesAreWrittenAsDescribed() throws {
        let wire = try EPOSPaymentBench.settings().wire
        let numbers = (try number(.initTransaction), try number(.goOnline), try number(.getSwipedData))
        let expected = [
            try frame([numbers.0, 0] + hex("9C0100")), try frame([numbers.1, 1, 1]), try frame([numbers.2, 2, 13]),
            try frame([0x49, 7, 0xA1]), try frame([0x49, 7, 1]),
        ]
        let messages: [EPOSPaymentMessage] = [
            .request(.initTransaction, hex("9C0100")), .answer(.goOnline, [1]), .refusal(.getSwipedData, .swipeRead),
            .status(sequence: 7, .smartcardInserted), .reply(sequence: 7, isCancel: true),
        ]
        #expect(messages.map { wire.frame($0) } == expected)
    }

    @Test func messagesAreReadAsTheyWereWritten() throws {
        let wire = try EPOSPaymentBench.settings().wire
        for name in EPOSMessage.allCases where name != .statusReport {
            for message in [
                EPOSPaymentMessage.request(name, [1, 2, 3]), .answer(name, []), .refusal(name, .contactlessAborted),
            ] {
                let frame = wire.frame(message)
                #expect(wire.read(frame.span, from: .till) == message)
                #expect(wire.read(frame.span, from: .terminal) == message)
            }
        }
        for number in EPOSStatus.names.keys {
            let message = EPOSPaymentMessage.status(sequence: 255, EPOSStatus(rawValue: number))
            let frame = wire.frame(message)
            #expect(wire.read(frame.span, from: .terminal) == message)
            #expect(wire.read(frame.span, from: .till) == nil)
        }
        for isCancel in [true, false] {
            let frame = wire.frame(.reply(sequence: 0, isCancel: isCancel))
            #expect(wire.read(frame.span, from: .till) == .reply(sequence: 0, isCancel: isCancel))
        }
    }

    @Test func otherMessagesAreNotRead() throws {
        let wire = try EPOSPaymentBench.settings().wire
        let go = try number(.goOnline)
        for content in [[], [0xFE], [go], [go, 3], [go, 2], [go, 2, 24], [go, 2, 0, 0], [0x49], [0x49, 1]] as [[UInt8]]
        {
            let frame = try frame(content)
            #expect(wire.read(frame.span, from: .terminal) == nil, "\(content)")
        }
    }

    @Test func numbersAreTheProfiles() throws {
        let family = try #require(ReaderFamily.named("epos"))
        #expect(throws: ReaderError.self) { try EPOSPaymentSettings(profile: family.profile) }
        var profile = family.simulatedProfile
        profile["payment.GoOnline"] = profile["payment.GetAmount"]
        #expect(throws: ReaderError.self) { try EPOSPaymentSettings(profile: profile) }
        // The profile without payments still opens a reader.
        #expect(throws: Never.self) { try family.makeDialect(family.simulatedProfile) }
        #expect(family.profile["payment.GoOnline"]?.provenance == .unknown)
    }
}

/// The machine of payments at a PosMate: its messages and events.
@Suite struct EPOSPaymentTests {
    @Test func aTerminalIsPrepared() throws {
        var bench = try EPOSPaymentBench()
        bench.carryOut(.prepare)
        #expect(bench.takeLog() == [terminate])
        bench.send(.answer(.terminateTransaction, []))
        #expect(bench.takeLog() == [start])
        bench.send(.answer(.initTransaction, []))
        #expect(bench.takeLog() == ["prepare_ok 1"])
        bench.send(.request(.getAmount, []))
        #expect(bench.takeLog() == ["> GetAmount! 9F02060000000004565F2A020826"])
        #expect(bench.payment.nextDeadline == nil)
    }

    /// No transaction was under way.
    @Test func aRefusedEndIsNoObstacle() throws {
        var bench = try EPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.send(.refusal(.terminateTransaction, .general))
        #expect(bench.takeLog() == [terminate, start])
    }

    @Test func aTerminalThatRefusesOrIsSilentIsNotPrepared() throws {
        var bench = try EPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.send(.answer(.terminateTransaction, []))
        bench.send(.refusal(.initTransaction, .general))
        #expect(bench.takeLog().last == "prepare_fail 1")
        var silent = try EPOSPaymentBench()
        silent.carryOut(.prepare)
        silent.wait(.seconds(4))
        #expect(silent.takeLog() == [terminate, "prepare_fail 1"])
        #expect(silent.payment.nextDeadline == nil)
        var late = try EPOSPaymentBench()
        late.carryOut(.prepare)
        late.send(.answer(.terminateTransaction, []))
        late.wait(.seconds(4))
        // The transaction may have begun.
        #expect(late.takeLog() == [terminate, start, terminate, "prepare_fail 1"])
        #expect(bench.troubles == [])
        #expect(silent.troubles == [.unanswered])
        #expect(late.troubles == [.unanswered])
    }

    /// Source of the errors 20 and 21: headers of PaynetEasyReader.
    @Test(arguments: [20, 21]) func aTerminalWithoutKeysIsNotPrepared(_ number: Int) throws {
        let error = try #require(EPOSError(rawValue: number))
        var bench = try EPOSPaymentBench()
        bench.carryOut(.prepare)
        bench.send(.answer(.terminateTransaction, []))
        bench.send(.refusal(.initTransaction, error))
        #expect(bench.takeLog().last == "prepare_fail 1")
        #expect(bench.troubles == [.keyMissing])
        // With the card in the terminal.
        var other = try EPOSPaymentBench()
        other.insertCard()
        other.send(.request(.terminateTransaction, [UInt8(number)]))
        #expect(other.takeLog().last == "kernel_error")
        #expect(other.troubles == [.keyMissing])
    }

    @Test func aCardIsInsertedAndPaysOnline() throws {
        var bench = try EPOSPaymentBench()
        bench.prepare()
        bench.report(.smartcardInserted)
        #expect(bench.takeLog() == ["insert 2"])
        bench.carryOut(.processCard)
        #expect(bench.takeLog() == ["> A1 go on"])
        bench.send(.request(.goOnline, hex("82023C00 9F3602002A 9F270180")))
        #expect(bench.takeLog() == ["ac1_arqc 3"])
        #expect(bench.payment.objects[0x9F36] == hex("002A"))
        bench.carryOut(.askHost)
        let code = try #require(AuthorisationResponseCode(Array("00".utf8)))
        let host = HostResponse(
            isApproved: true, responseCode: code, authenticationData: hex("0102030405060708"), scripts: hex("7200"))
        bench.carryOut(.completeCard(.approved), host: host)
        #expect(bench.takeLog() == ["> GoOnline! 008A02303091080102030405060708" + "7200"])
        bench.send(.request(.completeTransaction, hex("9F270140 95050000000000")))
        #expect(bench.takeLog() == ["> CompleteTransaction! ", "ac2_tc 5"])
        #expect(bench.payment.objects.tags == [0x82, 0x95, 0x9F27, 0x9F36])
        bench.carryOut(.end(.approved))
        #expect(bench.takeLog() == [])
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test(arguments: [
        (HostKnowledge.unreachable, "01"), (.unknown, "02"), (.declined, "02"), (.approved, "02"), (.asked, "02"),
    ])
    func otherAnswersOfTheHostHaveAnOutcome(_ knowledge: HostKnowledge, _ data: String) throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.goOnline, []))
        _ = bench.takeLog()
        bench.carryOut(.completeCard(knowledge))
        #expect(bench.takeLog() == ["> GoOnline! \(data)"])
        bench.send(.request(.completeTransaction, hex("9F270100")))
        #expect(bench.takeLog().last == "ac2_aac 4")
    }

    @Test(arguments: [
        ("9F270140", "ac1_tc 3"), ("9F270140 9F34031E0300", "ac1_tc_sig 3"), ("9F270140 9F34031F0302", "ac1_tc 3"),
        ("9F270100", "ac1_aac 3"), ("9F270180", "kernel_error"), ("", "kernel_error"), ("9F27", "kernel_error"),
    ])
    func theResultOfTheKernelIsAnEvent(_ objects: String, _ event: String) throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.completeTransaction, hex(objects)))
        #expect(bench.takeLog().last == event)
    }

    @Test(arguments: [
        (EPOSError.cardRemoved, "card_removed"), (.cancelledByUser, "cancel"), (.chipRead, "chip_unreadable 3"),
        (.noAnswerToReset, "chip_unreadable 3"), (.noSupportedApplications, "no_common_app 3"),
        (.cardBlocked, "card_blocked 3"), (.general, "kernel_error"), (.dukptKey, "kernel_error"),
    ])
    func anErrorEndsThePayment(_ error: EPOSError, _ event: String) throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.terminateTransaction, [UInt8(error.rawValue)]))
        #expect(bench.takeLog() == ["> TerminateTransaction! ", event])
    }

    @Test func anErrorAfterTheHostsAnswerIsOneOfTheKernel() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.goOnline, []))
        bench.carryOut(.completeCard(.unreachable))
        _ = bench.takeLog()
        bench.send(.request(.terminateTransaction, [18]))
        #expect(bench.takeLog().last == "kernel_error")
    }

    // MARK: PIN and signature

    @Test func theEntryOfAPINIsReported() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.report(.pinEntryStarted)
        #expect(bench.takeLog() == ["> C0 go on", "pin_prompt 3"])
        bench.report(.pinEntryCompleted)
        bench.report(.lastPINEntry)
        #expect(bench.takeLog() == ["> C1 go on", "> C5 go on"])
        bench.report(.pinEntryStarted)
        #expect(bench.takeLog() == ["> C0 go on", "pin_wrong 3"])
        bench.report(.pinEntryCompleted)
        bench.send(.request(.goOnline, hex("95050000000000")))
        #expect(bench.takeLog() == ["> C1 go on", "pin_ok 3", "ac1_arqc 3"])
    }

    @Test(arguments: [("0000200000", "pin_tries_exceeded 3"), ("0000080000", "pin_bypassed 3")])
    func theTVREndsTheEntryOfAPIN(_ results: String, _ event: String) throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.report(.pinEntryStarted)
        _ = bench.takeLog()
        bench.send(.request(.goOnline, hex("9505" + results)))
        #expect(bench.takeLog() == [event, "ac1_arqc 3"])
    }

    @Test func theCancelKeyAtThePINPadEndsThePayment() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.report(.pinEntryStarted)
        bench.report(.pinEntryAborted)
        _ = bench.takeLog()
        bench.send(.request(.terminateTransaction, [15]))
        #expect(bench.takeLog().last == "pin_cancelled 3")
    }

    @Test func aBypassedPINIsReported() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.report(.pinEntryStarted)
        bench.report(.pinEntryBypassed)
        #expect(bench.takeLog().last == "pin_bypassed 3")
        bench.send(.request(.goOnline, []))
        #expect(bench.takeLog() == ["ac1_arqc 3"])
    }

    /// The merchant compares the signature at the terminal, before the second cryptogram (Accept SDK, `startPay`).
    @Test func theSignatureIsComparedAtTheTerminal() throws {
        let settings = try EPOSPaymentBench.settings()
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.goOnline, hex("9F34031E0300")))
        bench.carryOut(.completeCard(.approved))
        _ = bench.takeLog()
        bench.report(settings.signatureStarted)
        #expect(bench.takeLog().last == "device_sig_prompt 4")
        bench.report(settings.signatureAccepted)
        #expect(bench.takeLog().last == "device_sig_ok 4")
        bench.send(.request(.completeTransaction, hex("9F270140")))
        // It is not asked for again.
        #expect(bench.takeLog().last == "ac2_tc 4")
    }

    @Test func aRejectedSignatureIsReported() throws {
        let settings = try EPOSPaymentBench.settings()
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.goOnline, hex("9F34031E0300")))
        bench.carryOut(.completeCard(.approved))
        bench.report(settings.signatureStarted)
        bench.report(settings.signatureRejected)
        #expect(bench.takeLog().last == "device_sig_rejected 4")
        bench.carryOut(.stopReader)
        #expect(bench.takeLog() == [terminate])
    }

    // MARK: the card and the stripe

    @Test func aCardThatGoesIsReported() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.goOnline, []))
        _ = bench.takeLog()
        bench.report(.cardRemoved)
        #expect(bench.takeLog() == ["> A3 go on", "card_removed"])
        // The card was accepted before: it is gone, and another one may come.
        var early = try EPOSPaymentBench()
        early.prepare()
        early.report(.smartcardInserted)
        early.report(.cardRemoved)
        #expect(early.takeLog() == ["insert 2", "> A3 go on", "card_removed"])
    }

    /// The tracks of `SimulatedCard`: the service codes 101 and 201.
    @Test(arguments: [(101, "swipe_plain 2"), (201, "swipe_chip_card 2")])
    func swipesAreEvents(_ code: Int, _ event: String) throws {
        var bench = try EPOSPaymentBench()
        bench.prepare()
        bench.report(.cardSwiped)
        #expect(bench.takeLog() == ["> A7 go on", "> GetSwipedData "])
        let track = Array(";4111111111111111=2812\(code)0000012345678?".utf8)
        bench.send(.answer(.getSwipedData, [0, UInt8(track.count)] + track + [0]))
        #expect(bench.takeLog() == [event])
        #expect(bench.payment.swipe?.maskedNumber == "411111******1111")
        bench.carryOut(.askHost)
        #expect(bench.takeLog() == ["> ProcessSwipedData 01"])
        bench.send(.answer(.processSwipedData, []))
        bench.carryOut(.end(.approved))
        #expect(bench.takeLog() == [])
    }

    @Test func anotherCardIsAwaitedAfterASwipeThatIsOfNoUse() throws {
        for data in [[], [0, 0, 0], [5, 1], [0, 0]] as [[UInt8]] {
            var bench = try EPOSPaymentBench()
            bench.prepare()
            bench.report(.cardSwiped)
            _ = bench.takeLog()
            bench.send(.answer(.getSwipedData, data))
            #expect(bench.takeLog() == ["swipe_bad 2"])
            bench.carryOut(.acceptCard)
            #expect(bench.takeLog() == ["> ProcessSwipedData 00"])
            bench.send(.answer(.processSwipedData, []))
            bench.report(.smartcardInserted)
            #expect(bench.takeLog() == ["insert 3"])
        }
        var refused = try EPOSPaymentBench()
        refused.prepare()
        refused.report(.swipeError)
        #expect(refused.takeLog() == ["> A8 go on", "swipe_bad 2"])
    }

    @Test func aCardThatCouldNotBeReadIsAcceptedInANewTransaction() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.send(.request(.terminateTransaction, [18]))
        _ = bench.takeLog()
        bench.carryOut(.acceptCard)
        #expect(bench.takeLog() == [start])
    }

    // MARK: the end

    @Test func aPaymentIsStopped() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.carryOut(.stopReader)
        bench.carryOut(.end(.cancelled))
        #expect(bench.takeLog() == [terminate])
        // A result that was on its way does not count.
        bench.send(.request(.goOnline, []))
        #expect(bench.takeLog() == [])
        bench.send(.answer(.terminateTransaction, []))
        #expect(bench.payment.nextDeadline == nil)
    }

    @Test func theLossOfTheLinkIsAnEvent() throws {
        var bench = try EPOSPaymentBench()
        bench.insertCard()
        bench.receive([0x02, 0x00])
        bench.lose()
        #expect(bench.takeLog() == ["link_lost"])
        #expect(bench.payment.nextDeadline == nil)
    }

    // MARK: streams

    private func log(step: Int) throws -> [String] {
        var bench = try EPOSPaymentBench()
        let wire = bench.wire
        func feed(_ bench: inout EPOSPaymentBench, _ frames: [[UInt8]]) {
            let bytes = frames.flatMap(\.self)
            for start in stride(from: 0, to: bytes.count, by: step) {
                bench.receive(Array(bytes[start..<min(start + step, bytes.count)]))
            }
        }
        bench.carryOut(.prepare)
        feed(&bench, [wire.frame(.answer(.terminateTransaction, [])), wire.frame(.answer(.initTransaction, []))])
        bench.carryOut(.acceptCard)
        feed(&bench, [[0xFF, 0x00, 0x55], wire.frame(.status(sequence: 1, .smartcardInserted))])
        bench.carryOut(.processCard)
        feed(
            &bench,
            [wire.frame(.status(sequence: 2, .pinEntryStarted)), wire.frame(.request(.goOnline, hex("9F270180")))])
        bench.carryOut(.completeCard(.unreachable))
        feed(&bench, [wire.frame(.request(.completeTransaction, hex("9F270100")))])
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
    @Test(arguments: 1...20) func hostileTerminalsDoNoHarm(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var bench = try EPOSPaymentBench()
        for _ in 0..<400 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bench.carryOut(Self.actions.randomElement(using: &random) ?? .prepare)
            case 1: bench.wait(.milliseconds(Int.random(in: 0...5_000, using: &random)))
            case 2:
                bench.receive(
                    (0..<Int.random(in: 1...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) })
            default:
                let name = EPOSMessage.allCases.randomElement(using: &random) ?? .getAmount
                let status = EPOSStatus.names.keys.sorted().randomElement(using: &random) ?? 0xA0
                let messages: [EPOSPaymentMessage] = [
                    .request(name, hex("9F270140")), .request(name, [UInt8.random(in: 0...30, using: &random)]),
                    .answer(name, [0, 3, 0x3B, 0x34, 0x3D, 0]), .refusal(name, .general),
                    .status(sequence: 1, EPOSStatus(rawValue: status)),
                    .status(sequence: 1, EPOSStatus(rawValue: status)),
                ]
                var frame = bench.wire.frame(messages.randomElement(using: &random) ?? .answer(name, []))
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
