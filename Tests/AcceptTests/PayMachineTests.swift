import Foundation
import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import Testing

@testable import Accept

/// The machine of a payment without service, terminal and app.
@Suite struct PayMachineTests {
    private func report(_ outcome: PaymentOutcome, _ state: AttemptState) throws -> AttemptReport {
        var record = AttemptRecord(
            attempt("A1"),
            try AttemptRequest(
                sale: SaleIdentifier(rawValue: "sale")!, kind: .purchase,
                amount: Amount(minorUnits: 1000, currencyCode: 978)),
            on: RecordedTime(seconds: 0, offset: 0))
        var journal = PaymentJournal()
        journal.outcome = outcome
        record.flow = journal
        record.state = state
        return AttemptReport(record)
    }

    /// The errors of docs/accept.md: a row of the outcome has each code that the machine gives for it.
    @Test func everyOutcomeHasTheErrorOfThePage() throws {
        let rows = try ProjectFiles.text(of: "docs/accept.md").split(separator: "\n").filter { $0.hasPrefix("| `") }
        for outcome in PaymentOutcome.allCases {
            let report = try report(outcome, outcome.isApproved ? .approved : .reversing)
            guard let error = AcceptError(report, PaymentTrace()) else {
                #expect(outcome.isApproved)
                continue
            }
            let row = rows.first { row in
                row.split(separator: "|").first.map { $0.contains("`\(outcome.rawValue)`") } ?? false
            }
            #expect(row?.contains("`\(error.code.name)`") == true, "\(outcome.rawValue): \(error.code.name)")
            #expect(error.decline?.outcome == outcome)
            #expect(error.code.domain == "AcceptPayErrorCode")
        }
    }

    @Test func errorsFollowTheTraceOfThePayment() throws {
        func code(_ outcome: PaymentOutcome, _ change: (inout PaymentTrace) -> Void) throws -> AcceptError.Code? {
            var trace = PaymentTrace()
            change(&trace)
            return AcceptError(try report(outcome, .failed), trace)?.code
        }
        #expect(try code(.failedTimeout) { $0.task = .acceptCard } == .pay(.swipeTimeout))
        #expect(try code(.failedTimeout) { $0.task = .chooseApplication } == .pay(.terminalTimeoutApplicationSelection))
        #expect(try code(.failedTimeout) { $0.task = .prepare } == .pay(.terminalCommandTimeOut))
        #expect(try code(.failedTimeout) { $0.task = .processCard } == .pay(.terminalTimeOut))
        #expect(try code(.notAccepted) { $0.isBlocked = true } == .pay(.blockedCardType))
        #expect(try code(.cancelled) { $0.isExcluded = true } == .pay(.blockedCardType))
        #expect(try code(.failedPreparation) { $0.reason = .noDUKPT } == .pay(.noDUKPT))
        #expect(try code(.declinedSignature) { $0.isSignatureRefused = true } == .pay(.signatureRequest))
    }

    @Test func aPaymentThatWasTakenBackIsNotApproved() throws {
        for state in [AttemptState.reversing, .reversed, .failed] {
            #expect(AcceptError(try report(.approved, state), PaymentTrace())?.code == .operationNotAllowed)
        }
        #expect(AcceptError(try report(.approved, .needsAttention), PaymentTrace())?.code == .needsAttention)
        #expect(AcceptError(try report(.approved, .approved), PaymentTrace()) == nil)
    }

    @Test func anOpenOutcomeAdvisesToWait() throws {
        let unknown = AcceptError(try report(.failedHostTimeout, .unknown), PaymentTrace())
        #expect(unknown?.decline?.advice == .waitForOutcome)
        #expect(unknown?.decline?.reversalReason == .noEFTResponse)
        let reversing = AcceptError(try report(.declinedByCard, .reversing), PaymentTrace())
        #expect(reversing?.decline?.advice == .useOtherCard)
        #expect(reversing?.decline?.reversalReason == .cardDeclined)
        let recovered = AcceptError(try report(.failedRecovered, .reversing), PaymentTrace())
        #expect(recovered?.decline?.reversalReason == .noEFTResponse)
        // Nothing was booked, so that nothing is reversed.
        let offline = AcceptError(try report(.declinedOffline, .declined), PaymentTrace())
        #expect(offline?.decline != nil && offline?.decline?.reversalReason == nil)
        let declined = AcceptError(try report(.declinedSignature, .declined), PaymentTrace())
        #expect(declined?.decline?.reversalReason == nil)
    }

    @Test func answersToAnotherRequestChangeNothing() {
        var machine = AcceptPayMachine(exclusion: nil, entries: [.chip])
        _ = machine.receive(.task(PaymentEffect(identifier: 7, action: .captureSignature), forCard: HTTPBody()))
        #expect(machine.receive(.signature([1], request: 6)).isEmpty)
        #expect(machine.receive(.signature([1], request: 7)).count == 1)
        #expect(machine.receive(.signature([1], request: 7)).isEmpty)
        _ = machine.receive(.task(PaymentEffect(identifier: 8, action: .verifySignature), forCard: HTTPBody()))
        #expect(machine.receive(.verification(.notDefined, request: 8)).isEmpty)
        #expect(machine.receive(.application(0, request: 8)).count <= 1)
    }

