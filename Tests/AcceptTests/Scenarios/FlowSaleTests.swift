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

    @Test(arguments: FlowScenario.all) func aSaleAtAnSPm20EndsAsItsScenario(scenario: FlowScenario) async throws {
        let expected = scenario.model
        guard FlowFamily.spm20.reason(expected.events) == nil else { return }
        let sandbox = Sandbox(
            .ready, issuer: try FlowParts(scenario.setup).issuer, hashing: PlainTextHashing(),
            random: SeededRandom(seed: 1))
        try await TLSSandbox.serve(sandbox, on: FlowParts.date) { host in
            let journal = MemoryJournal()
            let simulator = try SPm20Simulator(scenario.setup.amount, faults: scenario.setup.plan.faults)
            let terminals = AcceptSPm20Terminals(
                [try SPm20Till.terminal(simulator)], journal: journal, clock: host.clock, date: { FlowParts.date },
                attention: { attempt, reason in Issue.record("\(attempt): \(reason)") })
            let service = PaymentService(
                host: AcceptWire.profile, wire: AcceptWire(), client: host.accept.paymentClient, journal: journal,
                policy: terminals.policy(Accept.paymentPolicy), otherHost: terminals, clock: host.clock,
                date: { FlowParts.date }, reader: host.accept.reader)
            host.accept.use(service)
            host.accept.use(terminals)
            try await service.start()
            let config = AcceptPaymentConfig(
                vendorUUID: AcceptSpireVendorUUID, terminalUUID: "SPm20 1", backendConfig: host.config,
                basket: AcceptBasket(
                    currencyAsISO4217Code: "EUR",
                    items: [AcceptBasketItem(grossPrice: AcceptHundredths(rawValue: Int64(scenario.setup.amount)))],
                    transactionUniqueId: "A1"),
                accessToken: host.token)
            let run = host.accept.startPay(config)
            let error = await #expect(throws: AcceptError.self) {
                try await host.clock.drive { try await run.result() }
            }
            #expect(error?.decline?.outcome == expected.outcome)
            let record = try #require(try await journal.record(of: attempt("A1")))
            #expect(record.flow?.outcome == expected.outcome)
            #expect(record.delivery == nil)
            let sales = await simulator.sales
            #expect(sales == 0)
            #expect(try await host.booked("A1") ?? 0 == 0)
            await service.shutDown()
            await terminals.close()
        }
    }
}
#endif
