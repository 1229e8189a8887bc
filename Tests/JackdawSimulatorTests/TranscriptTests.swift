import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

/// What was recorded of a simulated reader is played back through the same driver.
@Suite(.timeLimit(.minutes(30)))
struct TranscriptTests {
    /// Connects, waits for a card, reads it and asks something that may be refused; then the reader ends it.
    static func converse(
        over transport: any Transport, _ dialect: any ReaderDialect, _ clock: ManualClock,
        present: () async -> Void = {},
        end: () async -> Void = {}
    ) async -> [String] {
        let session = ReaderSession(transport, dialect, clock: clock)
        var lines: [String] = []
        var readyCount = 0
        await session.perform(.connect)
        // What it waits for before it says anything more.
        clock.advance(by: dialect.identification.reduce(dialect.waking ?? .zero) { $0 + $1.pause })
        for await event in session.events {
            lines.append("\(event)")
            // Each of the program's own steps has its time: nothing comes before it when it is played back.
            clock.advance(by: .milliseconds(100))
            switch event {
            case .ready:
                readyCount += 1
                switch readyCount {
                case 1: await session.perform(.requestSwipe(within: .seconds(20)))
                case 2: await session.perform(.ask(.firmware))
                default: await end()
                }
            case .waitingForCard:
                clock.advance(by: .seconds(1))
                await present()
            // A tag ends no wait.
            case .reported(.bytes): clock.advance(by: .seconds(20))
            case .failed: await end()
            default: break
            }
        }
        return lines
    }

    @Test(arguments: RehearsalTests.families)
    func aTranscriptGivesTheSameEvents(name: String) async throws {
        let recorded = try await recordAndReplay(name)
        #expect(recorded.contains { $0.hasPrefix("swipe: \(name) 555555******4444") })
    }

    /// Those that report no swipes: readers of tags, of plain bytes, and terminals.
    @Test(arguments: [("flojack", "card: tapped"), ("hijack", "ready"), ("jsonpos", "connected")])
    func aTranscriptWithoutSwipesGivesTheSameEvents(name: String, event: String) async throws {
        #expect(try await recordAndReplay(name).contains { $0.hasPrefix(event) })
    }

    /// Has a conversation, and has it again with its transcript.
    /// - Returns: what happened, both times.
    private func recordAndReplay(_ name: String) async throws -> [String] {
        let family = try #require(ReaderFamily.named(name))
        let model = try #require(SimulatedFamily.named(name)).makeModel()
        let dialect = try family.makeDialect(family.simulatedProfile)
        let link = LinkName(.sim, name)
        let (near, far) = MemoryLink.pair(link: link, keepsPackets: family.needsPackets)
        var device = SimulatedDevice()
        device.answerDelay = .zero
        // A reader may not have received the request to wait yet when its driver has sent it.
        let deck = model.isAlwaysArmed ? [] : [Presentation(SimulatedCard.deck[1], after: .zero)]
        let clock = ManualClock()
        let host = SimulatorHost(far, clock: clock) { SimulatedReader(model, device: device, deck: deck) }
        let running = Task { await host.run() }
        let text = Shared("")
        let recording = try RecordingTransport(near, secrecy: .revealed, clock: clock) { part in
            text.with { $0 += part }
        }
        let recorded = await Self.converse(over: recording, dialect, clock) {
            if model.isAlwaysArmed { await host.present(Presentation(SimulatedCard.deck[1])) }
        } end: {
            running.cancel()
        }
        await running.value

        let transcript = try Transcript(parsing: Array(text.with { $0 }.utf8).span)
        let later = ManualClock()
        let replay = ReplayTransport(transcript, link: LinkName(.replay, "transcript"), clock: later)
        let replayed = await Self.converse(over: replay, dialect, later)
        #expect(replayed == recorded)
        return recorded
    }
}
