#if Payments
import Foundation
import JackdawHTTP
import JackdawPayments
import JackdawTestSupport
import Testing

/// The client with hosts that misbehave.
@Suite struct HostileHostTests {
    private static let answer = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Name: value\r\n\r\nhello"
    private static let chunked =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\nT: x\r\n\r\n"

    private static let post = HTTPRequest(.post, "/", body: HTTPBody("{}"))

    private func client(
        _ change: (inout HTTPHost) -> Void = { _ in }, _ script: @escaping @Sendable (ScriptedHost.Connection) -> Void
    ) throws -> (CurlClient, ScriptedHost) {
        let scripted = try ScriptedHost(script)
        var host = try HTTPHost(scripted.address)
        change(&host)
        return (CurlClient(host), scripted)
    }

    /// The outcome of a request that the host answers with some text, after which it ends the connection.
    private func outcome(
        of text: String, _ change: (inout HTTPHost) -> Void = { _ in }
    ) async throws -> Outcome? {
        let (client, scripted) = try client(change) { connection in
            connection.readRequest(bodyCount: 2)
            connection.write(text)
        }
        let outcome = await client.failure()?.outcome
        withExtendedLifetime(scripted) {}
        return outcome
    }

    @Test(arguments: [answer, chunked])
    func anAnswerThatIsCutAnywhereIsNoAnswer(_ text: String) async throws {
        let bytes = Array(text.utf8)
        let (client, scripted) = try client { connection in
            connection.readRequest(bodyCount: 2)
            let count = connection.number / 2
            connection.write(bytes.prefix(text != Self.answer && count >= bytes.count - 1 ? bytes.count : count))
            if !connection.number.isMultiple(of: 2) { connection.reset() }
        }
        // libcurl does not wait for the last line feed after a trailer, which has nothing of the answer.
        for count in 0..<(text == Self.answer ? bytes.count : bytes.count - 1) {
            for _ in 0..<2 {
                let failure = await client.failure()
                #expect(failure?.outcome == Outcome(.cut, certain: false), "after \(count) bytes")
            }
        }
        let answer = try await client.send(Self.post, limit: .seconds(60))
        #expect(answer.body.text == "hello")
        withExtendedLifetime(scripted) {}
    }

