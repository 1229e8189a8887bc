import JackdawEMV
import Testing

/// Time, identifiers and the journal of a payment.
@Suite struct PaymentFlowTests {
    private static let asked: [PaymentEvent] = [.start, .prepared, .cardInserted, .firstARQC]

    private func till(_ events: [PaymentEvent]) -> FakeTill {
        var till = FakeTill()
        for event in events { till.happen(event) }
        return till
    }

    @Test func everyTaskHasItsTimeLimit() throws {
        var payment = PaymentFlow()
        #expect(payment.nextDeadline == nil)
        _ = payment.receive(.start, at: .seconds(100))
        #expect(payment.nextDeadline == .seconds(110))
        #expect(payment.receive(.timer, at: .seconds(109)).map(\.action) == [.ignore(.timer)])
        #expect(payment.receive(.timer, at: .seconds(110)).map(\.action).last == .end(.failedTimeout))
        #expect(payment.nextDeadline == nil)
    }

    /// An answer after the deadline is late, even if no one has sent the time-out.
    @Test func aDeadlineThatHasPassedComesBeforeTheAnswer() throws {
        var till = till(Self.asked)
        let request = till.openTask
        let deadline = try #require(till.payment.nextDeadline)
        var payment = till.payment
        let actions = payment.receive(.hostApproved, answering: request, at: deadline).map(\.action)
        #expect(actions.contains(.reverse(.timeout)))
        #expect(actions.last == .ignore(.hostAnsweredLate))
        #expect(payment.phase == .completingCard)
        #expect(till.answer(.hostApproved, to: request) == .handled)
    }

    @Test func lateAndRepeatedAnswersChangeNothing() {
        var till = till(Self.asked)
        let request = till.openTask
        #expect(till.answer(.hostApproved, to: request) == .handled)
        let state = till.payment.journal
        #expect(till.answer(.hostApproved, to: request) == .ignored)
        #expect(till.effects.last?.action == .ignore(.hostAnsweredLate))
        #expect(till.answer(.firstTC, to: request) == .ignored)
        #expect(till.effects.last?.action == .ignore(.answeredLate))
        #expect(till.answer(.secondTC, to: nil) == .ignored)
        #expect(till.payment.journal == state)
        #expect(till.payment.phase == .completingCard)
        #expect(till.happen(.secondTC) == .handled)
    }

    @Test func identifiersIncrease() {
        let till = till(Self.asked + [.hostApproved, .secondTC, .recordStored])
        let identifiers = till.effects.map(\.identifier)
        #expect(identifiers == identifiers.sorted())
        #expect(Set(identifiers).count == identifiers.count)
        #expect(identifiers.first == 1)
    }

    /// A slow store would never be in time if each attempt had its own identifier.
    @Test func aRecordThatIsStoredAgainKeepsItsIdentifier() {
        var till = till([.start, .prepared, .cardInserted, .firstTC])
        let first = till.openTask
        till.happen(.timer)
        till.happen(.timer)
        #expect(till.openTask == first)
        #expect(till.answer(.recordStored, to: first) == .handled)
        #expect(till.records == 1)
        #expect(till.outcomes == [.approvedOffline])
    }

    @Test(arguments: [(nil, 2), (3, 3), (1, 1), (0, 1)])
    func tapsAreOffAfterTheNumberOfFailuresOfThePolicy(limit: Int?, failures: Int) {
        var policy = PaymentPolicy()
        if let limit { policy.maxTapFailures = limit }
        var till = FakeTill(policy: policy)
        for event in [PaymentEvent.start, .prepared] { till.happen(event) }
        for _ in 0..<failures {
            #expect(till.payment.isTapAllowed)
            for event in [PaymentEvent.cardTapped, .tapAgain] { till.happen(event) }
        }
        #expect(!till.payment.isTapAllowed)
        till.happen(.cardTapped)
        #expect(till.payment.phase == .awaitingCard)
    }

    /// A removed card in front of the reader, and a PIN prompt, change the payment's own state alone.
    @Test func anEventMayHaveNoEffect() {
        var till = till([.start, .prepared, .cardInserted])
        let count = till.effects.count
        till.happen(.pinRequested)
        #expect(till.effects.count == count)
        #expect(till.payment.phase == .enteringPIN)
    }

    @Test func theJournalIsWrittenBeforeTheRequestLeaves() throws {
        let till = till(Self.asked)
        let request = try #require(till.effects.firstIndex { $0.action == .askHost })
        guard case .writeJournal(let journal) = till.effects[request - 1].action else {
            Issue.record("no journal before the request")
            return
        }
        #expect(journal.host == .asked)
        #expect(journal.entry == .chip)
    }

    @Test func theOutcomeIsWrittenBeforeItIsReported() throws {
        let till = till(Self.asked + [.hostDeclined, .secondAAC])
        let end = try #require(till.effects.firstIndex { $0.action == .end(.declinedOnline) })
        let journals = till.effects[..<end].compactMap { effect in
            if case .writeJournal(let journal) = effect.action { journal } else { nil }
        }
        #expect(journals.last?.outcome == .declinedOnline)
    }

