#if Payments
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import Testing

@testable import Accept

/// The same scenarios by the public calls of the SDK: `startPay`, the payment service, a terminal over a link, and the
/// sandbox's server over TLS.
struct FlowSaleTests {
    @Test(arguments: FlowScenario.all, AcceptReaderTerminals.Model.allCases)
    func aSaleEndsAsItsScenario(scenario: FlowScenario, model: AcceptReaderTerminals.Model) async throws {
        let expected = scenario.model
        guard model.reason(expected.events) == nil else { return }
        let sandbox = Sandbox(
            .ready, issuer: try FlowParts(scenario.setup).issuer, hashing: PlainTextHashing(),
            random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date) { host in
            let sale = try await FlowSale(scenario, at: model, host)
            let end = try await sale.sell()
            let record = try #require(end.record)
            #expect(record.flow?.outcome == expected.outcome)
            #expect(record.delivery == nil)
            #expect((record.state == .approved) == expected.isCaptured)
            #expect((record.state == .reversed) == expected.isReversed)
            if expected.events.contains(.crash) {
                #expect(end.error?.code == .notRunning)
            } else if expected.outcome.isApproved {
                #expect(end.error == nil)
            } else {
                #expect(end.error?.decline?.outcome == expected.outcome)
            }
            if scenario.setup.plan.acts.values.contains(where: { $0 == .beginAgain }) {
                #expect(await sale.secondError()?.code == .pay(.terminalNotReady))
            }
            #expect(try await host.booked("A1") ?? 0 == (expected.isCaptured ? Double(scenario.setup.amount) : 0))
        }
    }
}
#endif
