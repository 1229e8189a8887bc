import JackdawTestSupport
import Testing

@testable import JackdawTransport

@Suite("The end of a link that is kept open, and its events")
struct KeptLinkEndTests {
    @Test("closing during an attempt cancels the attempt")
    func whileConnecting() async throws {
        let bench = KeptBench(.silence)
        await bench.link.open()
        try await bench.reader.state.until { $0.running == 1 }
        #expect(await bench.closed() == [])
        #expect(await bench.events(2) == ["ended", nil])
    }

    @Test("an answer that comes after it was closed is closed, too")
    func lateAnswer() async throws {
        let bench = KeptBench(.opensTooLate)
        await bench.link.open()
        try await bench.reader.state.until { $0.running == 1 }
        #expect(await bench.closed() == [])
        #expect(bench.reader.state.with { $0.links.count } == 1)
        #expect(await bench.events(2) == ["ended", nil])
    }

    @Test("closing during a wait ends the wait")
    func whileWaiting() async throws {
        let bench = KeptBench(.fails(ScriptedReader.error(.refused)))
        await bench.link.open()
        await bench.clock.sleepers(1)
        #expect(await bench.closed() == [])
        #expect(await bench.events(3) == ["waiting refused 1.0 seconds", "ended", nil])
    }

    @Test("closing an open link fails receivers and senders, and the loss counts the unsent bytes")
    func whileOpen() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        let end = try #require(bench.reader.end)
        async let received = failure { try await nextBytes(of: session) }
        async let sent = failure { try await session.send([UInt8](repeating: 7, count: 300)) }
        while end.waitingCount < 2 { await Task.yield() }
        #expect(await bench.closed() == [])
        #expect(await received?.code == .disconnected)
        #expect(await sent?.undelivered == 44)
        var events = bench.link.events.makeAsyncIterator()
        guard case .lost(let error)? = await events.next() else {
            Issue.record("no loss")
            return
        }
        #expect(error.undelivered == 44)
        #expect(await bench.events(2) == ["ended", nil])
    }

    @Test("closed while its session is being closed, it waits for that")
    func whileLosing() async throws {
        let bench = KeptBench()
        await bench.link.open()
        let session = try await bench.session()
        bench.reader.end?.lose(ScriptedReader.error(.outOfRange))
        async let received = failure { try await nextBytes(of: session) }
        #expect(await bench.closed() == [])
        #expect(await received != nil)
        let events = await bench.events(4)
        // It depends on who comes first whether there was still a wait.
        #expect(events.first??.hasPrefix("lost ") == true)
        #expect(events.contains("ended"))
    }

    @Test("closed before it was opened, it is never opened")
    func beforeOpen() async throws {
        let bench = KeptBench()
        #expect(await bench.closed() == [])
        await bench.link.open()
        #expect(await bench.events(2) == ["ended", nil])
        #expect(bench.reader.state.with { $0.attempts } == 0)
    }

    @Test(
        "closed by many at once, all wait for the end",
        arguments: [ScriptedReader.Answer.opens, .silence, .opensTooLate])
    func many(_ answer: ScriptedReader.Answer) async throws {
        let bench = KeptBench(answer)
        await bench.link.open()
        try await bench.reader.state.until { $0.attempts == 1 }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    let left = await bench.closed()
                    #expect(left == [])
                }
            }
        }
        #expect(await bench.closed() == [])
    }

    @Test(
        "nothing holds a link that is closed, whether its events were taken or not", .timeLimit(.minutes(30)),
        arguments: [true, false])
    func leak(_ takesEvents: Bool) async throws {
        weak var link: KeptLink?
        do {
            let bench = KeptBench()
            link = bench.link
            await bench.link.open()
            if takesEvents {
                let session = try await bench.session()
                bench.reader.end?.lose(ScriptedReader.error(.outOfRange))
                _ = await failure { try await nextBytes(of: session) }
                await bench.clock.sleepers(1)
            } else {
                try await bench.reader.state.until { $0.links.count == 1 }
            }
            #expect(await bench.closed() == [])
        }
        // A task that has done its work lets go of the link a moment later.
        while link != nil { await Task.yield() }
    }

    @Test("a cancelled listener loses no event")
    func cancelledListener() async throws {
        let bench = KeptBench()
        for _ in 0..<20 {
            let listener = Task { await bench.event() }
            listener.cancel()
            #expect(await listener.value == nil)
        }
        await bench.link.open()
        _ = try await bench.session()
        #expect(await bench.closed() == [])
    }

    @Test("events that are not received are counted")
    func overflow() async throws {
        let bench = KeptBench(capacity: 4)
        await bench.link.open()
        let session = try await bench.session()
        for percent in 30..<40 { await bench.link.report(BatteryReport(percent: percent)) }
        #expect(await bench.events(5) == ["missed 6", "battery", "battery", "battery", "battery"])
        for percent in 40..<50 { await bench.link.report(BatteryReport(percent: percent)) }
        await session.close()
        #expect(await bench.closed() == [])
        #expect(
            await bench.events(6) == [
                "missed 9", "battery", "lost disconnected", "waiting disconnected 1.0 seconds", "ended", nil,
            ])
    }

    @Test("of events that are not received, only the open session is kept")
    func sessionIsKept() {
        let session = MemoryTransport.pair(link: ScriptedReader.link).0
        let loss = KeptLink.Event.lost(ScriptedReader.error(.outOfRange))
        var queue = EventQueue(capacity: 3)
        queue.append(.connected(session))
        for _ in 0..<5 { queue.append(.slept(.seconds(1))) }
        #expect(taken(&queue) == ["missed 3", "connected", "slept", "slept"])
        for event in [.connected(session), loss, .connected(session), .slept(.seconds(1)), .slept(.seconds(1))] {
            queue.append(event)
        }
        #expect(taken(&queue) == ["missed 2", "connected", "slept", "slept"])
        #expect(taken(&queue) == [])
    }

    private func taken(_ queue: inout EventQueue) -> [String] {
        var events: [String] = []
        while let event = queue.next() { events.append(describe(event)) }
        return events
    }
}
