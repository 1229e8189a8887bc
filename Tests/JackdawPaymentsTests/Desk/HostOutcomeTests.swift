import JackdawEMV
import JackdawPayments
import Testing

/// The course of attempts with a card: answers, silence, cards that decline.
@Suite struct HostOutcomeTests {
    @Test func anApprovalIsReportedAfterItIsWritten() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .wait
        till.send(.answered(.approval(), effect: effect))
        while !till.waitingWrites.isEmpty {
            #expect(till.reports.isEmpty)
            till.finishWrite()
        }
        #expect(till.reports.map(\.state) == [.approved])
        #expect(till.reports[0].outcome == .approved)
        #expect(till.reports[0].reference == HostReference(rawValue: "R1"))
        #expect(till.state() == .approved)
        #expect(till.desk.courses.isEmpty && till.asks.isEmpty)
    }

    @Test func aChipCardCompletesAndItsCryptogramIsDelivered() throws {
        var till = TestTill()
        let effect = try till.ask(chip: true)
        till.send(.answered(.approval(), effect: effect))
        #expect(till.task?.action == .completeCard(.approved))
        #expect(till.cardOctets.text == "ARPC")
        till.answer(.secondTC, sealed: "TC")
        #expect(till.takeReports() == [.approved])
        let delivery = try till.takeAsk()
        #expect(delivery.request.operation == .complete && delivery.request.octets.text == "TC")
        #expect(delivery.request.reference == HostReference(rawValue: "R1"))
        till.send(.answered(.acknowledged, effect: delivery.effect))
        #expect(till.reports.map(\.isDeliveryQueued) == [false])
        #expect(till.store[attempt("A1")]?.delivery == nil)
        #expect(till.desk.courses.isEmpty)
    }

    @Test func aDeclineIsNotReversed() throws {
        for isChip in [false, true] {
            var till = TestTill()
            let effect = try till.ask(chip: isChip)
            till.send(.answered(.decline, effect: effect))
            if isChip {
                // A crash while the card completes.
                var copy = till
                copy.crash()
                #expect(copy.state() == .declined && copy.asks.isEmpty)
                till.answer(.secondAAC)
            }
            #expect(till.takeReports() == [.declined])
            till.wait(.seconds(10_000))
            till.crash()
            #expect(till.asks.isEmpty)
        }
    }

    @Test func silenceIsReportedAtOnceAndReversed() throws {
        var till = TestTill()
        let effect = try till.ask(chip: true)
        till.wait(.seconds(44))
        #expect(till.reports.isEmpty)
        till.wait(.seconds(1))
        // Before the card has completed.
        #expect(till.takeReports() == [.unknown])
        #expect(till.task?.action == .completeCard(.unknown))
        let reversal = try till.takeAsk()
        #expect(reversal.request.operation == .reverse && reversal.request.cause == .timeout)
        #expect(reversal.request.attempt == attempt("A1"))
        till.answer(.secondAAC)
        #expect(till.reports.map(\.outcome) == [.failedHostTimeout])
        #expect(till.takeReports() == [.unknown])
        till.send(.answered(.acknowledged, effect: reversal.effect))
        #expect(till.takeReports() == [.reversed])
        // The late answer changes nothing.
        till.send(.answered(.approval(), effect: effect))
        #expect(till.state() == .reversed && till.asks.isEmpty && till.takeReports().isEmpty)
    }

    @Test func anAnswerThatCannotBeReadIsSilence() throws {
        for answer in [HostReply.acknowledged, .notFound, .status(.pending)] {
            var till = TestTill()
            let effect = try till.ask()
            till.send(.answered(answer, effect: effect))
            #expect(till.reports.map(\.trouble) == [.unreadable])
            #expect(till.takeReports() == [.unknown])
            #expect(try till.takeAsk().request.operation == .reverse)
        }
    }

    /// The program learns why the host did not decide.
    @Test func aReportHasTheTroubleOfTheHost() throws {
        func trouble(_ event: (Int) -> DeskEvent) throws -> [HostTrouble?] {
            var till = TestTill()
            let effect = try till.ask(chip: true)
            till.send(event(effect))
            till.answer(.secondAAC)
            #expect(!till.reports.isEmpty)
            return till.reports.map(\.trouble)
        }
        func failure(_ code: HostFailure.Code, isCertainlyNotSent: Bool = false) -> HostFailure {
            HostFailure(code, isCertainlyNotSent: isCertainlyNotSent, message: "")
        }
        #expect(try trouble { .answered(.refused(ReasonText("invalid")), effect: $0) }.last == .refused)
        #expect(try trouble { .unanswered(failure(.unreadable), effect: $0) }.last == .unreadable)
        #expect(try trouble { .answered(.decline, effect: $0) }.allSatisfy { $0 == nil })
        for code in [HostFailure.Code.noAnswer, .hostError, .conflict] {
            #expect(try trouble { .unanswered(failure(code), effect: $0) }.allSatisfy { $0 == nil })
        }
    }

    @Test func aLateDeclineStopsTheReversal() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.send(.timer)
        till.writes = .wait
        till.wait(.seconds(45))
        // The reversal is not durable yet, so that it has not been sent.
        #expect(till.asks.isEmpty)
        till.send(.answered(.decline, effect: effect))
        till.writes = .work
        till.finishWrite()
        #expect(till.state() == .declined && till.asks.isEmpty)
        #expect(till.takeReports() == [.unknown, .declined])
    }

    @Test func aLateDeclineStopsTheRepetitionOfAReversal() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.wait(.seconds(45))
        let reversal = try till.takeAsk()
        till.send(.answered(.decline, effect: effect))
        #expect(till.state() == .declined)
        till.send(.unanswered(.silent, effect: reversal.effect))
        till.wait(.seconds(10_000))
        #expect(till.state() == .declined && till.asks.isEmpty)
    }

    @Test func aRequestThatWasNotSentIsNotReversed() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.send(.unanswered(.unsent, effect: effect))
        #expect(till.takeReports() == [.failed])
        #expect(till.asks.isEmpty && till.state() == .failed)
    }

    @Test func aCardThatDeclinesAfterTheHostApprovedIsReversed() throws {
        var till = TestTill()
        let effect = try till.ask(chip: true)
        till.send(.answered(.approval(), effect: effect))
        till.answer(.secondAAC)
        #expect(till.takeReports() == [.reversing])
        let reversal = try till.takeAsk()
        #expect(reversal.request.cause == .cardDeclined)
        #expect(reversal.request.reference == HostReference(rawValue: "R1"))
        till.begin(try purchase())
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        till.send(.answered(.acknowledged, effect: reversal.effect))
        #expect(till.takeReports() == [.reversed])
    }

    @Test func aRefusedReversalNeedsAPerson() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.send(.unanswered(.silent, effect: effect))
        let reversal = try till.takeAsk()
        till.send(.answered(.refused(ReasonText("settled yesterday")), effect: reversal.effect))
        #expect(till.takeReports() == [.unknown, .needsAttention])
        till.crash()
        #expect(till.desk.needingAttention.map(\.reason) == [ReasonText("settled yesterday")])
        till.send(.attend(attempt("A1"), .sendAgain, note: ReasonText("not settled"), call: 0))
        #expect(till.accepted.map(\.report.state) == [.unknown])
        let again = try till.takeAsk()
        #expect(again.request.operation == .reverse && again.request.cause == reversal.request.cause)
        till.send(.answered(.refused(ReasonText("settled")), effect: again.effect))
        #expect(till.desk.needingAttention.map(\.reason) == [ReasonText("settled")])
        till.crash()
        till.send(.attend(attempt("A2"), .unpaid, note: ReasonText(""), call: 1))
        till.send(.attend(attempt("A1"), .unpaid, note: ReasonText("refunded by hand"), call: 2))
        till.send(.attend(attempt("A1"), .unpaid, note: ReasonText("again"), call: 3))
        #expect(till.refused.map(\.call) == [1, 3])
        #expect(till.accepted.map(\.report.state) == [.failed])
        #expect(till.store[attempt("A1")]?.attention?.note == ReasonText("refunded by hand"))
        #expect(till.desk.needingAttention.isEmpty)
        till.begin(try purchase())
        #expect(till.accepted.last?.report.state == .open)
    }

    @Test func aSignatureThatIsRejectedIsReversed() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.send(.answered(.approved(HostApproval(needsSignature: true)), effect: effect))
        #expect(till.task?.action == .captureSignature)
        till.answer(.signatureRefused)
        #expect(till.takeReports() == [.reversing])
        #expect(try till.takeAsk().request.cause == .signatureRejected)
    }

    @Test func cancelledAndFailedAttemptsEndWithoutTheHost() throws {
        var till = TestTill()
        till.begin(try purchase())
        till.answer(.prepared)
        till.send(.payment(attempt("A1"), .cancelled))
        #expect(till.state() == .cancelled)
        till.begin(try purchase())
        till.wait(.seconds(10))
        #expect(till.state("A2") == .failed)
        #expect(till.takeReports() == [.cancelled, .failed])
        #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
    }

    @Test func theProgramCannotTurnReversalsOff() {
        var policy = PaymentPolicy()
        policy.reversesOnTimeout = false
        policy.reversesOnCrash = false
        policy.approvesOfflineAfterHostTimeout = true
        policy.maxTapFailures = 5
        let desk = PaymentDesk(host: .unknownHost, policy: policy)
        #expect(desk.policy.reversesOnTimeout && desk.policy.reversesOnCrash)
        #expect(!desk.policy.approvesOfflineAfterHostTimeout)
        #expect(desk.policy.maxTapFailures == 5)
    }
}
