import JackdawEMV
import JackdawPayments
import Testing

/// The merchant's reversal of an approved payment.
@Suite struct ReversalTests {
    /// A till with an approved attempt A1 of 10.50 EUR, for sale S1.
    private func till(_ kind: AttemptKind = .purchase, chip: Bool = false) throws -> TestTill {
        var till = TestTill()
        till.begin(try AttemptRequest(sale: sale("S1"), kind: kind, amount: euros(1050)))
        till.readCard(chip: chip)
        till.send(.answered(.approval("R1"), effect: try till.takeAsk().effect))
        if chip { till.answer(.secondTC, sealed: "TC") }
        #expect(till.state() == .approved)
        _ = till.takeReports()
        return till
    }

    private func reverse(_ till: inout TestTill, _ name: String = "A1", of saleName: String = "S1", call: Int = 2) {
        till.send(.reverse(attempt(name), of: sale(saleName), call: call))
    }

    @Test(arguments: [AttemptKind.purchase, .authorisation])
    func anApprovedPaymentIsTakenBackAndTheSaleIsPaidAgain(kind: AttemptKind) throws {
        var till = try till(kind)
        reverse(&till)
        #expect(till.accepted.last?.call == 2 && till.accepted.last?.report.state == .reversing)
        #expect(till.takeReports() == [.reversing])
        let ask = try till.takeAsk()
        #expect(ask.request.operation == .reverse && ask.request.attempt == attempt("A1") && ask.request.cause == nil)
        #expect(ask.request.reference == HostReference(rawValue: "R1"))
        till.begin(try purchase(), call: 3)
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        till.send(.answered(.acknowledged, effect: ask.effect))
        #expect(till.state() == .reversed && till.takeReports() == [.reversed])
        #expect(till.desk.courses.isEmpty)
        till.begin(try purchase(), as: "A9", call: 4)
        #expect(till.state("A9") == .open)
    }

