import JackdawCards
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import Accept
@testable import JackdawSimulator

/// Sales at an SPm20 by the public calls of the SDK: payment service, journal, links, and the terminal's own host.
@Suite struct SPm20SaleTests {
    @Test func startPaySellsAtAnSPm20() async throws {
        let till = try await SPm20Till()
        #expect(await till.accept.discoverSupportedVendors().map(\.displayName) == ["Spire", "ID-Tech"])
        let found = try await till.accept.discoverTerminalsForVendor(AcceptSpireVendorUUID)
        #expect(found.map(\.uuid) == ["PosMate 1", "SPm20 1"])
        #expect(found.map(\.hasOwnHost) == [false, true])
        let run = till.accept.startPay(till.config())
        let paid = try await till.drive { try await run.result() }
        #expect(paid.isAccepted)
        #expect(paid.amount == 6000)
        #expect(!paid.guwid.isEmpty)
        // The Accept host does not know of it.
        #expect(till.link.paymentCount == 0)
        let captured = await till.simulator.settledSum()
        #expect(captured == 6000)
        let record = try #require(try await till.journal.record(of: attempt("A1")))
        #expect(record.state == .approved)
        #expect(record.reference?.rawValue == paid.guwid)

        let reversed = try await till.drive { try await till.operate(.reverse) }
        #expect(reversed.status == .reversed)
        #expect(reversed.amount == 6000)
        #expect(try await till.accept.status(of: "A1").state == .reversed)
        let left = await till.simulator.settledSum()
        #expect(left == 0)
        await till.close()
    }

    @Test func theTerminalTakesPurchasesAndReversalsAlone() async throws {
        let till = try await SPm20Till()
        var config = till.config()
        config.transactionType = .authorize
        let authorisation = await failure { [config] () throws(AcceptError) in
            try await till.accept.startPay(config).result()
        }
        #expect(authorisation?.code == .common(.unsupportedFeature))
        let run = till.accept.startPay(till.config())
        _ = try await till.drive { try await run.result() }
        for operation in [AcceptOperationOnPayment.refund, .capture, .receipt, .signatureUpdate] {
            let error = await failure { () throws(AcceptError) in try await till.operate(operation) }
            #expect(error?.code == .common(.unsupportedFeature), "\(operation)")
        }
        #expect(try await till.accept.status(of: "A1").state == .approved)
        await till.close()
    }

    /// The first program ends after the terminal has the payment, and before it has its result.
    @Test func theNextProgramOnTheJournalAsksTheTerminal() async throws {
        let till = try await SPm20Till()
        await till.simulator.silence(after: "Purchase")
        let run = till.accept.startPay(till.config())
        try await till.drive { await till.simulator.silent() }
        await till.service.shutDown()
        await till.close()
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .notRunning)
        #expect(try await till.journal.record(of: attempt("A1"))?.state == .asked)