    @Test(arguments: [answer, chunked])
    func bytesMayComeOneByOne(_ text: String) async throws {
        let (client, scripted) = try client { connection in
            connection.readRequest(bodyCount: 2)
            for byte in text.utf8 { connection.write([byte]) }
        }
        let answer = try await client.send(Self.post, limit: .seconds(60))
        #expect(answer.body.text == "hello")
        #expect(answer.status == (text == Self.answer ? 201 : 200))
        #expect(answer.headers.count == (text == Self.answer ? 2 : 1))
        withExtendedLifetime(scripted) {}
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999\r\n\r\n",
    ])
    func aLengthBeyondTheLimitIsTooLarge(_ text: String) async throws {
        #expect(try await outcome(of: text) { $0.maxBodyBytes = 1_000 } == Outcome(.tooLarge, certain: false))
    }

    /// RFC 9112, section 6.3: without chunks such a body ends with the connection.
    @Test(arguments: ["identity", "chunked, identity"])
    func aCodingThatIsNotChunkedHasNoEnd(_ coding: String) async throws {
        let failure = try await outcome(of: "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\nhello")
        #expect(failure == Outcome(.cut, certain: false))
    }

    /// An answer that does not end: a part, and another part again and again.
    enum Endless: String, CaseIterable {
        case chunks, unknownLength, headers, oneHeader, continues, trailers

        var start: String {
            switch self {
            case .chunks: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            case .unknownLength: "HTTP/1.1 200 OK\r\n\r\n"
            case .headers: "HTTP/1.1 200 OK\r\n"
            case .oneHeader: "HTTP/1.1 200 OK\r\nX-Name: "
            case .continues: ""
            case .trailers: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
            }
        }

        var more: String {
            switch self {
            case .chunks: "400\r\n" + String(repeating: "x", count: 1_024) + "\r\n"
            case .unknownLength, .oneHeader: String(repeating: "x", count: 1_024)
            case .headers, .trailers: "X-Name: value\r\n"
            case .continues: "HTTP/1.1 100 Continue\r\n\r\n"
            }
        }
    }

    @Test(arguments: Endless.allCases)
    func endlessAnswersAreTooLarge(_ answer: Endless) async throws {
        let (client, scripted) = try client { connection in
            connection.readRequest(bodyCount: 2)
            connection.write(answer.start)
            while connection.write(answer.more) {}
        }
        let before = try peakMemory()
        let outcome = await client.failure()?.outcome
        #expect(outcome == Outcome(.tooLarge, certain: false))
        #expect(try peakMemory() - before < 100_000)
        withExtendedLifetime(scripted) {}
    }

    @Test func anAnswerAtTheLimitIsComplete() async throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
        let limits = { (host: inout HTTPHost) in
            host.maxBodyBytes = 5
            host.maxHeaderBytes = text.utf8.count - 5
        }
        #expect(try await outcome(of: text, limits) == nil)
        let lower = { (host: inout HTTPHost) in
            limits(&host)
            host.maxHeaderBytes -= 1
        }
        #expect(try await outcome(of: text, lower) == Outcome(.tooLarge, certain: false))
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}\u{4}\u{5}\u{6}\u{7}", "<html>\n", "HTTP/7.1 200 OK\r\n\r\n",
    ])
    func otherProtocolsAreMalformed(_ text: String) async throws {
        #expect(try await outcome(of: text) == Outcome(.malformed, certain: false))
    }

    @Test func garbageGivesAFailure() async throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<200 {
            var bytes = Array(Bool.random(using: &random) ? Self.answer.utf8 : Self.chunked.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            let text = bytes
            let (client, scripted) = try client { connection in
                connection.readRequest(bodyCount: 2)
                connection.write(text)
            }
            let failure = await client.failure()
            #expect([nil, .cut, .malformed, .tooLarge].contains(failure?.code))
            withExtendedLifetime(scripted) {}
        }
    }

    @Test func silenceIsATimeOut() async throws {
        let (client, scripted) = try client { $0.awaitEnd() }
        let outcome = await client.failure(limit: .seconds(2))?.outcome
        #expect(outcome == Outcome(.timedOut, certain: false))
        withExtendedLifetime(scripted) {}
    }

    @Test func aDripIsATimeOut() async throws {
        let (client, scripted) = try client { connection in
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            // A byte each 5 ms; the rest of the request was not read, and does not count as an event.
            var entry = pollfd(fd: connection.descriptor, events: 0, revents: 0)
            while unsafe poll(&entry, 1, 5) == 0, connection.write("x") {}
        }
        let outcome = await client.failure(limit: .seconds(2))?.outcome
        #expect(outcome == Outcome(.timedOut, certain: false))
        withExtendedLifetime(scripted) {}
    }

    @Test func silenceInTheHandshakeSendsNothing() async throws {
        let scripted = try ScriptedHost { $0.awaitEnd() }
        let client = CurlClient(try HTTPHost("https://127.0.0.1:\(scripted.port)"))
        let outcome = await client.failure(limit: .milliseconds(50))?.outcome
        #expect(outcome == Outcome(.unreachable, certain: true))
        var host = try HTTPHost("https://127.0.0.1:\(scripted.port)")
        host.connectLimit = .milliseconds(50)
        let other = await CurlClient(host).failure()?.outcome
        #expect(other == Outcome(.unreachable, certain: true))
    }

    @Test func theEndOfAConnectionInTheHandshakeIsUnreachable() async throws {
        let scripted = try ScriptedHost { connection in
            if connection.number == 1 { connection.reset() }
        }
        let client = CurlClient(try HTTPHost("https://127.0.0.1:\(scripted.port)"))
        for _ in 0..<2 {
            let outcome = await client.failure()?.outcome
            #expect(outcome == Outcome(.unreachable, certain: true))
        }
    }

    @Test func aClosedPortIsUnreachable() async throws {
        #expect(
            await CurlClient(try HTTPHost("http://127.0.0.1:1")).failure()?.outcome
                == Outcome(.unreachable, certain: true))
    }

    @Test func aCancelledTaskEndsTheExchange() async throws {
        let requests = Shared(0)
        let (client, scripted) = try client { connection in
            connection.readRequest(bodyCount: 2)
            requests.with { $0 += 1 }
            connection.awaitEnd()
        }
        let task = Task { await client.failure(limit: .seconds(3_600))?.outcome }
        try await requests.until { $0 == 1 }
        task.cancel()
        #expect(await task.value == Outcome(.cancelled, certain: false))
        withExtendedLifetime(scripted) {}
    }

    @Test func aTaskThatIsCancelledInTheHandshakeHasSentNothing() async throws {
        let scripted = try ScriptedHost { $0.awaitEnd() }
        let client = CurlClient(try HTTPHost("https://127.0.0.1:\(scripted.port)"))
        let task = Task { await client.failure(limit: .seconds(3_600))?.outcome }
        try await scripted.accepted.until { $0 == 1 }
        task.cancel()
        #expect(await task.value == Outcome(.cancelled, certain: true))
    }

    @Test func aTaskThatIsCancelledBeforeSendsNothing() async throws {
        let (client, scripted) = try client { $0.write(Self.answer) }
        let outcome = await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await client.failure()?.outcome
        }.value
        #expect(outcome == Outcome(.cancelled, certain: true))
        #expect(scripted.accepted.with { $0 } == 0)
    }

    @Test func connectionsAreKept() async throws {
        let (client, scripted) = try client { connection in
            while !connection.readRequest(bodyCount: 2).isEmpty, connection.write(Self.answer) {}
        }
        for _ in 0..<10 { #expect(try await client.send(Self.post, limit: .seconds(60)).status == 201) }
        #expect(scripted.accepted.with { $0 } == 1)
    }

    @Test func aKeptConnectionThatEndsAfterARequestMayHaveSentIt() async throws {
        let received = Shared<[String]>([])
        let (client, scripted) = try client { connection in
            let first = connection.readRequest(bodyCount: 2)
            received.with { $0.append(first) }
            connection.write(Self.answer)
            let second = connection.readRequest(bodyCount: 2)
            received.with { $0.append(second) }
        }
        #expect(try await client.send(Self.post, limit: .seconds(60)).status == 201)
        let outcome = await client.failure()?.outcome
        #expect(outcome == Outcome(.cut, certain: false))
        // The host has it once: it was not sent again over a new connection.
        try await received.until { $0.count >= 2 }
        #expect(scripted.accepted.with { $0 } <= 2)
        #expect(received.with { $0.filter { $0.hasPrefix("POST") }.count } == 2)
    }

    @Test func manyRequestsRunAtOnce() async throws {
        let (client, scripted) = try client { connection in
            while !connection.readRequest(bodyCount: 2).isEmpty, connection.write(Self.answer) {}
        }
        await withTaskGroup(of: HTTPFailure?.self) { group in
            for _ in 0..<64 { group.addTask { await client.failure() } }
            for await failure in group { #expect(failure == nil) }
        }
        withExtendedLifetime(scripted) {}
    }
}
#endif
