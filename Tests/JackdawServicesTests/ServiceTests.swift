#if Payments
import JackdawPayments
import JackdawTestSupport
import JackdawTransport
import Logging
import ServiceLifecycle
import Testing

@testable import JackdawServices

/// Payments and their queue in groups of services.
@Suite struct ServiceTests {
    private let till = DoubtfulTill()
    private let lines = Shared<[KeptLog.Line]>([])

    private func group(_ services: [ServiceGroupConfiguration.ServiceConfiguration]) -> ServiceGroup {
        ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: .kept(Shared([]))))
    }

    private func wait(for message: String) async throws {
        _ = try await lines.first { $0.contains { $0.message == message } ? true : nil }
    }

    @Test func paymentsRunUntilTheirGroupIsShutDown() async throws {
        let payments = till.payments
        let group = group([.init(service: RunningPayments(payments, logger: .kept(lines)))])
        let running = Task { try await group.run() }
        try await wait(for: "the payments run")
        till.host.isReachable = false
        try await till.pay("A1")
        try await wait(for: "an attempt has changed")
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(lines.with { $0 }.last?.message == "the payments are shut down")
        let refusal = await #expect(throws: DeskRefusal.self) {
            try await payments.status(of: AttemptIdentifier(rawValue: "A1")!)
        }
        #expect(refusal?.code == .notRunning)
        // Identifiers and states are open, and nothing else is in the log.
        for line in lines.with({ $0 }) where line.message == "an attempt has changed" {
            #expect(Set(line.metadata.keys) == ["attempt", "state", "queued"])
            #expect(line.metadata["attempt"] == "A1")
            #expect(line.metadata["state"].map { AttemptState(rawValue: $0) != nil } == true)
        }
    }

    @Test func paymentsEndWithTheirTask() async throws {
        let group = group([.init(service: RunningPayments(till.payments, logger: .kept(lines)))])
        let running = Task { try await group.run() }
        try await wait(for: "the payments run")
        running.cancel()
        _ = await running.result
        let refusal = await #expect(throws: DeskRefusal.self) {
            try await till.payments.status(of: AttemptIdentifier(rawValue: "A1")!)
        }
        #expect(refusal?.code == .notRunning)
    }

    @Test func aDrainEndsWithTheLastMessage() async throws {
        try await till.payments.start()
        till.host.isReachable = false
        try await till.pay("A1")
        let late = try await JournalDrain(till.payments, limit: .zero, clock: till.clock).drain()
        #expect(late.map(\.state) == [.unknown])
        // Another attempt has no message.
        let other = AttemptIdentifier(rawValue: "A2")!
        #expect(try await JournalDrain(till.payments, of: other, clock: till.clock).drain().isEmpty)

        let group = group([
            .init(service: RunningPayments(till.payments, logger: .kept(lines))),
            .init(
                service: JournalDrain(till.payments, clock: till.clock),
                successTerminationBehavior: .gracefullyShutdownGroup),
        ])
        let running = Task { try await group.run() }
        try await wait(for: "the payments run")
        till.host.isReachable = true
        await till.clock.sleepers(1)
        till.clock.advance(by: .seconds(600))
        try await running.value
        let record = try await till.journal.record(of: AttemptIdentifier(rawValue: "A1")!)
        #expect(record?.state == .reversed)
    }

    @Test func aDrainEndsWithItsGroup() async throws {
        try await till.payments.start()
        till.host.isReachable = false
        try await till.pay("A1")
        let group = group([.init(service: JournalDrain(till.payments, clock: till.clock))])
        let running = Task { try await group.run() }
        await group.triggerGracefulShutdown()
        try await running.value
        let left = await till.payments.unfinished
        #expect(left.map(\.state) == [.unknown])
    }

    @Test func aDrainIsCancelled() async throws {
        try await till.payments.start()
        till.host.isReachable = false
        try await till.pay("A1")
        let drain = Task { [till] in try await JournalDrain(till.payments, clock: till.clock).drain() }
        drain.cancel()
        #expect(try await drain.value.map(\.state) == [.unknown])
    }
}
#endif