        let next = try await SPm20Till(journal: till.journal, simulator: till.simulator)
        let reports = next.service.reports
        // Questions for the result.
        try await next.drive(longest: .seconds(10)) {
            if try await next.accept.status(of: "A1").state == .reversed { return }
            for await report in reports where report.state == .reversed { return }
        }
        let sales = await next.simulator.sales
        #expect(sales == 0)
        #expect(next.journal.noteNames == [SPm20Note.name(of: attempt("A1"))])
        await next.close()
        #expect(next.journal.noteNames.isEmpty)
    }

    /// Another terminal is at the link, or the terminal has lost its memory.
    @Test func aReversalThatTheTerminalDoesNotKnowNeedsAttention() async throws {
        let till = try await SPm20Till()
        let run = till.accept.startPay(till.config())
        _ = try await till.drive { try await run.result() }
        await till.service.shutDown()
        await till.close()

        let next = try await SPm20Till(journal: till.journal)
        let error = await #expect(throws: AcceptError.self) {
            try await next.drive { try await next.operate(.reverse) }
        }
        #expect(error?.code == .needsAttention)
        #expect(try await next.journal.record(of: attempt("A1"))?.state == .needsAttention)
        await next.close()
        // A person may have the reversal sent again.
        #expect(next.journal.noteNames == [SPm20Note.name(of: attempt("A1"))])
    }

    @Test func otherTerminalsOfTheGroupAskTheAcceptHost() async throws {
        let till = try await SPm20Till()
        var config = till.config(1000, "B1")
        config.terminalUUID = "PosMate 1"
        #expect(try await till.accept.startPay(config).result().isAccepted)
        #expect(till.link.booked("B1") == 1000)
        // The time for a payment at an SPm20 is not that of the Accept host.
        config = till.config(1000, "B2")
        config.terminalUUID = "PosMate 1"
        till.link.plan("silent-before", "payments.json")
        let run = till.accept.startPay(config)
        // The lifetime of the token, the limit of the payment flow, and that of the request.
        await till.clock.sleepers(3)
        #expect(till.clock.now.duration(to: try #require(till.clock.nextDeadline)) == AcceptWire.profile.answerLimit)
        till.clock.advance(by: AcceptWire.profile.answerLimit)
        let error = await failure { () throws(AcceptError) in try await run.result() }
        #expect(error?.code == .pay(.responseLost))
    }

    @Test func twoSalesFollowEachOther() async throws {
        let till = try await SPm20Till()
        for name in ["A1", "A2"] {
            let run = till.accept.startPay(till.config(6000, name))
            #expect(try await till.drive { try await run.result() }.isAccepted)
        }
        let sales = await till.simulator.sales
        #expect(sales == 2)
        // The first one is taken back over a link of its own, and the second stays.
        #expect(try await till.drive { try await till.operate(.reverse) }.status == .reversed)
        let left = await till.simulator.sales
        #expect(left == 1)
        await till.close()
    }

    /// The note is needed until the journal has the end of the reversal.
    @Test func theNoteOfAReversalIsRemovedAfterIt() async throws {
        let till = try await SPm20Till()
        for name in ["A1", "A2"] {
            let run = till.accept.startPay(till.config(6000, name))
            #expect(try await till.drive { try await run.result() }.isAccepted)
            // The next payment has removed it.
            #expect(till.journal.noteNames.isEmpty)
            #expect(try await till.drive { try await till.operate(.reverse, name) }.status == .reversed)
            #expect(till.journal.noteNames == [SPm20Note.name(of: attempt(name))])
        }
        await till.close()
        #expect(till.journal.noteNames.isEmpty)
    }

    @Test func onePaymentIsAtATerminalAtATime() async throws {
        let till = try await SPm20Till()
        await till.simulator.silence(after: "Purchase")
        let run = till.accept.startPay(till.config())
        try await till.drive { await till.simulator.silent() }
        let terminal = try #require(await till.terminals.terminals(of: AcceptSpireVendorUUID).first)
        let error = await #expect(throws: AcceptError.self) {
            _ = try await till.terminals.open(
                terminal, of: AcceptSpireVendorUUID, amount: Amount(minorUnits: 1000, currencyCode: 978),
                as: attempt("B1")
            ) { _ in }
        }
        #expect(error?.code == .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow))
        // Another reversal must not abort the payment.
        let failure = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.reverse, "B1"), limit: .seconds(1))
        }
        #expect(failure?.code == .hostError)
        #expect(failure?.isCertainlyNotSent == false)
        await till.service.shutDown()
        await till.close()
        _ = try? await run.result()
    }

    @Test func requestsThatTheTerminalDoesNotHaveAreRefused() async throws {
        let till = try await SPm20Till()
        for operation in [HostRequest.Operation.complete, .advise, .sign, .capture, .refund, .enquire] {
            let reply = try await till.terminals.answer(Self.request(operation, "B1"), limit: .seconds(1))
            guard case .refused = reply else {
                Issue.record("\(operation): \(reply)")
                continue
            }
        }
        // No payment was begun at the terminal, so that nothing was sent.
        let failure = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.authorise, "B1"), limit: .seconds(1))
        }
        #expect(failure?.isCertainlyNotSent == true)
        let other = await #expect(throws: HostFailure.self) {
            try await till.terminals.answer(Self.request(.reverse, "B1", at: "SPm20 2"), limit: .seconds(1))
        }
        #expect(other?.isCertainlyNotSent == false)
        #expect(throws: HostFailure.self) {
            try till.terminals.check(Self.request(.authorise, "B1", at: "SPm20 2").request, as: nil)
        }
        #expect(!till.terminals.takes(try AcceptTests.request(.authorise).request))
        await till.close()
    }

    /// The journal has such a payment declined.
    @Test func aPaymentThatTheTerminalHasAgainstTheJournalIsRemembered() async throws {
        let till = try await SPm20Till()
        #expect(try await till.terminals.paymentsNeedingAttention().isEmpty)
        let terminal = try SPm20Till.terminal(till.simulator)
        func attend(_ name: String, _ reason: String) async {
            await till.terminals.surroundings(of: terminal, for: attempt(name), SPm20Note(), events: { _ in })
                .attention(reason)
        }
        await attend("B1", "refused: 1234567890123")
        await attend("A1", "no refund is left")
        await attend("A1", "no refund is left")
        #expect(till.attended.withLock { $0 }.prefix(2) == ["B1: refused: *************", "A1: no refund is left"])
        await till.close()

        // The next program on the journal.
        let next = try await SPm20Till(journal: till.journal)
        let found = try await next.terminals.paymentsNeedingAttention()
        #expect(found.map(\.0) == [attempt("A1"), attempt("B1")])
        #expect(found.map(\.1.text) == ["no refund is left", "refused: *************"])
        try await next.terminals.attentionEnded(for: attempt("A1"))
        try await next.terminals.attentionEnded(for: attempt("A1"))
        #expect(try await next.terminals.paymentsNeedingAttention().map(\.0) == [attempt("B1")])
        #expect(try await next.terminals.reasonForAttention(to: attempt("A1")) == nil)
        try await next.terminals.attentionEnded(for: attempt("B1"))
        #expect(next.journal.noteNames.isEmpty)
        await next.close()
    }

    /// The list is bounded, and each payment has its own note. Changes at the same time lose none.
    @Test func paymentsAgainstTheJournalFitANote() async throws {
        let journal = MemoryJournal()
        let notes = SPm20AttentionNotes(journal)
        let attempts = (100...199).map { attempt(String(repeating: "A", count: 61) + "\($0)") }
        try await withThrowingTaskGroup { group in
            for attempt in attempts { group.addTask { try await notes.add(attempt, ReasonText("late")) } }
            try await group.waitForAll()
        }
        let listed = try await notes.attempts()
        #expect(listed.count == SPm20AttentionNotes.maxCount)
        #expect(try await journal.note(named: SPm20AttentionNotes.list)?.utf8.count ?? .max <= 4096)
        for attempt in attempts {
            #expect(try await notes.reason(for: attempt) == ReasonText("late"))
            try await notes.remove(attempt)
        }
        #expect(journal.noteNames.isEmpty)
    }

    /// A refund is not sent before the journal has it.
    @Test func aRefundWaitsForTheJournal() async throws {
        let till = try await SPm20Till()
        let run = till.accept.startPay(till.config())
        _ = try await till.drive { try await run.result() }
        till.notes.fail(2)
        #expect(try await till.drive { try await till.operate(.reverse) }.status == .reversed)
        let (left, refunds) = (await till.simulator.sales, await till.simulator.refunds)
        #expect(left == 0)
        #expect(refunds == 1)
        #expect(till.notes.failures == 2)
        await till.close()
    }

    /// A request about a payment of the terminal.
    private static func request(
        _ operation: HostRequest.Operation, _ name: String, at terminal: String = "SPm20 1"
    ) throws -> HostRequest {
        try AcceptTests.request(
            operation, name, details: [SPm20Place.detail(of: terminal, AcceptSpireVendorUUID)])
    }

    @Test func aTerminalThatIsAwayIsNotReady() async throws {
        let till = try await SPm20Till(isAway: true)
        let error = await failure { () throws(AcceptError) in
            try await till.accept.startPay(till.config()).result()
        }
        #expect(error?.code == .pay(.terminalNotReady))
        #expect(try await till.journal.record(of: attempt("A1")) == nil)
    }

    @Test func theTimeForThePaymentIsThatOfTheTerminal() async throws {
        let till = try await SPm20Till()
        #expect(till.terminals.policy(Accept.paymentPolicy).limits.host == JSONPOSPaymentSettings().limit)
        #expect(till.terminals.policy(Accept.paymentPolicy).limits.card == AcceptDefaults.paymentTimeout)
        let none = AcceptSPm20Terminals([], journal: till.journal, date: SPm20Till.date) { _, _ in }
        #expect(none.policy(Accept.paymentPolicy) == Accept.paymentPolicy)
    }
}
