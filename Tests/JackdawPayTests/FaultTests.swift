#if Payments
import JackdawPayments
import JackdawReaders
import JackdawSandbox
import JackdawTestSupport
import Testing

@testable import jackdaw_pay

/// Faults as a client sees them on its connection.
struct FaultTests {
    private static func fault(_ name: String) -> [(String, String)] { [("X-Sandbox-Fault", name)] }

    @Test(arguments: [
        ("127.0.0.1:0", false, true), ("[::1]:0", false, true), ("0.0.0.0:0", false, false),
        ("pay.example.com:443", false, false), ("0.0.0.0:0", true, true),
    ])
    func otherComputersAskForNoFaults(address: String, option: Bool, isTaken: Bool) throws {
        let listen = try #require(ListenAddress(address))
        #expect(SandboxVerb.rules(listen, takesFaultHeader: option).takesFaultHeader == isTaken)
    }

    @Test func aHeaderThatIsNotTakenChangesNothing() async throws {
        var rules = SandboxRules()
        rules.takesFaultHeader = false
        try await RunningServer.run(try PayFixture.machine(rules: rules)) { server in
            let answer = try await server.send("GET", "user.json", headers: Self.fault("silent-before"))
            #expect(answer.status == 401)
        }
    }

    @Test func slowAnswersComeAtTheirTime() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            async let answer = server.send("GET", "user.json", headers: Self.fault("slow=5000"), token: token)
            await server.clock.sleepers(1)
            #expect(server.clock.nextDeadline?.offset == .seconds(5))
            server.clock.advance(by: .seconds(5))
            #expect(try await answer.status == 200)
        }
    }

    @Test(arguments: [("silent-before", false), ("silent-after", true)])
    func silenceEndsWhenTheClientCloses(fault: String, isBooked: Bool) async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let connection = try await WireConnection(port: server.port)
            try await connection.send(
                RunningServer.request(
                    "POST", "payments.json", PayFixture.payment("a"), headers: Self.fault(fault), token: token))
            await server.clock.sleepers(1)
            connection.finish()
            let answer = try await connection.answer()
            #expect(answer.status == 0)
            #expect(answer.isCut)
            let status = try await server.send("GET", "unique_ids/a.json", token: token)
            #expect((status.json["state"]?.text == "approved") == isBooked)
        }
    }

    @Test func aSlowAnswerIsGivenUpWhenTheClientCloses() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let connection = try await WireConnection(port: server.port)
            try await connection.send(
                RunningServer.request(
                    "POST", "payments.json", PayFixture.payment("a"), headers: Self.fault("slow=600000"), token: token))
            await server.clock.sleepers(1)
            connection.finish()
            #expect(try await connection.answer().status == 0)
            #expect(try await server.send("GET", "unique_ids/a.json", token: token).json["state"]?.text == "approved")
        }
    }

    @Test func silenceEndsAfterItsLimit() async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let connection = try await WireConnection(port: server.port)
            try await connection.send(
                RunningServer.request("GET", "user.json", headers: Self.fault("silent-before"), token: token))
            await server.clock.sleepers(1)
            server.clock.advance(by: SandboxResponder.maxSilence)
            #expect(try await connection.answer().status == 0)
        }
    }

    @Test(arguments: [0, 17, 1 << 20]) func cutAnswersEndAfterTheirBytes(count: Int) async throws {
        try await RunningServer.run(try PayFixture.machine()) { server in
            let token = try await server.token()
            let whole = try await server.send("GET", "user.json", token: token)
            let answer = try await server.send("GET", "user.json", headers: Self.fault("cut=\(count)"), token: token)
            #expect(answer.status == 200)
            #expect(answer.header("Content-Length") == "\(whole.body.count)")
            #expect(answer.body == Array(whole.body.prefix(count)))
            #expect(answer.isCut == (count < whole.body.count))
        }
    }

    @Test func plannedFaultsAreMet() async throws {
        var machine = try PayFixture.machine()
        machine.plan(PlannedFault(.status(503), route: "GET user.json", after: 1, times: 1))
        try await RunningServer.run(machine) { server in
            let token = try await server.token()
            var statuses: [Int] = []
            for _ in 0..<3 { statuses.append(try await server.send("GET", "user.json", token: token).status) }
            #expect(statuses == [200, 503, 200])
        }
    }

    @Test func faultsAreReadFromArguments() throws {
        #expect(try FaultArgument.read("silent-after") == PlannedFault(.silentAfter))
        #expect(
            try FaultArgument.read("slow=20,route=POST payments.json,after=2,times=3")
                == PlannedFault(.slow(.milliseconds(20)), route: "POST payments.json", after: 2, times: 3))
        for text in ["", "slow", "cut=1,", "cut=1,route=POST /", "cut=1,after=-1", "cut=1,times=x", "cut=1,when=2"] {
            #expect(throws: (any Error).self, "\(text)") { try FaultArgument.read(text) }
        }
    }
}
#endif
