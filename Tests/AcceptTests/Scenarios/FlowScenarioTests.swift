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
    /// Pays, and hands the end at the till and the sum in the books to a body.
    private static func pay(
        _ setup: FlowSetup, at model: AcceptReaderTerminals.Model,
        _ check: @escaping @Sendable (FlowResult, Double) throws -> Void
    ) async throws {
        let sandbox = Sandbox(
            .ready, issuer: try FlowParts(setup).issuer, hashing: PlainTextHashing(), random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date, fault: setup.fault) { host in
            var result: FlowResult?
            try await FlowParts(setup).run(setup, at: model, host) { result = $0 }
            try check(try #require(result), try await host.booked("A1") ?? 0)
        }
    }

    @Test(arguments: FlowScenario.all, AcceptReaderTerminals.Model.allCases)
    func outcomeJournalAndBooksAgree(scenario: FlowScenario, model: AcceptReaderTerminals.Model) async throws {
        let expected = scenario.model
        guard model.reason(expected.events) == nil else { return }
        try await Self.pay(scenario.setup, at: model) { end, booked in
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
            #expect(booked == (expected.isCaptured ? Double(scenario.setup.amount) : 0))
        }
    }

    // MARK: taps beside the named scenarios

    @Test func theHostApprovesATap() async throws {
        let setup = FlowSetup(
            amount: 1000, card: "visa-tap", changes: ["applications[0].limits.online_above": "500"],
            payer: ["presents": #"["tap"]"#])
        try await Self.pay(setup, at: .miura) { end, booked in
            #expect(end.events == [.start, .prepared, .cardTapped, .firstARQC, .hostApproved, .recordStored])
            #expect(end.record?.flow?.outcome == .approved)
            #expect(end.record?.flow?.entry == .tap)
            #expect(end.record?.delivery == nil)
            #expect(booked == 1000)
        }
    }

    /// From 500.00 on the card must be inserted: the reader is asked for a tap once.
    @Test func aTapAboveTheLimitIsFollowedByTheChip() async throws {
        let setup = FlowSetup(
            amount: 60_000, card: "m-chip-tap",
            payer: ["presents": #"["tap", "insert"]"#, "pin": #"{"digits": "4315"}"#])
        try await Self.pay(setup, at: .miura) { end, booked in
            #expect(end.record?.flow?.outcome == .approved)
            #expect(end.record?.flow?.entry == .chip)
            #expect(booked == 60_000)
            #expect(
                end.events.starts(with: [
                    .start, .prepared, .cardTapped, .tapOtherInterface, .cardInserted, .pinRequested, .pinEntered,
                ]))
        }
    }
}
#endif
