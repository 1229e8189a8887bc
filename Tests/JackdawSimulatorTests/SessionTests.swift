import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// Conversations over a link, on a clock that stands still until it is moved.
@Suite(.timeLimit(.minutes(30)))
struct SessionTests {
    let link = LinkName(.sim, "test")

    /// Takes events until one of them is wanted.
    private static func events(
        _ events: inout AsyncStream<ReaderEvent>.Iterator, until isLast: (ReaderEvent) -> Bool
    ) async -> [String] {
        var lines: [String] = []
        while let event = await events.next() {
            lines.append("\(event)")
            if isLast(event) { break }
        }
        return lines
    }

    private static func isReady(_ event: ReaderEvent) -> Bool {
        if case .ready = event { true } else { false }
    }

    private static func isSwipe(_ event: ReaderEvent) -> Bool {
        if case .swipe = event { true } else { false }
    }

    private static func isLost(_ event: ReaderEvent) -> Bool {
        if case .lost = event { true } else { false }
    }

    /// A reader that answers at once, and a session with it.
    private func session(_ family: String) throws -> (ReaderSession, SimulatorHost, Task<Void, Never>) {
        let known = try #require(ReaderFamily.named(family))
        let (near, far) = MemoryLink.pair(link: link, keepsPackets: known.needsPackets)
        let clock = ManualClock()
        let model = try #require(SimulatedFamily.named(family)).makeModel()
        var device = SimulatedDevice()
        device.answerDelay = .zero
        let deck = [Presentation(SimulatedCard.deck[1], after: .zero)]
        let host = SimulatorHost(far, clock: clock) { SimulatedReader(model, device: device, deck: deck) }
        let dialect = try known.makeDialect(known.simulatedProfile)
        return (ReaderSession(near, dialect, clock: clock), host, Task { await host.run() })
    }

    @Test(arguments: RehearsalTests.familiesOfBytes)
    func aSwipeComesOverALink(family: String) async throws {
        let (session, host, running) = try session(family)
        var events = session.events.makeAsyncIterator()
        await session.perform(.connect)
        _ = await Self.events(&events, until: Self.isReady)
        await session.perform(.requestSwipe(within: .seconds(20)))
        // Readers that are always armed may have had their card before.
        await host.present(Presentation(SimulatedCard.deck[1]))
        let reported = await Self.events(&events, until: Self.isSwipe)
        #expect(reported.last?.contains("555555******4444") == true)
        await session.close()
        await running.value
        let rest = await Self.events(&events, until: Self.isLost)
        #expect(rest.last == "lost")
        #expect(await events.next() == nil)
        #expect(await session.state == .lost)
    }

    @Test func aSilentReaderTimesOutByTheClock() async throws {
        let (near, far) = MemoryLink.pair(link: link)
        let clock = ManualClock()
        let session = ReaderSession(near, MagTekDialect(), clock: clock)
        var events = session.events.makeAsyncIterator()
        await session.perform(.connect)
        for _ in 0..<3 {
            await clock.sleepers(1)
            clock.advance(by: .seconds(4))
        }
        let reported = await Self.events(&events) { if case .failed = $0 { true } else { false } }
        #expect(reported == ["failed: the reader does not answer (software, asked 3 times)"])
        var count = 0
        await session.close()
        while try await far.receive({ count += $0.count }) {}
        #expect(count == 3 * "000100\r".utf8.count)
    }

    @Test func aLinkThatTheReaderClosesIsLost() async throws {
        let (near, far) = MemoryLink.pair(link: link)
        let session = ReaderSession(near, MagTekDialect(), clock: ManualClock())
        var events = session.events.makeAsyncIterator()
        await session.perform(.connect)
        await far.close()
        let reported = await Self.events(&events, until: Self.isLost)
        #expect(reported.last?.hasPrefix("lost") == true)
        #expect(await events.next() == nil)
    }

    /// A link whose end takes its time.
    private struct SlowlyClosed: Transport {
        let base: MemoryLink
        let isClosing = Shared(false)
        let mayClose = Shared(false)

        var link: LinkName { base.link }
        func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await base.receive(take) }
        func send(_ bytes: [UInt8]) async throws(LinkError) { try await base.send(bytes) }
        func endSending() async throws(LinkError) { try await base.endSending() }
        func close() async {
            isClosing.with { $0 = true }
            try? await mayClose.until { $0 }
            await base.close()
        }
    }

    @Test func eachCloseWaitsForTheEndOfTheLink() async throws {
        let transport = SlowlyClosed(base: MemoryLink.pair(link: link).0)
        let session = ReaderSession(transport, MagTekDialect(), clock: ManualClock())
        let count = Shared(0)
        let closing = (0..<2).map { _ in
            Task {
                await session.close()
                count.with { $0 += 1 }
            }
        }
        try await transport.isClosing.until { $0 }
        for _ in 0..<100 { await Task.yield() }
        #expect(count.with { $0 } == 0)
        transport.mayClose.with { $0 = true }
        for task in closing { await task.value }
    }

    @Test func aWaitForAnEventCanBeCancelled() async throws {
        let (near, far) = MemoryLink.pair(link: link)
        let session = ReaderSession(near, MagTekDialect(), clock: ManualClock())
        let waiting = Task {
            var count = 0
            for await _ in session.events { count += 1 }
            return count
        }
        waiting.cancel()
        #expect(await waiting.value == 0)
        await session.close()
        await far.close()
    }

    /// Events that the program does not take are bounded: the rest stays with the link.
    @Test func noBytesAreReceivedWhileManyEventsWait() async throws {
        let (near, far) = MemoryLink.pair(link: link, room: 64)
        let session = ReaderSession(near, MiuraDialect(), clock: ManualClock())
        await session.perform(.connect)
        let sending = Task {
            var sent = 0
            while sent < 100_000, (try? await far.send([0x01, 0x40, 0x02, 0x50, 0x60, 0x73])) != nil { sent += 1 }
            return sent
        }
        var count = 0
        for await event in session.events {
            if case .dropped = event { count += 1 }
            if count == 1000 { break }
        }
        #expect(await session.waitingCount < 1000)
        await session.close()
        await far.close()
        #expect(await sending.value < 100_000)
    }
}