    @Test func nothingLeavesAndNothingIsReportedBeforeItIsDurable() throws {
        var till = try till()
        till.writes = .wait
        reverse(&till)
        #expect(till.asks.isEmpty && till.accepted.last?.call == 1 && till.takeReports().isEmpty)
        // The sale is in progress at once, although the journal still has it approved.
        till.begin(try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("A1")), amount: euros(1)), call: 3)
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        till.finishWrite()
        #expect(till.accepted.last?.call == 2)
        #expect(try till.takeAsk().request.operation == .reverse)
    }

    @Test func aFailedWriteIsRepeated() throws {
        var till = try till()
        till.writes = .fail
        reverse(&till)
        #expect(till.asks.isEmpty && till.state() == .approved)
        till.writes = .work
        till.wait(.seconds(1))
        #expect(till.state() == .reversing)
        #expect(try till.takeAsk().request.operation == .reverse)
    }

    @Test func aReversalIsSentAgainAlsoAfterARestart() throws {
        var till = try till()
        reverse(&till)
        till.send(.unanswered(.silent, effect: try till.takeAsk().effect))
        till.wait(.seconds(5))
        #expect(try till.takeAsk().request.operation == .reverse)
        till.crash()
        #expect(till.takeReports() == [.reversing])
        let again = try till.takeAsk()
        #expect(again.request.operation == .reverse && again.request.cause == nil)
        till.send(.answered(.acknowledged, effect: again.effect))
        #expect(till.state() == .reversed)
    }

    @Test func theNoteIsSentWithEachReversalAlsoAfterARestart() throws {
        var till = try till()
        let note = ReasonText("wrong goods")
        till.send(.reverse(attempt("A1"), of: sale("S1"), note: note, call: 2))
        #expect(till.store[attempt("A1")]?.delivery?.note == note)
        let first = try till.takeAsk()
        #expect(first.request.note == note && first.request.cause == nil)
        till.crash()
        // That of a repetition does not count.
        till.send(.reverse(attempt("A1"), of: sale("S1"), note: ReasonText("other"), call: 3))
        let second = try till.takeAsk()
        #expect(second.request.operation == .reverse && second.request.note == note)
        till.send(.answered(.acknowledged, effect: second.effect))
        #expect(till.state() == .reversed && till.store[attempt("A1")]?.delivery == nil)
    }

    @Test func aRepeatedCallIsTheSameReversal() throws {
        var till = try till()
        reverse(&till)
        reverse(&till, call: 3)
        #expect(till.accepted.map(\.call) == [1, 2, 3])
        #expect(till.accepted.last?.report.state == .reversing)
        till.send(.answered(.acknowledged, effect: try till.takeAsk().effect))
        reverse(&till, call: 4)
        #expect(till.accepted.last?.report.state == .reversed)
        #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
    }

    @Test func aCompletionThatWaitsGivesWay() throws {
        var till = try till(chip: true)
        let completion = try till.takeAsk()
        #expect(completion.request.operation == .complete)
        reverse(&till)
        // One message is at the host at a time.
        #expect(till.asks.isEmpty && till.state() == .reversing)
        till.send(.answered(.acknowledged, effect: completion.effect))
        let ask = try till.takeAsk()
        #expect(ask.request.operation == .reverse && ask.request.octets.count == 0)
        till.send(.answered(.acknowledged, effect: ask.effect))
        #expect(till.state() == .reversed)
    }

    @Test func aPaymentThatTheHostDoesNotHaveYetIsNotReversed() throws {
        var till = TestTill(limits: OfflineLimits(currencyCode: 978, floor: 5000, count: 1, total: 5000))
        till.begin(try purchase())
        till.answer(.prepared)
        till.answer(.cardInserted)
        till.answer(.firstTC, sealed: "TC")
        let advice = try till.takeAsk()
        #expect(advice.request.operation == .advise)
        reverse(&till)
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        till.send(.answered(.acknowledged, effect: advice.effect))
        reverse(&till, call: 3)
        #expect(try till.takeAsk().request.operation == .reverse)
    }

    @Test func aPaymentWithPartsIsNotReversed() throws {
        for (kind, part) in [
            (AttemptKind.purchase, AttemptKind.refund(of: attempt("A1"))),
            (.authorisation, .capture(of: attempt("A1"))),
        ] {
            var till = try till(kind)
            till.begin(try AttemptRequest(sale: sale("S1"), kind: part, amount: euros(100)), as: "P1")
            let ask = try till.takeAsk()
            reverse(&till)
            #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("P1"))])
            till.send(.answered(.approval("R2"), effect: ask.effect))
            reverse(&till)
            #expect(till.takeRefusals() == [DeskRefusal(.hasParts, attempt("P1"))])
            reverse(&till, "P1")
            #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("P1"))])
            #expect(till.state() == .approved && till.asks.isEmpty)
        }
    }

    @Test func onlyApprovedPaymentsOfTheSaleAreReversed() throws {
        var till = try till()
        reverse(&till, "A9")
        reverse(&till, "A1", of: "S2")
        #expect(
            till.takeRefusals() == [
                DeskRefusal(.unknownAttempt, attempt("A9")), DeskRefusal(.unknownAttempt, attempt("A1")),
            ])
        till.begin(try purchase("S2"), as: "D1")
        reverse(&till, "D1", of: "S2")
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("D1"))])
        till.readCard("D1")
        till.send(.answered(.decline, effect: try till.takeAsk().effect))
        reverse(&till, "D1", of: "S2")
        #expect(till.takeRefusals() == [DeskRefusal(.originalNotApproved, attempt("D1"))])
        till.canLookUp = false
        reverse(&till)
        #expect(till.takeRefusals().map(\.code) == [.journalFailed])
        #expect(till.state() == .approved)
    }

    @Test func aReversalThatTheHostRefusesNeedsAPerson() throws {
        var till = try till()
        reverse(&till)
        till.send(.answered(.refused(ReasonText("refunded")), effect: try till.takeAsk().effect))
        #expect(till.state() == .needsAttention)
        #expect(till.desk.needingAttention.map(\.reason) == [ReasonText("refunded")])
        reverse(&till, call: 3)
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
        till.send(.attend(attempt("A1"), .paid, note: ReasonText("kept"), call: 4))
        #expect(till.state() == .approved && till.desk.courses.isEmpty)
    }

    @Test func aReversalThatIsDecidedWhileARefundIsLookedUpRefusesIt() throws {
        var till = try till()
        // Both calls ask the journal before either has its answer.
        let refund = try AttemptRequest(sale: sale("S1"), kind: .refund(of: attempt("A1")), amount: euros(100))
        var desk = till.desk
        let first = desk.receive(.reverse(attempt("A1"), of: sale("S1"), call: 2), at: till.now, on: date)
        let second = desk.receive(.begin(refund, identifier: attempt("F1"), call: 3), at: till.now, on: date)
        let records = [try #require(till.store[attempt("A1")])]
        _ = desk.receive(.found(records, effect: first[0].identifier), at: till.now, on: date)
        let answer = desk.receive(.found(records, effect: second[0].identifier), at: till.now, on: date)
        #expect(answer.map(\.action) == [.refused(call: 3, DeskRefusal(.saleInProgress, attempt("A1")))])
        till.desk = desk
    }
}
