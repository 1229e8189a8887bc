import JackdawTestSupport
import JackdawTransport
import Testing

/// A reader and the link to it on clocks that a test moves.
final class KeptBench: Sendable {
    static let backOff = BackOff(first: .seconds(1), greatest: .seconds(8), jitter: 0)

    let clock = ManualClock()
    let wallClock = ManualClock()
    let reader: ScriptedReader
    let link: KeptLink

    init(_ answer: ScriptedReader.Answer = .opens, capacity: Int = 256) {
        let reader = ScriptedReader()
        reader.state.with { $0.answer = answer }
        self.reader = reader
        link = KeptLink(
            backOff: Self.backOff, capacity: capacity, clock: clock, wallClock: wallClock,
            random: SeededRandom(seed: 1)
        ) { () async throws(LinkError) -> any Transport in try await reader.connect() }
    }

    /// Time that the system is awake.
    func advance(by duration: Duration) {
        wallClock.advance(by: duration)
        clock.advance(by: duration)
    }

    /// The next event in a few words.
    func event() async -> String? { await link.events.first { _ in true }.map(describe) }

    func events(_ count: Int) async -> [String?] {
        var events: [String?] = []
        for _ in 0..<count { events.append(await event()) }
        return events
    }

    /// The session that the next event hands over.
    func session() async throws -> any Transport {
        let event = await link.events.first { _ in true }
        guard case .connected(let session)? = event else { throw LinkError(.system, link: "test", "\(event as Any)") }
        return session
    }

    /// Closes the link and says what is left of it.
    func closed() async -> [String] {
        await link.close()
        let state = reader.state.with { $0 }
        var left = state.problems
        if state.running > 0 { left.append("an attempt") }
        if state.openCount > 0 { left.append("a session") }
        if clock.nextDeadline != nil { left.append("a wait") }
        return left
    }
}

/// What a transport hands over next.
func nextBytes(of transport: any Transport) async throws(LinkError) -> [UInt8]? {
    var bytes: [UInt8] = []
    let isAny = try await transport.receive { span in for index in span.indices { bytes.append(span[index]) } }
    return isAny ? bytes : nil
}

/// The error of something that fails as a link does.
func failure<Value>(_ body: () async throws -> Value) async -> LinkError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? LinkError
    }
}
