import JackdawEMV
import JackdawPayments
import Testing

/// Identifiers, fingerprints and the sale guard.
@Suite struct SaleGuardTests {
    @Test func nothingLeavesBeforeTheIdentifierIsDurable() throws {
        var till = TestTill()
        till.writes = .wait
        till.begin(try purchase())
        #expect(till.waitingWrites.map(\.record.state) == [.open])
        #expect(till.accepted.isEmpty && till.reader.isEmpty)
        till.finishWrite()
        #expect(till.accepted.map(\.report.attempt) == [attempt("A1")])
        #expect(till.reader == [.prepare])
    }

    @Test func theHostIsAskedOnlyAfterTheJournalSaysSo() throws {
        var till = TestTill()
        till.begin(try purchase())
        till.answer(.prepared)
        till.writes = .wait
        till.answer(.cardSwiped, sealed: "track")
        #expect(till.waitingWrites.map(\.record.state) == [.asked])
        #expect(till.asks.isEmpty)
        till.finishWrite()
        let request = try till.takeAsk().request
        #expect(request.operation == .authorise && request.attempt == attempt("A1"))
        #expect(request.octets.text == "track")
    }

    @Test func theSameIdentifierAndRequestAreTheSameAttempt() throws {
        var till = TestTill()
        till.begin(try purchase(), as: "X", call: 1)
        till.begin(try purchase(), as: "X", call: 2)
        #expect(till.accepted.map(\.call) == [1, 2])
        #expect(till.accepted.map(\.report.attempt) == [attempt("X"), attempt("X")])
        #expect(till.reader == [.prepare])
        till.readCard("X")
        let ask = try till.takeAsk()
        till.send(.answered(.approval(), effect: ask.effect))
        // After its end, and after a restart, from the journal.
        till.begin(try purchase(), as: "X", call: 3)
        till.crash()
        till.begin(try purchase(), as: "X", call: 4)
        #expect(till.accepted.map(\.report.state) == [.approved])
        #expect(till.asks.isEmpty && till.store.count == 1)
    }

    @Test func anIdentifierIsNotUsedForAnotherRequest() throws {
        var till = TestTill()
        till.begin(try purchase(), as: "X")
        let others = [try purchase("S1", 1051), try purchase("S2"), try purchase("S1", 1050, [AttemptDetail("a", "")])]
        for other in others { till.begin(other, as: "X") }
        #expect(till.takeRefusals() == Array(repeating: DeskRefusal(.identifierUsed, attempt("X")), count: 3))
        till.send(.payment(attempt("X"), .cancelled))
        till.crash()
        for other in others { till.begin(other, as: "X") }
        #expect(till.takeRefusals() == Array(repeating: DeskRefusal(.identifierUsed, attempt("X")), count: 3))
    }

    @Test func twoCallsAtOnceWithOneIdentifierAreOneAttempt() throws {
        var till = TestTill()
        // Both questions to the journal are asked before either is answered.
        let first = till.desk.receive(.begin(try purchase(), identifier: attempt("X"), call: 1), at: .zero, on: date)
        let second = till.desk.receive(.begin(try purchase(), identifier: attempt("X"), call: 2), at: .zero, on: date)
        till.writes = .wait
        till.send(.found([], effect: first[0].identifier))
        till.send(.found([], effect: second[0].identifier))
        #expect(till.waitingWrites.count == 1 && till.accepted.isEmpty)
        till.finishWrite()
        #expect(till.accepted.map(\.call) == [1, 2])
        #expect(till.reader == [.prepare])
    }

    @Test func twoCallsAtOnceForOneSaleAreOneAttempt() throws {
        var till = TestTill()
        let first = till.desk.receive(.begin(try purchase(), identifier: attempt("X"), call: 1), at: .zero, on: date)
        let second = till.desk.receive(.begin(try purchase(), identifier: attempt("Y"), call: 2), at: .zero, on: date)
        till.send(.found([], effect: first[0].identifier))
        till.send(.found([], effect: second[0].identifier))
        #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("X"))])
    }

