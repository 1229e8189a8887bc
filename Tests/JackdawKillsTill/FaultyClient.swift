#if Payments
import JackdawPayments
import JackdawSandbox
import JackdawTransport

/// A client whose requests ask the sandbox for the faults of a scenario. It measures the time of each answer.
final class FaultyClient: HTTPClient {
    private let client: any HTTPClient
    private let faults: [Scenario.Fault]
    /// The requests of each route so far.
    private let counts = Lock<[String: Int]>([:])
    private let measured = Lock<[Duration]>([])

    /// The times from requests to their answers.
    var times: [Duration] { measured.withLock { $0 } }

    init(_ client: any HTTPClient, _ faults: [Scenario.Fault]) {
        self.client = client
        self.faults = faults
    }

    func send(_ request: HTTPRequest, limit: Duration) async throws(HTTPFailure) -> HTTPAnswer {
        guard let route = SandboxRoute.name(request.method, request.path, base: "/v3") else {
            return try await client.send(request, limit: limit)
        }
        let start = SuspendingClock.now
        defer { measured.withLock { $0.append(SuspendingClock.now - start) } }
        let count = counts.withLock { counts in
            counts[route, default: 0] += 1
            return counts[route, default: 0]
        }
        var request = request
        let fault = faults.first { $0.route == route && (1...$0.times).contains(count - $0.after) }
        if let fault { request.headers.append(HTTPField("X-Sandbox-Fault", fault.fault)) }
        return try await client.send(request, limit: limit)
    }
}
#endif
