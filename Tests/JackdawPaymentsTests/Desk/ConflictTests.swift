import JackdawEMV
import JackdawPayments
import Testing

/// An identifier that the host has in use, perhaps for a payment of another till.
@Suite struct ConflictTests {
    private let conflict = HostFailure(.conflict, isCertainlyNotSent: false, message: "in use")
    private let unreadable = HostFailure(.unreadable, isCertainlyNotSent: false, message: "not JSON")

    /// A till whose purchase A1 met a conflict; the enquiry is at the host.
    private func till() throws -> TestTill {
        var till = TestTill()
        till.send(.unanswered(conflict, effect: try till.ask()))
        #expect(till.state() == .unknown)
        return till
    }

    /// Takes the request, which must be an enquiry, and answers it.
    private func answerEnquiry(_ till: inout TestTill, _ status: HostStatus) throws {
        let enquiry = try till.takeAsk()
        #expect(enquiry.request.operation == .enquire)
        till.send(.answered(.status(status), effect: enquiry.effect))
    }

    @Test func anOwnPaymentIsReversedAfterAnEnquiry() throws {
        var till = try till()
        try answerEnquiry(&till, .approved(nil))
        #expect(try till.takeAsk().request.operation == .reverse)
    }

    @Test func anotherPaymentIsNotReversed() throws {
        var till = try till()
        try answerEnquiry(&till, .otherPayment)
        #expect(till.state() == .unknown)
        till.wait(.seconds(5))
        try answerEnquiry(&till, .otherPayment)
        #expect(till.state() == .needsAttention)
        till.wait(.seconds(10_000))
        #expect(till.asks.isEmpty)
        // Nor is it if a person has it sent again.
        till.send(.attend(attempt("A1"), .sendAgain, note: ReasonText("again"), call: 1))
        #expect(try till.takeAsk().request.operation == .enquire)
    }

    @Test func anAnswerThatClearsUpNothingLeadsToAnotherEnquiry() throws {
        for status in [HostStatus.pending, .nothingBooked] {
            var till = try till()
            try answerEnquiry(&till, status)
            till.wait(.seconds(5))
            #expect(try till.takeAsk().request.operation == .enquire)
        }
    }

    /// The time limit has passed, and the reversal waits for its write.
    @Test func aLateConflictLeadsToAnEnquiry() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .wait
        till.wait(.seconds(60))
        #expect(till.asks.isEmpty && !till.waitingWrites.isEmpty)
        till.send(.unanswered(conflict, effect: effect))
        till.writes = .work
        while !till.waitingWrites.isEmpty { till.finishWrite() }
        #expect(try till.takeAsk().request.operation == .enquire)
    }

    @Test func aConflictAboutAReversalLeadsToAnEnquiry() throws {
        var till = TestTill()
        till.send(.unanswered(.silent, effect: try till.ask()))
        let reversal = try till.takeAsk()
        #expect(reversal.request.operation == .reverse)
        till.send(.unanswered(conflict, effect: reversal.effect))
        till.wait(.seconds(5))
        try answerEnquiry(&till, .otherPayment)
        till.wait(.seconds(10))
        try answerEnquiry(&till, .otherPayment)
        #expect(till.state() == .needsAttention)
    }

    @Test func aRefundWithAnIdentifierInUseNeedsAPerson() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.send(.answered(.approval(), effect: effect))
        till.begin(
            try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("A1")), amount: euros(1050)), as: "F1")
        till.send(.unanswered(conflict, effect: try till.takeAsk().effect))
        #expect(till.state("F1") == .unknown)
        try answerEnquiry(&till, .otherPayment)
        till.wait(.seconds(5))
        try answerEnquiry(&till, .otherPayment)
        #expect(till.state("F1") == .needsAttention && till.asks.isEmpty)
    }

    /// Answers that the queue cannot go on with do not keep an attempt in doubt for ever.
    @Test func unusableAnswersOneAfterAnotherNeedAPerson() throws {
        for failure in [conflict, unreadable] {
            var till = try till()
            for number in 1..<PaymentDesk.maxUnusableAnswers {
                till.send(.unanswered(failure, effect: try till.takeAsk().effect))
                #expect(till.state() == .unknown, "after answer \(number)")
                till.wait(until: try #require(till.desk.nextDeadline))
            }
            till.send(.unanswered(failure, effect: try till.takeAsk().effect))
            #expect(till.state() == .needsAttention && till.asks.isEmpty)
            #expect(till.desk.needingAttention.map(\.reason) == [ReasonText(failure.message)])
        }
    }

    /// The host has the payment, and calls its identifier used whenever it is reversed.
    @Test func aReversalThatAlwaysMeetsAConflictNeedsAPerson() throws {
        var till = try till()
        for _ in 0..<PaymentDesk.maxUnusableAnswers {
            #expect(till.state() != .needsAttention)
            if let deadline = till.desk.nextDeadline, till.asks.isEmpty { till.wait(until: deadline) }
            try answerEnquiry(&till, .approved(nil))
            let reversal = try till.takeAsk()
            #expect(reversal.request.operation == .reverse)
            till.send(.unanswered(conflict, effect: reversal.effect))
        }
        #expect(till.state() == .needsAttention && till.asks.isEmpty)
    }

    @Test func silenceAndOtherAnswersDoNotCount() throws {
        var till = try till()
        for _ in 0..<3 * PaymentDesk.maxUnusableAnswers {
            till.send(.unanswered(.silent, effect: try till.takeAsk().effect))
            till.wait(until: try #require(till.desk.nextDeadline))
            till.send(.unanswered(unreadable, effect: try till.takeAsk().effect))
            till.wait(until: try #require(till.desk.nextDeadline))
            try answerEnquiry(&till, .pending)
            till.wait(until: try #require(till.desk.nextDeadline))
        }
        #expect(till.state() == .unknown)
    }

    /// The host has another payment with the identifier of one that the card approved without it.
    @Test func anAdviceWithAnIdentifierInUseNeedsAPerson() throws {
        var till = TestTill(limits: OfflineLimits(currencyCode: 978, floor: 5000, count: 1, total: 5000))
        till.begin(try purchase())
        till.readCard(chip: true)
        till.send(.unanswered(.unsent, effect: try till.takeAsk().effect))
        till.answer(.secondTC, sealed: "TC")
        #expect(till.state() == .approved)
        for _ in 0..<PaymentDesk.maxUnusableAnswers {
            let advice = try till.takeAsk()
            #expect(advice.request.operation == .advise)
            till.send(.unanswered(conflict, effect: advice.effect))
            if let deadline = till.desk.nextDeadline { till.wait(until: deadline) }
        }
        #expect(till.state() == .needsAttention && till.asks.isEmpty)
        #expect(till.store[attempt("A1")]?.delivery?.octets.text == "TC")
    }
}
