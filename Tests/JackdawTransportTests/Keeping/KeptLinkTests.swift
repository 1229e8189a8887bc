import JackdawTestSupport
import Testing

@testable import JackdawTransport

@Suite("A link that is kept open")
struct KeptLinkTests {
    @Test("a session carries bytes both ways")
    func bytes() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        let end = try #require(bench.reader.end)
        try await session.send([1, 2, 3])
        #expect(try await nextBytes(of: end) == [1, 2, 3])
        try await end.send([4, 5])
        #expect(try await nextBytes(of: session) == [4, 5])
        #expect(session.link == ScriptedReader.link)
        #expect(await bench.closed() == [])
    }

    @Test("a link that is opened twice is opened once")
    func openTwice() async throws {
        let bench = KeptBench()
        await bench.link.open()
        await bench.link.open()
        _ = try await bench.session()
        await bench.link.open()
        #expect(await bench.closed() == [])
        #expect(bench.reader.state.with { $0.attempts } == 1)
    }

    @Test("a link that is lost is opened again when the wait is over, and the waits grow")
    func again() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        bench.reader.state.with { $0.answer = .fails(ScriptedReader.error(.outOfRange)) }
        bench.reader.end?.lose(ScriptedReader.error(.disconnected))
        #expect(await failure { try await nextBytes(of: session) }?.code == .disconnected)
        #expect(await bench.events(2) == ["lost disconnected", "waiting disconnected 1.0 seconds"])
        for wait in [1, 2, 4, 8] {
            await bench.clock.sleepers(1)
            bench.advance(by: .seconds(wait))
            #expect(await bench.event() == "waiting outOfRange \(Double(min(wait * 2, 8))) seconds")
        }
        bench.reader.state.with { $0.answer = .opens }
        await bench.clock.sleepers(1)
        bench.advance(by: .seconds(8))
        _ = try await bench.session()
        #expect(await bench.closed() == [])
    }

    @Test(
        "a loss and the error of its sender count the bytes that were being sent",
        arguments: [true, false])
    func midSend(_ isReceiving: Bool) async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        let end = try #require(bench.reader.end)
        async let received = isReceiving ? failure { try await nextBytes(of: session) } : nil
        async let sent = failure { try await session.send([UInt8](repeating: 7, count: 1_000)) }
        while end.waitingCount < (isReceiving ? 2 : 1) { await Task.yield() }
        end.lose(ScriptedReader.error(.outOfRange))
        #expect(await sent?.undelivered == 744)
        #expect(await received?.code == (isReceiving ? .outOfRange : nil))
        var events = bench.link.events.makeAsyncIterator()
        guard case .lost(let error)? = await events.next() else {
            Issue.record("no loss")
            return
        }
        #expect(error.undelivered == 744)
        #expect(error.code == .outOfRange)
        #expect(await bench.closed() == [])
    }

    @Test("a reader that ends its direction has left")
    func orderlyEnd() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        await bench.reader.end?.close()
        #expect(try await nextBytes(of: session) == nil)
        #expect(await bench.events(2) == ["lost disconnected", "waiting disconnected 1.0 seconds"])
        #expect(await bench.closed() == [])
    }

    @Test("a session that the program closes is followed by another, which sends no bytes of the old one")
    func oldSession() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let old = try await bench.session()
        await old.close()
        await old.close()
        #expect(bench.reader.state.with { $0.openCount } == 0)
        #expect(await bench.events(2) == ["lost disconnected", "waiting disconnected 1.0 seconds"])
        let whileWaiting = await failure { try await old.send([1, 2]) }
        #expect(whileWaiting?.code == .disconnected)
        #expect(whileWaiting?.undelivered == 2)
        await bench.clock.sleepers(1)
        bench.advance(by: .seconds(1))
        let new = try await bench.session()
        #expect(await failure { try await old.send([1, 2]) }?.undelivered == 2)
        #expect(await failure { try await nextBytes(of: old) }?.code == .disconnected)
        await old.close()
        try await new.send([3])
        let end = try #require(bench.reader.end)
        #expect(try await nextBytes(of: end) == [3])
        #expect(await bench.closed() == [])
    }

    @Test("cancelling a receiver or a sender does not lose the link")
    func cancelledUse() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        let end = try #require(bench.reader.end)
        let receiving = Task { await failure { try await nextBytes(of: session) }?.code }
        let sending = Task { await failure { try await session.send([UInt8](repeating: 7, count: 1_000)) }?.code }
        while end.waitingCount < 2 { await Task.yield() }
        receiving.cancel()
        sending.cancel()
        #expect(await receiving.value == .cancelled)
        #expect(await sending.value == .cancelled)
        try await end.send([9])
        #expect(try await nextBytes(of: session) == [9])
        #expect(await bench.closed() == [])
        #expect(await bench.events(2) == ["lost disconnected", "ended"])
    }

    @Test("a lasting reason is reported once with a remedy, and the link is not tried again")
    func lastingFailure() async throws {
        let error = LinkError(.notPermitted, link: "ble:x", "not allowed", remedy: "join the group bluetooth")
        let bench = KeptBench(.fails(error))
        await bench.link.open()
        var events: [KeptLink.Event] = []
        for await event in bench.link.events { events.append(event) }
        guard events.count == 1, case .ended(let reported)? = events.first else {
            Issue.record("\(events)")
            return
        }
        #expect(reported == error)
        #expect(bench.reader.state.with { $0.attempts } == 1)
        await bench.link.tryNow()
        #expect(await bench.closed() == [])
        #expect(bench.reader.state.with { $0.attempts } == 1)
    }

    @Test("a reader that is seen is not waited for")
    func seen() async throws {
        let bench = KeptBench(.fails(ScriptedReader.error(.outOfRange)))
        await bench.link.open()
        #expect(await bench.event() == "waiting outOfRange 1.0 seconds")
        bench.reader.state.with { $0.answer = .opens }
        await bench.link.tryNow()
        _ = try await bench.session()
        await bench.link.tryNow()
        #expect(await bench.closed() == [])
        #expect(bench.reader.state.with { $0.attempts } == 2)
    }

    @Test("a sleep of the system is reported with the next event, and ends a wait")
    func slept() async throws {
        let bench = KeptBench(.fails(ScriptedReader.error(.adapterOff)))
        await bench.link.open()
        #expect(await bench.event() == "waiting adapterOff 1.0 seconds")
        bench.wallClock.advance(by: .seconds(3_600))
        bench.reader.state.with { $0.answer = .opens }
        await bench.link.report(BatteryReport(percent: 50))
        #expect(await bench.events(2) == ["slept", "battery"])
        _ = try await bench.session()
        #expect(await bench.closed() == [])
    }

    @Test("a wait that a clock ends too early is waited to its end", .timeLimit(.minutes(30)))
    func earlyWakeUp() async throws {
        let clock = HastyClock()
        let reader = ScriptedReader()
        reader.state.with { $0.answer = .fails(ScriptedReader.error(.outOfRange)) }
        let link = KeptLink(
            backOff: KeptBench.backOff, clock: clock, wallClock: clock.clock, random: SeededRandom(seed: 1)
        ) { () async throws(LinkError) in try await reader.connect() }
        await link.open()
        await clock.clock.sleepers(1)
        #expect(reader.state.with { $0.attempts } == 1)
        clock.clock.advance(by: .seconds(1))
        await clock.clock.sleepers(1)
        #expect(reader.state.with { $0.attempts } == 2)
        await link.close()
    }

    @Test("batteries are reported when they change, and once when they are low")
    func battery() async throws {
        let bench = KeptBench()
        await bench.link.open()
        _ = try await bench.session()
        for percent in [50, 50, 15, 14, 50] { await bench.link.report(BatteryReport(percent: percent)) }
        #expect(await bench.events(5) == ["battery", "battery", "batteryLow", "battery", "battery"])
        #expect(await bench.closed() == [])
        await bench.link.report(BatteryReport(percent: 3))
        #expect(await bench.events(3) == ["lost disconnected", "ended", nil])
    }

    @Test("a link that is released while it is open ends its watch of the battery")
    func letGo() async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: BatteryReport.self)
        let isOver = Shared(false)
        continuation.onTermination = { _ in isOver.with { $0 = true } }
        let (program, reader) = MemoryTransport.pair(link: ScriptedReader.link)
        do {
            let link = KeptLink { () async throws(LinkError) in LinkWithBattery(base: program, reports: reports) }
            await link.open()
            guard case .connected? = await link.events.first(where: { _ in true }) else {
                Issue.record("no session")
                return
            }
        }
        try await isOver.until { $0 }
        await program.close()
        await reader.close()
    }

    @Test("the link's own battery reports are passed on, until the session is over")
    func batteryOfTheLink() async throws {
        let (reports, continuation) = AsyncStream.makeStream(of: BatteryReport.self)
        let (program, reader) = MemoryTransport.pair(link: ScriptedReader.link)
        let link = KeptLink { () async throws(LinkError) in LinkWithBattery(base: program, reports: reports) }
        await link.open()
        var events = link.events.map { "\($0)" }.makeAsyncIterator()
        #expect(await events.next()?.hasPrefix("connected") == true)
        for percent in [80, 15] { continuation.yield(BatteryReport(percent: percent)) }
        for expected in ["battery(", "battery(", "batteryLow("] {
            #expect(await events.next()?.hasPrefix(expected) == true)
        }
        await link.close()
        await reader.close()
        continuation.yield(BatteryReport(percent: 70))
        var rest: [String] = []
        while let event = await events.next() { rest.append(event) }
        #expect(rest.count == 2)
    }
}

/// A link that reports the battery that the test sets.
private struct LinkWithBattery: Transport, BatteryReporting {
    let base: MemoryTransport
    let reports: AsyncStream<BatteryReport>

    var link: LinkName { base.link }

    func batteryReports() async -> AsyncStream<BatteryReport> { reports }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }

    func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }

    func endSending() async throws(LinkError) { try await base.endSending() }

    func close() async { await base.close() }
}
