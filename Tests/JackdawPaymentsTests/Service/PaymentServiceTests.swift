import JackdawEMV
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Testing

/// The service with a model host and a journal in memory, in virtual time.
@Suite struct PaymentServiceTests {
    /// The states that a stream has when it ends.
    private func states(_ stream: AsyncStream<AttemptReport>) async -> [AttemptState] {
        var states: [AttemptState] = []
        for await report in stream { states.append(report.state) }
        return states
    }

    // MARK: one sale

    @Test func anApprovedSaleIsReportedWhenItIsDurable() async throws {
        let till = try await ServiceTill.started()
        let reports = till.service.reports
        let begun = try await till.begin(purchase())
        #expect(begun.attempt == attempt("A1"))
        #expect(begun.state == .open)
        #expect(try await till.status() == .approved)
        #expect(till.journal.state("A1") == .approved)
        #expect(till.link.host.entries == [attempt("A1"): .booked])
        // The issuer's data is with the task that completes the card.
        #expect(till.tasks.map(\.effect.action).contains(.completeCard(.approved)))
        await till.service.shutDown()
        #expect(await states(reports).last == .approved)
    }

    @Test func aDeclinedSaleIsNotReversed() async throws {
        let till = try await ServiceTill.started()
        till.link.mood { _ in .declining }
        try await till.begin(purchase())
        #expect(try await till.status() == .declined)
        await till.pass(.seconds(3600))
        #expect(till.link.sent == [.authorise])
    }

    @Test func aSilentHostIsReversedUntilItAnswers() async throws {
        let till = try await ServiceTill.started()
        till.link.fault { _, now in now < .seconds(120) ? .lostAnswer : .none }
        try await till.begin(purchase())
        #expect(try await till.status() == .asked)
        await till.pass(.seconds(44))
        #expect(try await till.status() == .asked)
        await till.pass(.seconds(1))
        #expect(try await till.status() == .unknown)
        await till.pass(.seconds(600))
        #expect(try await till.status() == .reversed)
        #expect(till.link.host.entries == [attempt("A1"): .reversed])
        #expect(till.link.sent.filter { $0 == .authorise }.count == 1)
    }

    /// Without an answer and without a booking the attempt fails, but not before the request's lifetime is over.
    @Test func aLostRequestFailsWhenItsLifetimeIsOver() async throws {
        let till = try await ServiceTill.started()
        till.link.fault { request, _ in request.operation == .authorise ? .lostRequest : .none }
        try await till.begin(purchase())
        await till.pass(.seconds(290))
        #expect(try await till.status() == .unknown)
        await till.pass(.seconds(900))
        #expect(try await till.status() == .failed)
        #expect(till.link.host.entries.isEmpty)
    }

    @Test func aMerchantCancelsBeforeTheHostIsAsked() async throws {
        let till = try await ServiceTill.started()
        till.useCard { $0 == .acceptCard ? nil : ServiceTill.card($0) }
        try await till.begin(purchase())
        await till.service.receive(.cancelled, of: attempt("A1"))
        await till.rest()
        #expect(try await till.status() == .cancelled)
        #expect(till.link.sent.isEmpty)
        #expect(till.tasks.map(\.effect.action).contains(.stopReader))
    }

