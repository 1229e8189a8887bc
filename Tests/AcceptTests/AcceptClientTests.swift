import Accept
import JackdawEMV
import JackdawPayments
import JackdawSandbox
import JackdawSandboxTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// Sales of a service over a client that logs in, at a sandbox.
@Suite struct AcceptClientTests {
    private let clock = ManualClock()
    private let link: SandboxLink
    private let client: AcceptClient
    private let service: PaymentService

    init() throws {
        link = try SandboxLink(clock)
        client = AcceptClient(AcceptTill.credentials, over: link, clock: clock)
        let tasks = AsyncStream<ReaderTask>.makeStream()
        service = PaymentService(
            host: AcceptWire.profile, wire: AcceptWire(), client: client, journal: MemoryJournal(), clock: clock,
            date: { RecordedTime(seconds: 1_453_992_427, offset: 60) }, identifier: { attempt("A1") },
            reader: { tasks.continuation.yield($0) })
        InsertedCard.answer(tasks.stream, of: service)
    }

    /// Begins a sale, and waits until it is over.
    private func pay() async throws -> AttemptState {
        let reports = try await begin()
        for await report in reports where report.state.isFinal { return report.state }
        return .open
    }

    private func begin() async throws -> AsyncStream<AttemptReport> {
        let reports = service.reports
        try await service.start()
        _ = try await service.begin(
            AttemptRequest(
                sale: SaleIdentifier(rawValue: "sale")!, kind: .purchase,
                amount: Amount(minorUnits: 1000, currencyCode: 978)))
        return reports
    }

    @Test func aSaleIsPaidAtTheSandbox() async throws {
        #expect(try await pay() == .approved)
        #expect(link.paths == ["/v3/oauth2/token", "/v3/payments.json"])
        #expect(link.booked("A1") == 1000)
    }

    @Test func aTokenThatExpiresDuringASaleDoublesNothing() async throws {
        link.plan("token-expired", "payments.json")
        #expect(try await pay() == .approved)
        #expect(link.paymentCount == 1)
        #expect(link.logins == 2)
    }

    @Test func aLoginThatFailsDuringASaleEndsItWithoutABooking() async throws {
        link.plan("status=503", "/token")
        #expect(try await pay() == .declined)
        #expect(link.paymentCount == 0)
    }

    @Test(arguments: ["silent-before", "silent-after"])
    func aSilentSandboxIsReversed(fault: String) async throws {
        link.plan(fault, "payments.json")
        let seen = link.asked.count
        let reports = try await begin()
        // The login and the payment, then the limit of the payment flow and that of the connection.
        await link.asked.wait(after: seen)
        await clock.sleepers(2)
        clock.advance(by: .seconds(45))
        var states: [AttemptState] = []
        for await report in reports {
            states.append(report.state)
            if report.state.isFinal { break }
        }
        #expect(states.first == .unknown)
        #expect(states.last == .reversed)
        #expect(link.booked("A1") == 0)
        #expect(link.paths.last == "/v3/unique_ids/A1/reverse.json")
    }

    @Test func manyCallsNeedOneLogin() async throws {
        let results = await withTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask { [client] in
                    let request = HTTPRequest(.get, "/v3/unique_ids/X\(number).json")
                    return (try? await client.send(request, limit: .seconds(45)).status) ?? 0
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == [Int](repeating: 200, count: 40))
        #expect(link.logins == 1)
    }

    @Test func aCancelledCallIsNotSentAfterTheLogin() async throws {
        link.plan("silent-before", "/token")
        let call = Task { [client] in
            try await client.send(HTTPRequest(.post, "/v3/payments.json"), limit: .seconds(45))
        }
        await clock.sleepers(1)
        call.cancel()
        let failure = await #expect(throws: HTTPFailure.self) { try await call.value }
        #expect(failure?.code == .cancelled)
        #expect(failure?.isCertainlyNotSent == true)
        #expect(link.paths == ["/v3/oauth2/token"])
        #expect(link.active == 0)
    }

    @Test func aServiceThatIsShutDownLeavesNoLogin() async throws {
        link.plan("silent-before", "/token")
        let seen = link.asked.count
        _ = try await begin()
        await link.asked.wait(after: seen)
        #expect(link.active == 1)
        await service.shutDown()
        #expect(link.active == 0)
        #expect(link.paths == ["/v3/oauth2/token"])
    }
}