    @Test func aStoredRecordIsApprovedAfterACrash() {
        let till = till(Self.asked + [.hostApproved, .secondTC])
        var journal = till.journal
        journal.isRecordStored = true
        var payment = PaymentFlow(restoring: journal)
        #expect(payment.receive(.recovered, at: .zero).map(\.action).last == .end(.approved))
        #expect(!payment.journal.isReversalQueued)
    }

    /// Recovery that is killed itself queues one reversal.
    @Test func recoveryCanBeRepeated() {
        let journal = till(Self.asked).journal
        var first = PaymentFlow(restoring: journal)
        #expect(first.receive(.recovered, at: .zero).map(\.action).contains(.reverse(.crash)))
        var second = PaymentFlow(restoring: first.journal)
        #expect(second.phase == .done)
        #expect(second.receive(.recovered, at: .zero).map(\.action) == [.ignore(.recovered)])
        #expect(second.journal == first.journal)
    }
}

/// Payments that were worked out by hand, each with the section from which it comes: of EMV 4.4, compared with its
/// text, or the callback of the Accept guide.
@Suite struct PaymentCaseTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let source: String
        /// The events that follow a prepared reader.
        let events: [PaymentEvent]
        let outcome: PaymentOutcome
        var reversals = 0
        var records = 0
        /// An effect that the payment must have.
        let effect: PaymentAction
        var testDescription: String { source }
    }

    static let cases = [
        Case(
            source: "Book 1, 12.3.2: 6A81 on the first SELECT is a blocked card; nothing else is tried",
            events: [.cardInserted, .cardBlocked], outcome: .notAccepted, effect: .end(.notAccepted)),
        Case(
            source: "Book 1, 12.4: the cardholder selects one of several applications",
            events: [
                .cardInserted, .applicationsFound, .applicationChoiceInvalid, .applicationChosen, .firstTC,
                .recordStored,
            ], outcome: .approvedOffline, records: 1, effect: .chooseApplication),
        Case(
            source: "Book 3, 10.5.1: a PIN that is bypassed is a failed method; the card still decides",
            events: [.cardInserted, .pinRequested, .pinBypassed, .firstARQC, .hostApproved, .secondTC, .recordStored],
            outcome: .approved, records: 1, effect: .completeCard(.approved)),
        Case(
            source: "Book 3, 10.8: a TC approves without the issuer",
            events: [.cardInserted, .firstTC, .recordStored], outcome: .approvedOffline, records: 1,
            effect: .storeRecord),
        Case(
            source: "Book 3, 10.8: an AAC declines without the issuer",
            events: [.cardInserted, .firstAAC], outcome: .declinedOffline, effect: .prompt(.removeCard)),
        Case(
            source: "Book 4, 6.3.8: the issuer approves and the card answers AAC: declined, and reversed",
            events: [.cardInserted, .firstARQC, .hostApproved, .secondAAC], outcome: .declinedByCard, reversals: 1,
            effect: .reverse(.cardDeclined)),
        Case(
            source: "Book 4, 12.2.1: unable to go online: the default action codes, and the card's TC (Y3) counts",
            events: [.cardInserted, .firstARQC, .hostUnreachable, .secondTC, .recordStored], outcome: .approvedOffline,
            records: 1, effect: .completeCard(.unreachable)),
        Case(
            source: "Book 4, 12.2.3: no answer in time: reversed, whatever the card decides",
            events: [.cardInserted, .firstARQC, .timer, .hostAnsweredLate, .secondTC], outcome: .failedHostTimeout,
            reversals: 1, effect: .completeCard(.unknown)),
        Case(
            source: "Accept guide, startPay, signatureVerification: after the host and before the second cryptogram",
            events: [
                .cardInserted, .firstARQC, .hostApproved, .readerSignatureRequested, .readerSignatureAccepted,
                .secondTC, .recordStored,
            ], outcome: .approved, records: 1, effect: .end(.approved)),
        Case(
            source: "Book 4, 6.6 and 6.6.2: USE CHIP READER; a fallback by the schemes' rules, here after two failures",
            events: [
                .chipCardSwiped, .cardInserted, .chipUnreadable, .chipCardSwiped, .cardInserted, .chipUnreadable,
                .chipCardSwiped, .hostDeclined,
            ], outcome: .declinedOnline, effect: .prompt(.useChip)),
    ]

    @Test(arguments: cases) func paymentsEndAsTheBooksSay(payment: Case) {
        var till = FakeTill()
        for event in [.start, .prepared] + payment.events { till.happen(event) }
        #expect(till.outcomes == [payment.outcome])
        #expect(till.reversals == payment.reversals)
        #expect(till.records == payment.records)
        #expect(till.effects.contains { $0.action == payment.effect })
    }
}
