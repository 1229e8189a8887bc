import JackdawEMV
import JackdawPayments
import Testing

/// Writes that fail, and a program that is killed.
@Suite struct JournalFailureTests {
    @Test func anAttemptWhoseFirstWriteFailsIsRefused() throws {
        for writes in [TestTill.Writes.fail, .failButWrite] {
            var till = TestTill()
            till.writes = writes
            till.begin(try purchase())
            #expect(till.takeRefusals() == [DeskRefusal(.journalFailed)])
            #expect(till.reader.isEmpty && till.desk.courses.isEmpty)
            till.writes = .work
            till.begin(try purchase())
            if writes == .failButWrite {
                // The record was there nevertheless. It is ended first, and refuses the sale once.
                #expect(till.takeRefusals() == [DeskRefusal(.saleInProgress, attempt("A1"))])
                #expect(till.state("A1") == .failed)
                till.begin(try purchase())
            }
            #expect(till.accepted.last?.report.state == .open)
        }
    }

    @Test func aRequestWhoseWriteFailsIsNotSent() throws {
        for (writes, isChip) in [(TestTill.Writes.fail, false), (.fail, true), (.failButWrite, false)] {
            var till = TestTill()
            till.begin(try purchase())
            till.answer(.prepared)
            if isChip { till.answer(.cardInserted) }
            till.writes = writes
            till.answer(isChip ? .firstARQC : .cardSwiped, sealed: "x")
            #expect(till.asks.isEmpty)
            till.writes = .work
            till.wait(.seconds(1))
            if isChip {
                #expect(till.task?.action == .completeCard(.unreachable))
                till.answer(.secondAAC)
            }
            #expect(till.state() == (isChip ? .declined : .failed))
            #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
        }
    }

    @Test func aRequestWhoseWriteTakesTooLongIsNotSent() throws {
        var till = TestTill()
        till.begin(try purchase())
        till.answer(.prepared)
        till.writes = .wait
        till.answer(.cardSwiped, sealed: "x")
        till.wait(.seconds(60))
        till.writes = .work
        till.finishWrite()
        // The reversal leaves, the request does not.
        #expect(till.asks.map(\.request.operation) == [.reverse])
        #expect(till.state() == .unknown)
    }

    @Test func anAnswerIsNotReportedWhileItsWriteFails() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .fail
        till.send(.answered(.approval(), effect: effect))
        till.wait(.seconds(1000))
        #expect(till.reports.isEmpty)
        #expect(till.state() == .asked)
        till.writes = .work
        till.wait(.seconds(60))
        #expect(till.takeReports() == [.approved])
        #expect(till.state() == .approved && till.desk.courses.isEmpty)
    }

    @Test func aKillWhileAnApprovalCannotBeWrittenLeadsToItsReversal() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .fail
        till.send(.answered(.approval(), effect: effect))
        till.writes = .work
        till.crash()
        #expect(till.takeReports() == [.unknown])
        #expect(try till.takeAsk().request.cause == .crash)
    }

    @Test func failedWritesAreRepeatedWithLongerWaits() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .fail
        till.send(.answered(.decline, effect: effect))
        for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
            #expect(till.desk.nextDeadline == till.now + .seconds(wait))
            till.wait(.seconds(wait))
        }
    }

    /// Kills the program after each step of a payment by chip.
    @Test(arguments: [
        (0, AttemptState.failed, nil), (1, .failed, nil), (2, .failed, nil),
        (3, .unknown, HostRequest.Operation.reverse),
        (4, .reversing, .reverse), (5, .approved, .complete),
    ])
    func aKillAtEachStepEndsAsTheJournalSays(
        steps: Int, expected: AttemptState, delivery: HostRequest.Operation?
    ) throws {
        var till = TestTill()
        till.begin(try purchase())
        var effect = 0
        for step in 0..<steps {
            switch step {
            case 0: till.answer(.prepared)
            case 1: till.answer(.cardInserted)
            case 2:
                till.answer(.firstARQC, sealed: "ARQC")
                effect = try till.takeAsk().effect
            case 3: till.send(.answered(.approval(), effect: effect))
            default: till.answer(.secondTC, sealed: "TC")
            }
        }
        till.crash()
        #expect(till.state() == expected)
        #expect(till.reports.map(\.state) == [expected])
        #expect(till.asks.map(\.request.operation) == (delivery.map { [$0] } ?? []))
        // A second kill changes nothing.
        let asked = till.asks.map(\.request)
        till.crash()
        #expect(till.state() == expected && till.asks.map(\.request) == asked)
        if let ask = till.asks.first {
            till.send(.answered(.acknowledged, effect: ask.effect))
            #expect(till.state() == (expected == .approved ? .approved : .reversed))
            #expect(till.desk.courses.isEmpty)
        }
    }

    @Test func aKillBetweenTheStoredRecordAndTheReportReportsTheApproval() throws {
        var till = TestTill()
        let effect = try till.ask()
        till.writes = .wait
        till.send(.answered(.approval(), effect: effect))
        let record = till.waitingWrites[0].record
        till.store[record.identifier] = record
        till.writes = .work
        till.crash()
        #expect(till.reports.map(\.state) == [.approved])
        #expect(till.reports[0].outcome == .approved)
        #expect(till.asks.isEmpty && till.desk.courses.isEmpty)
    }

    @Test func theQueueOfManyAttemptsSurvivesAKill() throws {
        var till = TestTill()
        for number in 1...3 {
            till.begin(try purchase("S\(number)"))
            till.readCard("A\(number)")
        }
        till.crash()
        var reversed: [String] = []
        while let ask = try? till.takeAsk() {
            #expect(ask.request.operation == .reverse)
            reversed.append(ask.request.attempt.rawValue)
            till.send(.answered(.acknowledged, effect: ask.effect))
        }
        #expect(reversed == ["A1", "A2", "A3"])
    }

    @Test func unknownEffectsAreIgnored() throws {
        var till = TestTill()
        _ = try till.ask()
        let before = till.store
        for event in [
            DeskEvent.minted(attempt("X"), effect: 99), .found([], effect: 99), .lookUpFailed(effect: 99),
            .written(effect: 99), .writeFailed(effect: 99), .answered(.approval(), effect: 99),
            .unanswered(.silent, effect: 99), .payment(attempt("X"), .cancelled),
        ] {
            till.send(event)
        }
        #expect(till.ignored == 8 && till.store == before)
    }
}