    @Test func anAttemptThatEndedWhileTheJournalWasReadStillCounts() throws {
        var till = TestTill()
        let effect = try till.ask()
        let second = till.desk.receive(.begin(try purchase(), identifier: attempt("Y"), call: 2), at: .zero, on: date)
        till.send(.answered(.approval(), effect: effect))
        #expect(till.state() == .approved)
        // The journal was read before the attempt was written.
        till.send(.found([], effect: second[0].identifier))
        #expect(till.takeRefusals() == [DeskRefusal(.salePaid, attempt("A1"))])
        #expect(till.desk.courses.isEmpty)
    }

    @Test func aSaleIsRefusedWhileAnAttemptIsNotOver() throws {
        var till = TestTill()
        func expectRefusal(_ code: DeskRefusal.Code, _ comment: Comment) throws {
            for _ in 0..<2 {
                till.begin(try purchase())
                #expect(till.takeRefusals() == [DeskRefusal(code, attempt("A1"))], comment)
            }
        }
        till.begin(try purchase())
        try expectRefusal(.saleInProgress, "open")
        till.readCard()
        try expectRefusal(.saleInProgress, "asked")
        till.send(.unanswered(.silent, effect: try #require(till.asks.first).effect))
        #expect(till.state() == .unknown)
        try expectRefusal(.saleInProgress, "unknown")
        till.crash()
        try expectRefusal(.saleInProgress, "unknown, after a restart")
        till.send(.answered(.refused(ReasonText("too late")), effect: try till.takeAsk().effect))
        #expect(till.state() == .needsAttention)
        try expectRefusal(.saleInProgress, "needs attention")
        till.crash()
        try expectRefusal(.saleInProgress, "needs attention, after a restart")
        till.send(.attend(attempt("A1"), .paid, note: ReasonText("seen at the host"), call: 9))
        #expect(till.state() == .approved)
        try expectRefusal(.salePaid, "paid")
        till.crash()
        try expectRefusal(.salePaid, "paid, after a restart")
    }

    @Test func anotherAttemptIsAllowedAfterOneWithoutMoney() throws {
        for ending in [HostReply.decline, .refused(ReasonText("bad request"))] {
            var till = TestTill()
            let effect = try till.ask()
            till.send(.answered(ending, effect: effect))
            #expect(till.state() == .declined)
            till.begin(try purchase())
            #expect(till.accepted.last?.report.state == .open)
        }
    }

    @Test func otherSalesAreNotConcerned() throws {
        var till = TestTill()
        _ = try till.ask()
        till.begin(try purchase("S2"), as: "B")
        #expect(till.accepted.last?.report.attempt == attempt("B"))
    }

    @Test func aJournalThatCannotBeReadRefusesTheCall() throws {
        var till = TestTill()
        till.canLookUp = false
        till.begin(try purchase())
        till.send(.status(attempt("A1"), call: 2))
        #expect(till.takeRefusals() == [DeskRefusal(.journalFailed), DeskRefusal(.journalFailed)])
        #expect(till.store.isEmpty && till.desk.courses.isEmpty)
    }

    @Test func theStatusIsThatOfTheJournal() throws {
        var till = TestTill()
        till.send(.status(attempt("A1"), call: 1))
        #expect(till.takeRefusals() == [DeskRefusal(.unknownAttempt, attempt("A1"))])
        let effect = try till.ask()
        till.writes = .wait
        till.send(.answered(.decline, effect: effect))
        till.send(.status(attempt("A1"), call: 2))
        #expect(till.accepted.last?.report.state == .asked)
        till.finishWrite()
        till.send(.status(attempt("A1"), call: 3))
        #expect(till.accepted.last?.report.state == .declined)
        #expect(till.accepted.last?.report.reason == ReasonText("no funds"))
    }

    @Test func theAmountOfAnAttemptIsFixed() throws {
        var till = TestTill()
        till.begin(try purchase())
        till.answer(.prepared)
        for event in [PaymentEvent.amountChanged, .recordStored, .hostApproved, .crash, .recovered, .start] {
            till.answer(event)
        }
        #expect(till.ignored == 6)
        #expect(till.reader == [.prepare, .acceptCard])
    }
}
