#if Payments
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

@testable import Accept

/// Each named scenario of the payment flow at each reader that has its events: the SDK's machines, the reader's driver, a
/// simulated reader with a virtual card, and the sandbox's server over TLS.
struct FlowScenarioTests {
    @Test(arguments: FlowScenario.all, AcceptReaderTerminals.Model.allCases)
    func outcomeJournalAndBooksAgree(scenario: FlowScenario, model: AcceptReaderTerminals.Model) async throws {
        let expected = scenario.model
        guard model.reason(expected.events) == nil else { return }
        let parts = try FlowParts(scenario.setup)
        let sandbox = Sandbox(
            .ready, issuer: parts.issuer, hashing: PlainTextHashing(), random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date, fault: scenario.setup.fault) { host in
            let parts = try FlowParts(scenario.setup)
            var result: FlowResult?
            try await parts.run(scenario.setup, at: model, host) { result = $0 }
            let end = try #require(result)
            let record = try #require(end.record)
            // The course of the payment is that of the file.
            #expect(end.events == expected.events)
            // The outcome, in the journal and for the program, if that was not killed.
            #expect(record.flow?.outcome == expected.outcome)
            if !expected.events.contains(.crash) {
                #expect(end.report?.outcome == expected.outcome)
                #expect((end.error == nil) == expected.outcome.isApproved)
            }
            #expect(end.isHostAsked == expected.isHostAsked)
            // The journal has no message that the host must receive.
            #expect(record.delivery == nil)
            #expect(record.flow?.isReversalQueued == expected.isReversed)
            #expect(record.flow?.isRecordStored == expected.isCaptured)
            #expect((record.state == .approved) == expected.isCaptured)
            #expect((record.state == .reversed) == expected.isReversed)
            // The books have the money of an approved payment alone.
            let booked = try await host.booked("A1") ?? 0
            #expect(booked == (expected.isCaptured ? Double(scenario.setup.amount) : 0))
        }
    }
}
#endif
