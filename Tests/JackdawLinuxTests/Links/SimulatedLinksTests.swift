import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Simulated readers by the names of their links.
@Suite struct SimulatedLinksTests {
    /// Whatever families there are, each can be opened by its name, and its driver reads the whole deck; SPm20 takes payments
    /// only.
    @Test(arguments: ReaderFamily.all.map(\.name).filter { SimulatedFamily.named($0) != nil && $0 != "jsonpos" })
    func theDeckIsSwipedAtEachFamily(name: String) async throws {
        let family = try #require(ReaderFamily.named(name))
        let clock = LeapingClock()
        let transport = try SimulatedLinks.open(LinkName(.sim, name), clock: clock)
        #expect(transport.link == LinkName(.sim, name))
        let session = ReaderSession(transport, try family.makeDialect(family.simulatedProfile), clock: ManualClock())
        await session.perform(.connect)
        var swipes = 0
        for await event in session.events {
            switch event {
            case .ready: await session.perform(.requestSwipe(within: .seconds(20)))
            case .waitingForCard: clock.advance(by: .seconds(1))
            case .swipe: swipes += 1
            default: break
            }
            if swipes == SimulatedCard.deck.count { await session.close() }
        }
        #expect(swipes == SimulatedCard.deck.count)
    }

    /// Each link has a reader of its own, which is gone when the link is closed.
    @Test func aReaderEndsWithItsLink() async throws {
        let link = LinkName(.sim, "miura")
        let (first, second) = (try SimulatedLinks.open(link), try SimulatedLinks.open(link))
        await first.close()
        await #expect(throws: LinkError.self) { try await first.send([0]) }
        try await second.send([0])
        await second.close()
    }

    @Test func anUnknownFamilyIsToldWithTheKnownOnes() async {
        do throws(LinkError) {
            _ = try await LinuxDevices().connect(LinkName(.sim, "nosuch"))
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .notFound)
            for family in SimulatedFamily.all { #expect(error.description.contains("sim:\(family.name)")) }
        }
    }
}