    @Test func aSaleIsPaidOnce() async throws {
        let till = try await ServiceTill.started()
        try await till.begin(purchase(), as: "X")
        #expect(try await till.begin(purchase(), as: "X").state == .approved)
        await #expect(throws: DeskRefusal(.salePaid, attempt("X"))) { try await till.begin(purchase(), as: "Y") }
        await #expect(throws: DeskRefusal(.identifierUsed, attempt("X"))) {
            try await till.begin(purchase("S2"), as: "X")
        }
        await #expect(throws: DeskRefusal(.unknownAttempt, attempt("Z"))) { try await till.status("Z") }
        #expect(till.link.sent == [.authorise])
    }

    // MARK: the journal

    @Test func nothingIsSentIfTheFirstWriteFails() async throws {
        let till = try await ServiceTill.started(journal: CountingJournal { _ in .notWritten })
        await #expect(throws: DeskRefusal(.journalFailed)) { try await till.begin(purchase()) }
        #expect(till.link.sent.isEmpty)
        #expect(till.tasks.isEmpty)
    }

    @Test func notesStayInTheJournal() async throws {
        let till = try await ServiceTill.started()
        #expect(try await till.service.note(named: "terminal") == nil)
        try await till.service.writeNote("1", named: "terminal")
        #expect(try await till.service.note(named: "terminal") == "1")
        till.journal.failReads(1)
        await #expect(throws: DeskRefusal(.journalFailed)) { try await till.service.note(named: "terminal") }
        await till.service.shutDown()
        await #expect(throws: DeskRefusal(.notRunning)) { try await till.service.note(named: "terminal") }
        await #expect(throws: DeskRefusal(.notRunning)) { try await till.service.writeNote("2", named: "terminal") }
        #expect(try await till.journal.note(named: "terminal") == "1")
    }

    @Test func aFailedWriteIsRepeatedAndNothingIsReportedBefore() async throws {
        let failures = Shared(3)
        let journal = CountingJournal { record in
            guard record.state == .approved else { return .none }
            return failures.with { left in
                left -= 1
                return left >= 0 ? .notWritten : .none
            }
        }
        let till = try await ServiceTill.started(journal: journal)
        let reports = till.service.reports
        try await till.begin(purchase())
        #expect(try await till.status() == .asked)
        await till.pass(.seconds(60))
        #expect(try await till.status() == .approved)
        await till.service.shutDown()
        #expect(await states(reports) == [.approved])
    }

    @Test func eachErrorOfTheJournalIsReported() async throws {
        let codes = Shared<[JournalError.Code]>([])
        let till = ServiceTill(journal: CountingJournal(fault: { $0.state == .approved ? .notWritten : .none }))
        let service = till.make { error in codes.with { $0.append(error.code) } }
        try await service.start()
        try await till.begin(purchase())
        #expect(codes.with { $0 } == [.system])
    }

    @Test func aServiceThatIsShutDownDuringItsStartWaitsForTheJournal() async throws {
        let (isReading, mayRead) = (AsyncSignal(), AsyncSignal())
        let isRead = Shared(false)
        let journal = CountingJournal(beforeStart: {
            isReading.send()
            await mayRead.wait(after: 0)
            isRead.with { $0 = true }
        })
        let service = ServiceTill(journal: journal).make()
        let start = Task { try await service.start() }
        await isReading.wait(after: 0)
        let end = Task {
            await service.shutDown()
            return isRead.with { $0 }
        }
        await service.changes.wait(after: 0)
        mayRead.send()
        #expect(await end.value)
        try await start.value
        await #expect(throws: DeskRefusal(.notRunning)) { try await service.begin(purchase()) }
    }

    @Test func aServiceStartsWhenTheJournalCanBeRead() async throws {
        let journal = CountingJournal()
        let till = ServiceTill(journal: journal)
        let service = till.make()
        journal.failReads(1)
        await #expect(throws: JournalError.self) { try await service.start() }
        await #expect(throws: DeskRefusal(.notRunning)) { try await service.begin(purchase()) }
        try await service.start()
        try await service.start()
        journal.failReads(1)
        await #expect(throws: DeskRefusal(.journalFailed)) { try await service.begin(purchase()) }
        try await till.begin(purchase())
        #expect(till.link.sent == [.authorise])
    }

    // MARK: restarts

    /// A record in each state, as a crash leaves it; whether the host has booked it; the state at the end, and the
    /// host's.
    @Test(
        arguments: [
            (.open, false, .failed, nil), (.asked, false, .failed, nil), (.asked, true, .reversed, .reversed),
            (.unknown, false, .failed, nil), (.unknown, true, .reversed, .reversed),
            (.reversing, true, .reversed, .reversed), (.needsAttention, true, .needsAttention, .booked),
            (.approved, true, .approved, .booked),
        ] as [(AttemptState, Bool, AttemptState, ModelHost.Entry?)])
    func aRestartGoesOnInEachState(
        state: AttemptState, isBooked: Bool, end: AttemptState, entry: ModelHost.Entry?
    ) async throws {
        // A till comes to the state, and is killed.
        let till = try await ServiceTill.started()
        let stopped = Shared(true)
        till.link.fault { request, _ in
            switch request.operation {
            case .authorise where state == .reversing || state == .approved || state == .needsAttention: .none
            case .authorise: isBooked ? .lostAnswer : .lostRequest
            case _ where state == .needsAttention: .none
            default: stopped.with { $0 } ? .unsent : .none
            }
        }
        till.link.mood { request in request.operation == .reverse && state == .needsAttention ? .refusing : .willing }
        till.useCard { action in
            switch (state, action) {
            case (.open, .acceptCard): nil
            case (.reversing, .completeCard), (.needsAttention, .completeCard): .secondAAC
            default: ServiceTill.card(action)
            }
        }
        try await till.begin(purchase())
        if state == .unknown { await till.pass(.seconds(45)) }
        #expect(till.journal.state("A1") == state)
        try await till.restart()
        stopped.with { $0 = false }
        await till.pass(.seconds(3600))
        #expect(till.journal.state("A1") == end)
        #expect(try await till.status() == end)
        #expect(till.link.host.entries[attempt("A1")] == entry)
        // A person ends what the queue cannot.
        guard end == .needsAttention else { return }
        #expect(await till.service.needingAttention.map(\.attempt) == [attempt("A1")])
        let report = try await till.service.attend(attempt("A1"), .paid, note: ReasonText("seen on the statement"))
        #expect(report.state == .approved)
        #expect(await till.service.needingAttention.isEmpty)
    }

    @Test func aShutDownCancelsTheHostAndLosesNothing() async throws {
        let till = try await ServiceTill.started()
        till.link.fault { request, _ in request.operation == .authorise ? .lostAnswer : .none }
        try await till.begin(purchase())
        await till.service.shutDown()
        await till.service.shutDown()
        #expect(till.link.cancelled == 1)
        await #expect(throws: DeskRefusal(.notRunning)) { try await till.service.begin(purchase("S2")) }
        await till.service.receive(.cancelled, of: attempt("A1"))
        try await till.start()
        await till.pass(.seconds(60))
        #expect(try await till.status() == .reversed)
    }

    /// A cancelled task does not take a call back.
    @Test func aCancelledCallGoesOn() async throws {
        let till = try await ServiceTill.started()
        let call = Task { try await till.service.begin(purchase()) }
        call.cancel()
        #expect(try await call.value.attempt == attempt("A1"))
        await till.rest()
        #expect(try await till.status() == .approved)
    }

    // MARK: the queue

    @Test func aDayWithoutTheHostEndsWithAllDelivered() async throws {
        let limits = OfflineLimits(currencyCode: 978, floor: 5000, count: 20, total: 50_000)
        let till = try await ServiceTill.started(limits: limits)
        till.link.fault { _, now in now < .seconds(86_400) ? .unsent : .none }
        till.useCard { action in
            if case .completeCard(.unreachable) = action { .secondTC } else { ServiceTill.card(action) }
        }
        for number in 1...24 {
            try await till.begin(purchase("S\(number)", 2000))
            await till.pass(.seconds(3600) - .seconds(30))
        }
        // 20 payments are within the limits; the card's approval of the others counts as a decline.
        #expect(till.link.host.entries.isEmpty)
        await till.pass(.seconds(7200))
        #expect(till.link.host.entries.values.count { $0 == .booked } == 20)
        #expect(await till.service.unfinished.isEmpty)
        for number in 1...24 { #expect(try await till.status("A\(number)") == (number <= 20 ? .approved : .declined)) }
        #expect(till.link.sent.count { $0 == .advise } < 300)
    }

    /// A message that the format cannot express must not hold up the queue.
    @Test func aMessageThatCannotBeWrittenNeedsAPerson() async throws {
        let limits = OfflineLimits(currencyCode: 978, floor: 5000, count: 20, total: 50_000)
        let till = try await ServiceTill.started(limits: limits)
        till.useCard { $0 == .processCard ? nil : ServiceTill.card($0) }
        try await till.begin(purchase())
        let task = try #require(till.tasks.last { $0.effect.action == .processCard })
        await till.service.receive(
            .firstTC, of: attempt("A1"), answering: task.effect.identifier,
            sealed: HTTPBody(String(repeating: "x", count: 101)))
        await till.rest()
        #expect(try await till.status() == .needsAttention)
        till.useCard(ServiceTill.card)
        till.link.fault { request, _ in request.operation == .authorise ? .lostAnswer : .none }
        try await till.begin(purchase("S2"))
        await till.pass(.seconds(46))
        #expect(try await till.status("A2") == .reversed)
    }

    // MARK: many sales

    @Test(arguments: [UInt64(1), 2, 3])
    func manySalesAtOnceAreEachPaidOnceOrNotAtAll(seed: UInt64) async throws {
        let till = try await ServiceTill.started()
        let random = Shared(SeededRandom(seed: seed))
        till.link.fault { _, now in
            guard now < .seconds(3600) else { return .none }
            let choice = random.with { Int.random(in: 0..<10, using: &$0) }
            return choice < 6 ? .none : [.unsent, .lostRequest, .lostAnswer, .none][choice - 6]
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 1...30 {
                group.addTask {
                    _ = try await till.service.begin(purchase("S\(number)"), identifier: attempt("X\(number)"))
                }
            }
            try await group.waitForAll()
        }
        await till.pass(.seconds(10_800))
        #expect(await till.service.unfinished.isEmpty)
        #expect(till.journal.mostRunning == 1)
        for number in 1...30 {
            let state = try await till.status("X\(number)")
            let entry = till.link.host.entries[attempt("X\(number)")]
            #expect(state.isFinal)
            #expect((state == .approved) == (entry == .booked))
        }
    }

    @Test func aRecordThatCannotBeReadHoldsUpNoOther() async throws {
        let till = try await ServiceTill.started()
        till.link.fault { _, _ in .lostAnswer }
        try await till.begin(purchase())
        await till.pass(.seconds(45))
        #expect(till.journal.state("A1") == .unknown)
        till.link.fault { _, _ in .none }
        let unreadable = UnreadableRecord(
            attempt: attempt("A0"), sale: sale("S0"), error: JournalError(.damaged, "damaged"))
        till.journal.addUnreadable(unreadable)
        try await till.restart()
        await till.pass(.seconds(600))
        #expect(try await till.status() == .reversed)
        #expect(await till.service.unreadableRecords == [unreadable])
        await #expect(throws: DeskRefusal(.journalFailed)) { try await till.service.begin(purchase("S0")) }
    }

    @Test func aSecondStartWaitsForTheFirst() async throws {
        let till = ServiceTill()
        let service = till.make()
        async let first: Void = service.start()
        try await service.start()
        // It runs, so that a call is accepted.
        _ = try await service.begin(purchase())
        try await first
    }

    @Test func aRequestThatTheHostsFormatCannotExpressIsNotBegun() async throws {
        let till = try await ServiceTill.started()
        let request = try AttemptRequest(
            sale: sale("S1"), kind: .purchase, amount: euros(1050), details: [AttemptDetail("colour", "red")])
        await #expect(throws: DeskRefusal(.notWritable, attempt("A1"), reason: ReasonText("no such detail"))) {
            try await till.service.begin(request, identifier: attempt("A1"))
        }
        #expect(till.journal.state("A1") == nil && till.tasks.isEmpty)
    }
}
