import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawLinux

/// Simulated readers by the names of their links.
@Suite struct SimulatedLinksTests {
    /// Each family whose readers say when they wait for a card, or always do, can be opened by its name, and its
    /// driver reads the whole deck.
    @Test(arguments: ReaderFamily.all.map(\.name).filter(Self.tellsWhenItWaits))
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

    /// Of others a test cannot know when time may pass: the reader may not have heard of the wait yet, or
    /// takes its time to wake up.
    private static func tellsWhenItWaits(_ name: String) -> Bool {
        guard let family = ReaderFamily.named(name), SimulatedFamily.named(name) != nil,
            let dialect = try? family.makeDialect(family.simulatedProfile),
            let arming = try? dialect.arming(for: .seconds(20))
        else { return false }
        guard family.carriers != [.audio] else { return false }
        return dialect.isAlwaysArmed || arming.last?.isAnswered == true
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

    @Test func anUnknownFamilyListsTheKnownOnes() async {
        do throws(LinkError) {
            _ = try await LinuxDevices().connect(LinkName(.sim, "nosuch"))
            Issue.record("it was opened")
        } catch {
            #expect(error.code == .notFound)
            for name in SimulatedFamily.names { #expect(error.description.contains("sim:\(name)")) }
        }
    }

    /// The names of readers lead to their families, and stay the names of the links.
    @Test(arguments: [("posmate", "epos"), ("emvswiper", "bbpos"), ("spm20", "jsonpos")])
    func readersAreOpenedByTheirOwnNames(name: String, family: String) async throws {
        #expect(SimulatedFamily.named(name)?.name == family)
        #expect(ReaderFamily.named(family) != nil)
        #expect(SimulatedFamily.names.contains(name))
        let transport = try SimulatedLinks.open(LinkName(.sim, name))
        #expect(transport.link == LinkName(.sim, name))
        await transport.close()
    }
}
