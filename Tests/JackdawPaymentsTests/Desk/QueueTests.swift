import JackdawEMV
import JackdawPayments
import Testing

/// The queue: one message at a time, back-off, enquiries.
@Suite struct QueueTests {
    /// A till whose attempts A1, A2, ... are unknown; the reversal of A1 is at the host.
    private func till(unknown count: Int, host: HostProfile = .unknownHost) throws -> TestTill {
        var till = TestTill(host: host)
        for number in 1...count {
            till.begin(try purchase("S\(number)"))
            till.readCard("A\(number)")
            let asks = till.asks.filter { $0.request.operation == .authorise }
            till.send(.unanswered(.silent, effect: try #require(asks.last).effect))
            #expect(till.state("A\(number)") == .unknown)
        }
        return till
    }

    /// Takes the request of the queue that came last.
    private func last(_ till: TestTill) throws -> (effect: Int, request: HostRequest) {
        try #require(till.asks.last { $0.request.operation != .authorise })
    }

    @Test func oneMessageIsAtTheHostAtATime() throws {
        var till = try till(unknown: 3)
        var order: [String] = []
        for _ in 1...3 {
            let asks = till.asks.filter { $0.request.operation == .reverse }
            #expect(asks.count == order.count + 1)
            let ask = try #require(asks.last)
            order.append(ask.request.attempt.rawValue)
            till.send(.answered(.acknowledged, effect: ask.effect))
            // A repeated answer.
            till.send(.answered(.acknowledged, effect: ask.effect))
        }
        #expect(order == ["A1", "A2", "A3"])
        #expect(till.desk.courses.isEmpty && till.desk.nextDeadline == nil)
    }

    @Test func reversalsGoBeforeOtherMessages() throws {
        var till = TestTill()
        let effect = try till.ask(chip: true)
        till.send(.answered(.approval(), effect: effect))
        till.answer(.secondTC, sealed: "TC")
        let completion = try till.takeAsk()
        for (number, name) in [(2, "S2"), (3, "S3")] {
            till.begin(try purchase(name))
            till.readCard("A\(number)", chip: number == 2)
            let ask = try till.takeAsk()
            till.send(
                number == 2 ? .answered(.approval(), effect: ask.effect) : .unanswered(.silent, effect: ask.effect))
            if number == 2 { till.answer(.secondTC, "A2", sealed: "TC") }
        }
        till.send(.answered(.acknowledged, effect: completion.effect))
        let next = try till.takeAsk()
        #expect(next.request.operation == .reverse && next.request.attempt == attempt("A3"))
        till.send(.answered(.acknowledged, effect: next.effect))
        #expect(try till.takeAsk().request.attempt == attempt("A2"))
    }

    @Test func theWaitsDoubleFrom5SecondsTo600() throws {
        var till = try till(unknown: 1)
        for wait in [5, 10, 20, 40, 80, 160, 320, 600, 600, 600] {
            till.send(.unanswered(.silent, effect: try last(till).effect))
            let sent = till.asks.count
            #expect(till.desk.nextDeadline == till.now + .seconds(wait))
            till.wait(.seconds(wait) - .milliseconds(1))
            #expect(till.asks.count == sent)
            till.wait(.milliseconds(1))
            #expect(till.asks.count == sent + 1)
            #expect(try last(till).request.attempt == attempt("A1"))
        }
        #expect(till.store[attempt("A1")]?.delivery?.tries == 10)
        // A restart sends it at once, and keeps the count.
        till.crash()
        till.send(.unanswered(.silent, effect: try last(till).effect))
        #expect(till.store[attempt("A1")]?.delivery?.tries == 11)
        #expect(till.desk.nextDeadline == till.now + .seconds(600))
    }

    @Test func aMessageWithoutAnAnswerIsGivenUpAfterTheLimit() throws {
        var till = try till(unknown: 1)
        let first = try last(till)
        till.wait(.seconds(45 + 5))
        let second = try last(till)
        #expect(second.effect != first.effect && second.request == first.request)
        // The late answer is not that of the message at the host.
        till.send(.answered(.acknowledged, effect: first.effect))
        #expect(till.state() == .unknown)
        till.send(.answered(.acknowledged, effect: second.effect))
        #expect(till.state() == .reversed)
    }

    @Test func aMessageThatIsNeverAnsweredDoesNotStopTheOthers() throws {
        var till = try till(unknown: 2)
        till.send(.unanswered(.silent, effect: try last(till).effect))
        let other = try last(till)
        #expect(other.request.attempt == attempt("A2"))
        till.send(.answered(.acknowledged, effect: other.effect))
        #expect(till.state("A2") == .reversed && till.state("A1") == .unknown)
    }

    @Test func aHostThatCannotBeReachedStopsTheWholeQueue() throws {
        var till = try till(unknown: 2)
        till.send(.unanswered(.unsent, effect: try last(till).effect))
        let sent = till.asks.count
        till.wait(.seconds(5) - .milliseconds(1))
        #expect(till.asks.count == sent)
        till.wait(.milliseconds(1))
        #expect(till.asks.count == sent + 1)
        #expect(till.store[attempt("A1")]?.delivery?.tries == 0)
        till.send(.unanswered(.unsent, effect: try last(till).effect))
        #expect(till.desk.nextDeadline == till.now + .seconds(10))
    }

    @Test func nothingBookedCountsOnlyAfterTheLifetimeOfTheRequest() throws {
        var till = try till(unknown: 1)
        var enquiries = 0
        while till.state() == .unknown {
            let ask = try last(till)
            let sent = till.asks.count
            if ask.request.operation == .enquire {
                enquiries += 1
                till.send(.answered(.status(.nothingBooked), effect: ask.effect))
                #expect((till.state() == .failed) == (till.now >= .seconds(300)))
            } else {
                till.send(.answered(.notFound, effect: ask.effect))
            }
            if till.state() == .unknown, till.asks.count == sent {
                till.wait(until: try #require(till.desk.nextDeadline))
            }
        }
        #expect(till.state() == .failed && enquiries > 1)
    }

    @Test func anEnquirySentBeforeTheLifetimeEndsProvesNothingWhenItsAnswerComesLater() throws {
        var till = try till(unknown: 1, host: HostProfile(name: "slow", answerLimit: .seconds(400)))
        till.wait(until: .seconds(299))
        till.send(.answered(.notFound, effect: try last(till).effect))
        let enquiry = try last(till)
        #expect(enquiry.request.operation == .enquire)
        till.wait(until: .seconds(310))
        till.send(.answered(.status(.nothingBooked), effect: enquiry.effect))
        #expect(till.state() == .unknown)
    }

    @Test func nothingBookedCountsAtOnceIfTheHostKeepsTheIdentifier() throws {
        var till = try till(unknown: 1, host: HostProfile(name: "keeps", closesUnknownIdentifiers: true))
        till.send(.answered(.notFound, effect: try last(till).effect))
        till.send(.answered(.status(.nothingBooked), effect: try last(till).effect))
        #expect(till.state() == .failed)
    }

    @Test func afterARestartTheLifetimeBeginsAgain() throws {
        var till = try till(unknown: 1)
        till.wait(until: .seconds(290))
        till.crash()
        till.wait(until: .seconds(580))
        // No rule trusts the wall clock: 290 s after the restart the request may have been sent just before it.
        till.send(.answered(.notFound, effect: try last(till).effect))
        till.send(.answered(.status(.nothingBooked), effect: try last(till).effect))
        #expect(till.state() == .unknown)
    }

    @Test func anApprovalFoundByAnEnquiryIsReversed() throws {
        var till = try till(unknown: 1)
        till.send(.answered(.notFound, effect: try last(till).effect))
        till.send(.answered(.status(.approved(HostReference(rawValue: "R7"))), effect: try last(till).effect))
        #expect(till.takeReports() == [.unknown, .reversing])
        let reversal = try last(till).request
        #expect(reversal.operation == .reverse && reversal.reference == HostReference(rawValue: "R7"))
    }

    @Test func aHostThatContradictsItselfNeedsAPerson() throws {
        var till = try till(unknown: 1)
        for _ in 0..<2 {
            till.send(.answered(.notFound, effect: try last(till).effect))
            till.send(.answered(.status(.approved(nil)), effect: try last(till).effect))
        }
        till.send(.answered(.notFound, effect: try last(till).effect))
        #expect(till.state() == .needsAttention)
    }

    @Test func whatAnEnquiryFindsIsTheEnd() throws {
        for (status, state) in [
            (HostStatus.declined(ReasonText("no funds")), AttemptState.declined), (.reversed, .reversed),
            (.pending, .unknown),
        ] {
            var till = try till(unknown: 1)
            till.send(.answered(.notFound, effect: try last(till).effect))
            till.send(.answered(.status(status), effect: try last(till).effect))
            #expect(till.state() == state)
            // The same from the answer to a reversal.
            till = try self.till(unknown: 1)
            till.send(.answered(.status(status), effect: try last(till).effect))
            #expect(till.state() == state)
        }
    }

    @Test func answersThatDoNotBelongToTheRequestAreRepeated() throws {
        for answer in [HostReply.approval(), .decline] {
            var till = try till(unknown: 1)
            till.send(.answered(answer, effect: try last(till).effect))
            #expect(till.state() == .unknown)
            #expect(till.desk.nextDeadline == till.now + .seconds(5))
        }
    }

    @Test func waitsAreBounded() {
        let waits = RetryWaits(first: .zero, longest: .seconds(1))
        #expect(waits.wait(after: 0) == .milliseconds(1) && waits.wait(after: 1) == .milliseconds(1))
        #expect(waits.wait(after: .max) == .seconds(1))
    }

    @Test func aReversalAnsweredWithAnApprovalWaits() throws {
        var till = try till(unknown: 2)
        let first = try last(till)
        till.send(.answered(.status(.approved(nil)), effect: first.effect))
        // It waits, and the next message goes on.
        #expect(till.state("A1") == .reversing)
        let second = try last(till)
        #expect(second.request.attempt == attempt("A2"))
        till.send(.answered(.acknowledged, effect: second.effect))
        let count = till.asks.count
        #expect(till.store[attempt("A1")]?.delivery?.tries == 1)
        till.wait(.seconds(4))
        #expect(till.asks.count == count)
        till.wait(.seconds(1))
        let again = try last(till)
        #expect(till.asks.count == count + 1 && again.request.attempt == attempt("A1"))
        #expect(again.request.operation == .reverse)
    }
}
