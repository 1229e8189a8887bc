import JackdawEMV
import JackdawPayments
import Testing

/// Captures and refunds, which need no card.
@Suite struct CaptureTests {
    /// A till with an approved attempt A1 of 10.00 EUR.
    private func till(_ kind: AttemptKind) throws -> TestTill {
        var till = TestTill()
        till.begin(try AttemptRequest(sale: sale("S1"), kind: kind, amount: euros(1000)))
        till.readCard()
        till.send(.answered(.approval("R1"), effect: try till.takeAsk().effect))
        #expect(till.state() == .approved)
        _ = till.takeReports()
        return till
    }

    private func request(
        _ kind: AttemptKind, _ amount: UInt64 = 1000, _ name: String = "S1", currency: UInt16 = 978
    ) throws -> AttemptRequest {
        try AttemptRequest(
            sale: sale(name), kind: kind, amount: Amount(minorUnits: amount, currencyCode: currency))
    }

    @Test func aCaptureBooksAnAuthorisationOnce() throws {
        var till = try till(.authorisation)
        till.begin(try request(.capture(of: attempt("A1")), 900), as: "C1")
        let ask = try till.takeAsk()
        #expect(ask.request.operation == .capture && ask.request.attempt == attempt("C1"))
        #expect(ask.request.originalReference == HostReference(rawValue: "R1"))
        #expect(till.state("C1") == .asked)
        till.begin(try request(.capture(of: attempt("A1")), 900), as: "C2")
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("C1"))])
        till.send(.answered(.approval("R2"), effect: ask.effect))
        #expect(till.takeReports() == [.approved])
        till.begin(try request(.capture(of: attempt("A1")), 100), as: "C3")
        #expect(till.takeRefusals() == [DeskRefusal(.salePaid, attempt("C1"))])
        #expect(till.desk.courses.isEmpty)
    }

    @Test func onlyApprovedOriginalsOfTheSaleCount() throws {
        var till = try till(.purchase)
        for kind in [
            AttemptKind.capture(of: attempt("A1")), .capture(of: attempt("A9")), .refund(of: attempt("A9")),
        ] {
            till.begin(try request(kind), as: "X")
            #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, kind.original)])
        }
        till.begin(try request(.refund(of: attempt("A1")), 1000, "S2"), as: "X")
        #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("A1"))])
        var authorised = try self.till(.authorisation)
        authorised.begin(try request(.refund(of: attempt("A1"))), as: "X")
        #expect(authorised.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("A1"))])
    }

    @Test func refundsDoNotExceedThePayment() throws {
        var till = try till(.purchase)
        for (amount, currency, isAllowed) in [
            (UInt64(1001), UInt16(978), false), (1000, 756, false), (600, 978, true), (401, 978, false),
            (400, 978, true), (1, 978, false),
        ] {
            till.begin(try request(.refund(of: attempt("A1")), amount, currency: currency))
            #expect(till.takeRefusals().map(\.code) == (isAllowed ? [] : [.amountExceeded]))
            guard isAllowed else { continue }
            till.send(.answered(.approval("R2"), effect: try till.takeAsk().effect))
        }
        // The sale stays paid: a person who wants to sell again begins another one.
        till.begin(try purchase())
        #expect(till.takeRefusals() == [DeskRefusal(.salePaid, attempt("A1"))])
    }

    @Test func aRefundWithoutAnAnswerIsNeverSentAgainButEnquired() throws {
        for (status, state) in [
            (HostStatus.approved(HostReference(rawValue: "R2")), AttemptState.approved),
            (.declined(ReasonText("no")), .declined), (.reversed, .reversed),
        ] {
            var till = try till(.purchase)
            till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
            let ask = try till.takeAsk()
            till.wait(.seconds(45))
            #expect(till.takeReports() == [.unknown])
            let enquiry = try till.takeAsk()
            #expect(enquiry.request.operation == .enquire && enquiry.request.attempt == attempt("F1"))
            till.crash()
            let again = try till.takeAsk()
            #expect(again.request.operation == .enquire)
            till.send(.answered(.status(status), effect: again.effect))
            #expect(till.state("F1") == state)
            till.send(.answered(.approval(), effect: ask.effect + 1000))
            #expect(till.state("F1") == state)
        }
    }

    @Test func aLateAnswerToARefundCounts() throws {
        for (answer, state) in [(HostReply.approval("R2"), AttemptState.approved), (.decline, .declined)] {
            var till = try till(.purchase)
            till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
            let ask = try till.takeAsk()
            till.wait(.seconds(45))
            let enquiry = try till.takeAsk()
            till.send(.answered(answer, effect: ask.effect))
            #expect(till.state("F1") == state)
            till.send(.answered(.status(.nothingBooked), effect: enquiry.effect))
            #expect(till.state("F1") == state && till.desk.courses.isEmpty)
        }
    }

    @Test func aCrashedRefundIsEnquired() throws {
        var till = try till(.purchase)
        till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
        till.crash()
        #expect(till.takeReports() == [.unknown])
        till.send(.answered(.status(.nothingBooked), effect: try till.takeAsk().effect))
        #expect(till.state("F1") == .unknown)
        while till.state("F1") == .unknown {
            till.wait(until: try #require(till.desk.nextDeadline))
            till.send(.answered(.notFound, effect: try #require(till.asks.last).effect))
        }
        #expect(till.now >= .seconds(300))
        #expect(till.state("F1") == .failed)
    }

    @Test func aRefundThatWasNotSentHasFailed() throws {
        var till = try till(.purchase)
        till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
        till.send(.unanswered(.unsent, effect: try till.takeAsk().effect))
        #expect(till.state("F1") == .failed)
        till.writes = .fail
        till.begin(try request(.refund(of: attempt("A1"))), as: "F2")
        #expect(till.takeRefusals().map(\.code) == [.journalFailed])
        #expect(till.asks.isEmpty)
    }

    @Test func aRefundWhoseFirstWriteFailedButWasDurableIsEnded() throws {
        var till = try till(.purchase)
        till.writes = .failButWrite
        till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
        #expect(till.takeRefusals().map(\.code) == [.journalFailed])
        #expect(till.state("F1") == .open)
        till.writes = .work
        till.crash()
        #expect(till.state("F1") == .failed && till.asks.isEmpty)
    }

    // MARK: payments in cash

    @Test func cashIsBookedWithoutACardAndPaysTheSaleOnce() throws {
        var till = TestTill()
        till.begin(try request(.cash), as: "K1")
        let ask = try till.takeAsk()
        #expect(ask.request.operation == .authorise && ask.request.octets.count == 0)
        #expect(till.reader.isEmpty && till.state("K1") == .asked)
        till.begin(try purchase(), call: 2)
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("K1"))])
        till.send(.answered(.approval("R1"), effect: ask.effect))
        #expect(till.state("K1") == .approved && till.desk.courses.isEmpty)
        for kind in [AttemptKind.cash, .purchase, .authorisation] {
            till.begin(try request(kind), call: 3)
            #expect(till.takeRefusals() == [DeskRefusal(.salePaid, attempt("K1"))])
        }
        till.begin(try request(.capture(of: attempt("K1"))), as: "C1")
        #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("K1"))])
        till.begin(try request(.refund(of: attempt("K1")), 1001), as: "F1")
        #expect(till.takeRefusals().map(\.code) == [.amountExceeded])
        till.begin(try request(.refund(of: attempt("K1")), 400), as: "F1")
        #expect(try till.takeAsk().request.originalReference == HostReference(rawValue: "R1"))
    }

    @Test func cashIsReversedAsAnyPayment() throws {
        var till = TestTill()
        till.begin(try request(.cash), as: "K1")
        till.send(.answered(.approval("R1"), effect: try till.takeAsk().effect))
        till.send(.reverse(attempt("K1"), of: sale("S1"), call: 2))
        till.crash()
        let reversal = try till.takeAsk()
        #expect(reversal.request.operation == .reverse)
        till.send(.answered(.acknowledged, effect: reversal.effect))
        #expect(till.state("K1") == .reversed)
    }

    @Test func cashWhoseOutcomeIsUnknownIsNotReversed() throws {
        var till = TestTill()
        till.begin(try request(.cash), as: "K1")
        _ = try till.takeAsk()
        till.wait(.seconds(45))
        #expect(till.state("K1") == .unknown)
        till.send(.reverse(attempt("K1"), of: sale("S1"), call: 2))
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("K1"))])
    }

    @Test func cashWithoutAnAnswerIsEnquiredAndNeverSentAgain() throws {
        for (status, state) in [
            (HostStatus.approved(HostReference(rawValue: "R1")), AttemptState.approved), (.reversed, .reversed),
        ] {
            var till = TestTill()
            till.begin(try request(.cash), as: "K1")
            _ = try till.takeAsk()
            till.wait(.seconds(45))
            #expect(till.takeReports() == [.unknown])
            _ = try till.takeAsk()
            till.crash()
            let enquiry = try till.takeAsk()
            #expect(enquiry.request.operation == .enquire)
            till.send(.answered(.status(status), effect: enquiry.effect))
            #expect(till.state("K1") == state)
        }
        var till = TestTill()
        till.begin(try request(.cash), as: "K1")
        till.send(.unanswered(.unsent, effect: try till.takeAsk().effect))
        #expect(till.state("K1") == .failed)
    }

    @Test func theHostsRefusalOfARefundIsADecline() throws {
        for answer in [HostReply.decline, .refused(ReasonText("no")), .notFound] {
            var till = try till(.purchase)
            till.begin(try request(.refund(of: attempt("A1"))), as: "F1")
            till.send(.answered(answer, effect: try till.takeAsk().effect))
            #expect(till.state("F1") == .declined)
        }
    }
}
