import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Readers that come and go.
@Suite(.timeLimit(.minutes(30)))
struct KeptReadersTests {
    private let clock = ManualClock()
    private let attempts = Shared(0)

    private func sessions(
        _ connect: @escaping @Sendable (Int) throws(LinkError) -> any Transport
    ) -> AsyncStream<ReaderSession> {
        KeptReaders.sessions(
            { () throws(ReaderError) in MiuraDialect() }, backOff: BackOff(jitter: 0), clock: clock
        ) { [attempts] () async throws(LinkError) in
            let number = attempts.with { attempts in
                defer { attempts += 1 }
                return attempts
            }
            return try connect(number)
        }
    }

    @Test func aReaderThatIsLostIsConnectedAgain() async throws {
        let link = LinkName(.sim, "miura")
        let far = Shared<[MemoryLink]>([])
        var readers = sessions { number throws(LinkError) in
            if number == 1 { throw LinkError(.notFound, link: "x", "not plugged in") }
            let (here, there) = MemoryLink.pair(link: link)
            far.with { $0.append(there) }
            return here
        }.makeAsyncIterator()
        let first = try #require(await readers.next())
        await first.perform(.connect)
        // The reader goes; then it is not there, and then it is.
        await far.with { $0[0] }.close()
        for await _ in first.events {}
        // Others may still be about to wake from what they wait for no more.
        while clock.nextDeadline?.offset != .seconds(1) { await Task.yield() }
        clock.advance(by: .seconds(1))
        try await attempts.until { $0 == 2 }
        while clock.nextDeadline?.offset != .seconds(3) { await Task.yield() }
        clock.advance(by: .seconds(2))
        let second = try #require(await readers.next())
        #expect(attempts.with { $0 } == 3)
        await second.close()
    }

    /// A device that has just been plugged in belongs to root for a moment.
    @Test func latePermissionIsWaitedFor() async throws {
        var readers = sessions { number throws(LinkError) in
            if number == 0 { throw LinkError(.notPermitted, link: "x", "may not be opened") }
            return MemoryLink.pair(link: LinkName(.sim, "miura")).0
        }.makeAsyncIterator()
        while clock.nextDeadline?.offset != .seconds(1) { await Task.yield() }
        clock.advance(by: .seconds(1))
        let reader = try #require(await readers.next())
        #expect(attempts.with { $0 } == 2)
        await reader.close()
    }

    @Test func aLinkThatLeadsNowhereIsNotTriedAgain() async {
        var readers = sessions { _ throws(LinkError) in
            throw LinkError(.unsupported, link: "x", "no link of bytes")
        }.makeAsyncIterator()
        #expect(await readers.next() == nil)
        #expect(attempts.with { $0 } == 1)
    }
}