    @Test func aCancellationIsNotTheEndOfAnApprovedPayment() throws {
        for outcome in [PaymentOutcome.approved, .cancelled] {
            var machine = AcceptPayMachine(exclusion: nil, entries: [.chip])
            _ = machine.receive(.cancel)
            let effects = machine.receive(.report(try report(outcome, .approved)))
            guard case .cancelled(let isDone)? = effects.first else {
                Issue.record("the cancellation has no answer")
                continue
            }
            #expect(isDone == (outcome == .cancelled))
        }
    }

    private static let excludingVisa = AcceptPaymentMethods.Terminal(
        uuid: "T", isEnabled: true, displayNames: [:],
        cardsExclusion: [AcceptPaymentMethods.Exclusion(issuer: "visa", cardType: "credit_card")])

    @Test(arguments: [
        PaymentEvent.firstARQC, .firstTC, .firstTCWithSignature, .cardSwiped, .chipCardSwiped,
    ])
    func aCardWhoseNumberIsNotShownIsRefusedIfAnyIsExcluded(event: PaymentEvent) throws {
        /// The events for the service.
        func sent(_ events: [AcceptTerminalEvent], _ exclusion: AcceptPaymentMethods.Terminal?) -> [PaymentEvent] {
            var machine = AcceptPayMachine(exclusion: exclusion, entries: [.chip, .swipe])
            return events.flatMap { machine.receive(.terminal($0)) }.compactMap { effect in
                if case .send(let event, _, _) = effect { event } else { nil }
            }
        }
        let none = AcceptPaymentMethods.Terminal(
            uuid: "T", isEnabled: true, displayNames: [:], cardsExclusion: [])
        let card = AcceptTerminalEvent.card(accountNumber("9999990000000014"), name: "")
        let data = AcceptTerminalEvent.payment(event, answering: 1, sealed: body([1]))
        #expect(sent([data], Self.excludingVisa) == [.cancelled])
        #expect(sent([data], none) == [event])
        #expect(sent([data], nil) == [event])
        #expect(sent([card, data], Self.excludingVisa) == [event])
        // Another card is not the one that was shown.
        #expect(sent([card, data, data], Self.excludingVisa) == [event, .cancelled])
        #expect(sent([card, .payment(.cardRemoved), data], Self.excludingVisa) == [.cardRemoved, .cancelled])
        #expect(sent([card, .payment(.firstAAC), data], Self.excludingVisa) == [.firstAAC, .cancelled])

        var machine = AcceptPayMachine(exclusion: Self.excludingVisa, entries: [.chip, .swipe])
        _ = machine.receive(.terminal(data))
        guard case .end(_, let error, _)? = machine.receive(.report(try report(.cancelled, .cancelled))).last else {
            Issue.record("the payment has no end")
            return
        }
        #expect(error?.code == .pay(.blockedCardType))
        #expect(error?.decline?.text.contains("does not show") == true)
    }

    @Test func anySequenceEndsOnceAndSendsNothingOfAnExcludedCard() throws {
        let visa = try PrimaryAccountNumber(Array("4111111111111111".utf8).span)
        let actions: [PaymentAction] = [
            .prepare, .acceptCard, .processCard, .chooseApplication, .completeCard(.approved), .captureSignature,
            .verifySignature, .stopReader, .prompt(.removeCard), .prompt(.swipeCard), .reject(.cancelled),
            .ignore(.cardInserted), .writeJournal(PaymentJournal()),
        ]
        var random = SeededRandom(seed: 31)
        var faults = 0
        for _ in 0..<400 {
            var machine = AcceptPayMachine(exclusion: Self.excludingVisa, entries: [.chip, .swipe])
            var (ends, isExcluded) = (0, false)
            for step in 0..<Int.random(in: 1...40, using: &random) {
                let event: AcceptPayEvent
                switch Int.random(in: 0...9, using: &random) {
                case 0, 1, 2:
                    let action = actions.randomElement(using: &random) ?? .prepare
                    event = .task(PaymentEffect(identifier: step, action: action), forCard: HTTPBody())
                case 3:
                    event = .terminal(.card(visa, name: ""))
                    isExcluded = true
                case 4, 5:
                    let sealed = Bool.random(using: &random) ? body([1]) : HTTPBody()
                    event = .terminal(
                        .payment(
                            PaymentEvent.allCases.randomElement(using: &random) ?? .cardSwiped, answering: step,
                            sealed: sealed))
                case 6: event = .signature(Bool.random(using: &random) ? [1] : nil, request: step - 1)
                case 7: event = .verification(.rejected, request: step - 1)
                case 8: event = .application(Int.random(in: -1...3, using: &random), request: step - 1)
                default:
                    if Int.random(in: 0...9, using: &random) == 0 {
                        event = .report(
                            try report(PaymentOutcome.allCases.randomElement(using: &random) ?? .cancelled, .failed))
                    } else {
                        event = .cancel
                    }
                }
                for effect in machine.receive(event) {
                    if ends > 0 { faults += 1 }
                    switch effect {
                    case .end: ends += 1
                    case .send(_, _, let sealed): if isExcluded, sealed.count > 0 { faults += 1 }
                    default: break
                    }
                }
            }
        }
        #expect(faults == 0)
    }
}
