import Accept
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// Items of the guide 1.6.182 about cards, their kernel and their cardholders.
@Suite struct CardItemTests {
    private func steps(_ run: AcceptPaymentRun) async -> [AcceptStateUpdate] {
        var steps: [AcceptStateUpdate] = []
        for await step in run.updates { steps.append(step) }
        return steps
    }

    @Test func S1_109_theIssuersAnswerReachesTheTerminal() async throws {
        let till = try await PayTill(chip())
        _ = try await till.pay()
        let answer = try #require(till.terminals.forCard.first)
        var objects = DataObjectStore()
        _ = try answer.withBytes { try objects.add($0) }
        // Approved: 00 (EMV Book 4, annex A6).
        #expect(objects[0x8A] == Array("00".utf8))
    }

    /// A script before the second cryptogram, and one after it. The octets are those of EMV Book 3, 10.10: a template with
    /// its identifier (9F18), if it has one, and its commands (86).
    @Test func S1_109_scriptsOfTheIssuerReachTheTerminal() async throws {
        let till = try await PayTill(
            issuerRules: #"""
                {"from": 5172, "to": 5172, "scripts": [
                  {"template": "71", "identifier": "00000001", "commands": [{"command": "send", "value": "0084000008"}]},
                  {"template": "72", "commands": [{"command": "send", "value": "00A40000"}]}
                ]},
                """#, chip(5172))
        #expect(try await till.pay(till.config(5172)).isAccepted)
        let octets = bytes(try #require(till.terminals.forCard.first))
        let scripts = hex("710E 9F180400000001 86050084000008" + "7206 860400A40000")
        #expect(octets.suffix(scripts.count) == scripts[...])
        #expect(octets.starts(with: hex("8A023030")))
    }

    /// A host that sends nothing for the card.
    @Test func S1_109_anEmptyAnswerReachesTheTerminalToo() async throws {
        let till = try await PayTill(chip())
        till.link.emptiesIssuerResponses()
        #expect(try await till.pay().isAccepted)
        #expect(till.terminals.actions.contains(.completeCard(.approved)))
        #expect(till.terminals.forCard.isEmpty)
    }

    @Test(arguments: [PaymentEvent.cardBlocked, .applicationBlocked])
    func S1_115_aBlockedCardIsNotTakenByItsStripe(event: PaymentEvent) async throws {
        let till = try await PayTill(chip(1000, ["process": [.payment(event)]]))
        let run = till.accept.startPay(till.config())
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.blockedCardType))
        #expect(await !steps(run).contains(.damagedChipAndWaitingForSwipe))
        #expect(till.link.paymentCount == 0)
    }

    /// The card's verification method decides: a signature (1.6.065).
    @Test(arguments: [false, true]) func S1_111_aSignatureIsNeededIfTheCardAsksForIt(isAsked: Bool) async throws {
        let till = try await PayTill(
            chip(1000, ["approved": [.payment(isAsked ? .secondTCWithSignature : .secondTC)]]))
        let asked = Lock(0)
        let payment = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { request in
                    asked.withLock { $0 += 1 }
                    request.signatureCallback([1], nil)
                }, signatureVerification: { $1(.approved) }))
        #expect(payment.isAccepted)
        #expect(asked.withLock { $0 } == (isAsked ? 1 : 0))
        #expect(till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(isAsked))
    }

    /// After a swipe the cardholder signs.
    @Test func S1_111_aSignatureIsNeededAfterASwipe() async throws {
        let till = try await PayTill(Self.swipe())
        till.terminals.change { $0.entries = [.swipe] }
        let asked = Lock(0)
        let handlers = AcceptPaymentHandlers(
            signature: { request in
                asked.withLock { $0 += 1 }
                request.signatureCallback([1], nil)
            }, signatureVerification: { $1(.approved) })
        #expect(try await till.pay(nil, handlers).isAccepted)
        #expect(asked.withLock { $0 } == 1)
    }

    /// The cardholder was verified by the PIN, whose block (99) the terminal sealed with the stripe.
    @Test func S1_111_noSignatureIsNeededAfterASwipeWithAPIN() throws {
        let request = try request(
            .authorise, octets: card(1000, changes: [0x9F39: "90", 0x99: "0102030405060708"]))
        let answer = HTTPAnswer(
            status: 200,
            body: body(#"{"unique_id":"A1","state":"approved","amount":1000,"currency":"EUR","guwid":"G1"}"#))
        guard case .approved(let approval) = try AcceptWire().decode(answer, to: request) else {
            Issue.record("it is not approved")
            return
        }
        #expect(!approval.needsSignature)
    }

    /// A swipe of a terminal that sealed its objects for the sandbox.
    private static func swipe(_ changes: [JackdawEMV.Tag: String?] = [:]) -> ScriptedTerminals.Script {
        let next = chip()
        let objects: [JackdawEMV.Tag: String?] = [0x9F39: "90"]
        return { effect in
            guard effect.action == .acceptCard else { return next(effect) }
            return [
                .card(accountNumber("9999990000000014"), name: "A. N. OTHER"),
                .payment(
                    .cardSwiped, answering: effect.identifier,
                    sealed: card(1000, changes: objects.merging(changes) { $1 })),
            ]
        }
    }

    @Test(arguments: [false, true])
    func S1_119_aCardApprovesWithoutTheHost(isSigned: Bool) async throws {
        let till = try await PayTill(
            limits: OfflineLimits(currencyCode: 978, floor: 5000, count: 5, total: 10_000),
            chip(
                1000,
                ["process": [.payment(isSigned ? .firstTCWithSignature : .firstTC, sealed: card(1000, type: 0x40))]]))
        till.link.plan("status=503", "payments.json")
        let asked = Lock(0)
        let payment = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { request in
                    asked.withLock { $0 += 1 }
                    request.signatureCallback([1], nil)
                },
                signatureVerification: { _, callback in callback(.approved) }))
        #expect(payment.isAccepted)
        #expect(payment.amount == 1000)
        #expect(asked.withLock { $0 } == (isSigned ? 1 : 0))
        #expect(try await till.accept.status(of: "A1").state == .approved)
        // The host receives the payment later, and the image after it.
        while true {
            let seen = till.service.changes.count
            let (requests, isBusy) = await till.service.activity
            if requests == 0, !isBusy {
                guard let wait = await till.service.untilDeadline else { break }
                till.clock.advance(by: max(wait, .milliseconds(1)))
            }
            await till.service.changes.wait(after: seen)
        }
        #expect(till.link.booked("A1") == 1000)
        while isSigned {
            let seen = till.link.asked.count
            if till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(true) { break }
            await till.link.asked.wait(after: seen)
        }
        #expect(till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(isSigned))
    }

    /// The program ends before the host has the payment; the next one on the journal sends both.
    @Test func S1_119_aSignatureWithoutTheHostSurvivesARestart() async throws {
        let journal = MemoryJournal()
        let till = try await PayTill(
            limits: OfflineLimits(currencyCode: 978, floor: 5000, count: 5, total: 10_000), journal: journal,
            chip(1000, ["process": [.payment(.firstTCWithSignature, sealed: card(1000, type: 0x40))]]))
        till.link.plan("status=503", "payments.json")
        _ = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { $0.signatureCallback([0x89, 0x50], nil) },
                signatureVerification: { _, callback in callback(.approved) }))
        await till.service.shutDown()
        #expect(till.link.paymentCount == 0)

        let (clock, link) = (till.clock, till.link)
        let accept = Accept(clock: clock) { _ throws(AcceptError) in link }
        let service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: accept.paymentClient, journal: journal, clock: clock,
            date: { RecordedTime(seconds: 1_453_992_427, offset: 60) }, reader: accept.reader)
        accept.use(service)
        _ = try await accept.requestAccessToken(
            "till-1", password: secret("till-1-password"), config: ConfigurationTests.backend)
        let reports = service.reports
        try await service.start()
        for await report in reports where !report.isDeliveryQueued { break }
        #expect(link.booked("A1") == 1000)
        #expect(link.payment("A1")["sandbox"]?["has_signature"] == .flag(true))
        #expect(try journal.recordNow(of: attempt("A1"))?.encoded.sealed.count == 0)
        await service.shutDown()
    }

    @Test func S1_120_aPaymentGoesOnlineAfterTheLastTryForThePIN() async throws {
        let isAsked = Lock(false)
        let next = chip()
        let till = try await PayTill { effect in
            guard effect.action == .processCard, !isAsked.withLock({ $0 }) else { return next(effect) }
            isAsked.withLock { $0 = true }
            return [
                .payment(.pinRequested, answering: effect.identifier),
                .payment(.pinTriesExceeded, answering: effect.identifier),
                .payment(.firstARQC, answering: effect.identifier, sealed: card(1000)),
            ]
        }
        let run = till.accept.startPay(till.config())
        #expect(try await run.result().isAccepted)
        #expect(await steps(run).contains(.askingForPIN))
    }

    @Test(arguments: [
        ("prepare", 20, AcceptPayErrorCode.terminalCommandTimeOut), ("process", 60, .terminalTimeOut),
    ])
    func S1_121_aTerminalThatDoesNotAnswerHasItsError(
        step: String, seconds: Int, code: AcceptPayErrorCode
    ) async throws {
        let till = try await PayTill(chip(1000, [step: []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == (step == "prepare" ? .prepare : .processCard) }
        await till.wait(.seconds(seconds))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(code))
        #expect(error?.decline?.advice == .tryAgain)
    }

    @Test func S1_132_preferredNamesOfApplicationsStayAsTheyAre() async throws {
        let names = ["Карта Мир", "123456 Crédit", "VISA"]
        let isAsked = Lock(false)
        let next = chip()
        let till = try await PayTill { effect in
            guard effect.action == .processCard, !isAsked.withLock({ $0 }) else { return next(effect) }
            isAsked.withLock { $0 = true }
            return [.applications(names), .payment(.applicationsFound, answering: effect.identifier)]
        }
        let seen = Lock<[String]>([])
        _ = try await till.pay(
            nil,
            AcceptPaymentHandlers(appSelection: { request in
                seen.withLock { $0 = request.appsArray }
                request.appSelectionCallback(2, nil)
            }))
        #expect(seen.withLock { $0 } == names)
        #expect(till.terminals.chosen == [2])
    }

    @Test func S1_134_aSwipeHasItsEntryMode() async throws {
        let till = try await PayTill(Self.swipe())
        till.terminals.change { $0.entries = [.swipe] }
        // No kernel has verified the cardholder, who signs.
        let run = till.accept.startPay(
            till.config(),
            handlers: AcceptPaymentHandlers(
                signature: { $0.signatureCallback([1], nil) }, signatureVerification: { $1(.approved) }))
        #expect(try await run.result().isAccepted)
        #expect(till.link.payment("A1")["sandbox"]?["pos_entry_mode"]?.text == "90")
        #expect(till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(true))
        #expect(await steps(run).starts(with: [.initialize, .waitingForSwipe, .onlineProcessingData]))
    }

    @Test func S1_138_theSecondCryptogramFollowsTheApproval() async throws {
        let till = try await PayTill(
            chip(1000, ["approved": [.payment(.secondTC, sealed: card(1000, type: 0x40))]]))
        _ = try await till.pay()
        while true {
            let seen = till.service.changes.count
            if await till.service.unfinished.isEmpty, await till.service.activity.requests == 0 { break }
            await till.service.changes.wait(after: seen)
        }
        #expect(till.link.paths.last == "/v3/payments/A1.json")
        #expect(till.link.payment("A1")["sandbox"]?["certificate"]?.text?.isEmpty == false)
    }

    @Test func S1_147_theCardsAnswerToADeclineIsSent() async throws {
        // The simulated issuer declines this amount; the cryptogram is an AAC.
        let till = try await PayTill(
            chip(5105, ["declined": [.payment(.secondAAC, sealed: card(5105, type: 0x00))]]))
        let error = await failure { () throws(AcceptError) in try await till.pay(till.config(5105)) }
        #expect(error?.code == .pay(.transactionNotApproved))
        while !till.link.paths.contains("/v3/payments/A1.json") {
            let seen = till.link.asked.count
            if till.link.paths.contains("/v3/payments/A1.json") { break }
            await till.link.asked.wait(after: seen)
        }
        let view = till.link.payment("A1")
        #expect(view["state"]?.text == "rejected")
        let certificate = hex(try #require(view["sandbox"]?["certificate"]?.text))
        var objects = DataObjectStore()
        _ = try objects.add(certificate.span)
        #expect(objects[0x9F27] == [0x00])
        #expect(objects[0x9F26]?.count == 8)
        #expect(objects[0x95]?.count == 5)
        #expect(!objects.contains(0x5A) && !objects.contains(0x57))
    }

    @Test func theAnswerOfACardThatTheHostApprovedIsNotSentAsADecline() async throws {
        let till = try await PayTill(
            chip(1000, ["approved": [.payment(.secondAAC, sealed: card(1000, type: 0x00))]]))
        let error = await failure { () throws(AcceptError) in try await till.pay() }
        #expect(error?.code == .pay(.transactionDeclined))
        try await reversed(till)
        #expect(till.link.payment("A1")["sandbox"]?["certificate"]?.text == "")
    }

    /// The SDK's `issuerCards.json` has an entry for each of these.
    @Test(arguments: [
        ("5105105105105100", "master"), ("4012888888881881", "visa"), ("6759649826438453", "maestro"),
        ("371449635398431", "american_express"), ("6200000000000005", "china_unionpay"),
        ("38520000023237", "diners_club"), ("6011000990139424", "discovery"), ("6360000000000006", "interpayment"),
        ("6370000000000005", "instapayment"), ("3566002020360505", "jcb"), ("135410014004955", "uatp"),
        ("6080000000000000001", "rupay"),
    ])
    func S1_139_theSchemeOfACardIsRecognised(digits: String, issuer: String) {
        #expect(AcceptCardKind(accountNumber(digits)).issuer == issuer)
    }

    /// A card that is tapped, and whose payment the host decides.
    private static func tap(_ first: PaymentEvent = .firstARQC) -> ScriptedTerminals.Script {
        let next = chip()
        return { effect in
            switch effect.action {
            case .acceptCard: [.payment(.cardTapped, answering: effect.identifier)]
            case .processCard:
                [
                    .card(accountNumber("9999990000000014"), name: ""),
                    .payment(
                        first, answering: effect.identifier,
                        sealed: card(1000, type: first == .firstARQC ? 0x80 : 0x40, changes: [0x9F39: "07"])),
                ]
            default: next(effect)
            }
        }
    }

    @Test func S1_145_aCardIsTappedIfTheTerminalTakesTaps() async throws {
        let till = try await PayTill(Self.tap())
        // Off by default, as in later releases.
        #expect(!AcceptTerminal(uuid: "T", displayName: "T").entries.contains(.tap))
        till.terminals.change { $0.entries = [.tap, .chip, .swipe] }
        let asked = Lock(0)
        let run = till.accept.startPay(
            till.config(), handlers: AcceptPaymentHandlers(signature: { _ in asked.withLock { $0 += 1 } }))
        let payment = try await run.result()
        #expect(payment.isAccepted)
        #expect(await steps(run).contains(.tapOrInsertOrSwipeCard))
        // Without a signature, and without a second cryptogram.
        #expect(asked.withLock { $0 } == 0)
        #expect(!till.terminals.actions.contains(.completeCard(.approved)))
        let view = till.link.payment("A1")
        #expect(view["sandbox"]?["pos_entry_mode"]?.text == "07")
        #expect(view["sandbox"]?["has_signature"] == .flag(false))
        // SPm2 has the signature of a tap after its completion.
        var parameters = AcceptPaymentParameters()
        parameters.signatureImage = [1, 2, 3]
        _ = try await till.accept.requestOperationOnPaymentWithID(
            payment.uniqueId, andAccessToken: till.token, config: ConfigurationTests.backend,
            operation: .signatureUpdate, paymentUpdateParameters: parameters)
        #expect(till.link.payment("A1")["sandbox"]?["has_signature"] == .flag(true))
    }

    /// A tap whose verification method is a signature, and that the card approves.
    @Test func S1_145_aTapIsSigned() async throws {
        let till = try await PayTill(
            limits: OfflineLimits(currencyCode: 978, floor: 5000, count: 5, total: 10_000),
            Self.tap(.firstTCWithSignature))
        till.terminals.change { $0.entries = [.tap, .chip, .swipe] }
        let asked = Lock(0)
        let payment = try await till.pay(
            nil,
            AcceptPaymentHandlers(
                signature: { request in
                    asked.withLock { $0 += 1 }
                    request.signatureCallback([1], nil)
                }, signatureVerification: { $1(.approved) }))
        #expect(payment.isAccepted)
        #expect(asked.withLock { $0 } == 1)
        #expect(try await till.accept.status(of: "A1").state == .approved)
    }

    @Test func S1_148_aPaymentFollowsAfterTheTerminalWasUnplugged() async throws {
        let till = try await PayTill(chip(1000, ["accept": []]))
        let run = till.accept.startPay(till.config())
        await till.terminals.received { $0 == .acceptCard }
        till.terminals.send(.reason(.failedBluetoothConnection))
        till.terminals.send(.payment(.linkLost))
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.failedBluetoothConnection))
        let next = till.accept.startPay(till.config(1000, "A2"))
        #expect(await next.cancel())
    }

    /// A terminal without an identifier is not asked for at the host, and its swipe is paid.
    @Test func S1_148_aSwipeNeedsNoIdentifierOfTheTerminal() async throws {
        let till = try await PayTill(Self.swipe())
        till.terminals.change { terminal in
            terminal.entries = [.swipe]
            terminal.serialNumber = ""
            terminal.model = ""
        }
        let handlers = AcceptPaymentHandlers(
            signature: { $0.signatureCallback([1], nil) }, signatureVerification: { $1(.approved) })
        #expect(try await till.pay(nil, handlers).isAccepted)
        #expect(!till.link.paths.contains { $0.hasPrefix("/v3/terminals/") })
        #expect(till.link.booked("A1") == 1000)
    }

    @Test func S1_148_aChipCardThatIsSwipedMustBeInserted() async throws {
        let isSwiped = Lock(false)
        let next = chip()
        let till = try await PayTill { effect in
            guard effect.action == .acceptCard, !isSwiped.withLock({ $0 }) else { return next(effect) }
            isSwiped.withLock { $0 = true }
            return [.payment(.chipCardSwiped, answering: effect.identifier)]
        }
        let run = till.accept.startPay(till.config())
        #expect(try await run.result().isAccepted)
        #expect(await steps(run).contains(.waitingForInsertCard))
    }

    @Test func S1_149_theCardholderConfirmsOnTheTelephoneAndEntersATip() async throws {
        let taps = Lock(0)
        let next = chip()
        let till = try await PayTill { effect in
            switch effect.action {
            case .acceptCard: return [.payment(.cardTapped, answering: effect.identifier)]
            case .processCard where taps.withLock({ $0 == 0 }):
                taps.withLock { $0 += 1 }
                return [.state(.gratuityEntryStarted), .payment(.tapSeePhone, answering: effect.identifier)]
            default: return next(effect)
            }
        }
        let run = till.accept.startPay(till.config())
        #expect(try await run.result().isAccepted)
        let steps = await steps(run)
        #expect(steps.contains(.followInstructionsOnConsumerDevice))
        #expect(steps.contains(.gratuityEntryStarted))
    }
}
