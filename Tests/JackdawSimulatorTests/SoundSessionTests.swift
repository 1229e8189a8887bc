import JackdawDSP
import JackdawReaders
import JackdawSimulator
import JackdawSoundTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

/// Sessions with readers on an audio jack, over a sound card in memory, in the time of its frames.
@Suite(.timeLimit(.minutes(30)))
struct SoundSessionTests {
    private struct Conversation {
        let session: ReaderSession
        let link: SoundLink
        let port: MemorySoundPort

        init(_ name: String, sampleRate: Double) throws {
            let family = try #require(ReaderFamily.named(name))
            let sound = try #require(try family.makeSound(family.simulatedProfile))
            let model = try #require(SimulatedFamily.named(name)).makeModel()
            let clock = ManualClock()
            port = try MemorySoundPort(sound, sampleRate: sampleRate, clock: clock) { SimulatedReader(model) }
            link = try SoundLink(
                LinkName(.alsa, "memory"), sound, playback: port, captureRate: port.sampleRate)
            session = ReaderSession(link, try family.makeDialect(family.simulatedProfile), clock: clock)
        }

        /// Lets the sound go on until the conversation is in a state, a minute of it at most.
        func run(until state: ReaderState) async throws {
            for _ in 0..<6_000 {
                guard await session.state != state else { return }
                _ = try port.receive(within: .zero) { event, samples in link.hear(event, samples) }
                // No time passes while a task has work.
                while link.waitingCount > 0 { await Task.yield() }
                await Task.yield()
            }
        }

        /// What has happened, up to an event that is the last.
        func events(through isLast: (ReaderEvent) -> Bool) async -> [String] {
            var lines: [String] = []
            for await event in session.events {
                lines.append("\(event)")
                if isLast(event) { break }
            }
            return lines
        }
    }

    /// The events when a reader is connected and a card is swiped.
    private func swipe(_ conversation: Conversation) async throws -> [String] {
        await conversation.session.perform(.connect)
        try await conversation.run(until: .ready)
        await conversation.session.perform(.requestSwipe(within: .seconds(20)))
        try await conversation.run(until: .armed)
        conversation.port.present(Presentation(SimulatedCard.deck[1]))
        try await conversation.run(until: .ready)
        return await conversation.events { if case .swipe = $0 { true } else { false } }
    }

    @Test(arguments: ["udynamo", "unimag"], [48_000.0, 44_100])
    func aSwipeComesOverASoundCard(family: String, sampleRate: Double) async throws {
        let conversation = try Conversation(family, sampleRate: sampleRate)
        let reported = try await swipe(conversation)
        #expect(
            reported == [
                "connected: \(family), firmware JACKDAW SIMULATED 1.00, serial number SIM0000001", "ready",
                "waiting for a card", "swipe: \(family) 555555******4444",
            ])
        await conversation.session.perform(.powerDown)
        try await conversation.run(until: .off)
        for _ in 0..<20 { _ = try conversation.port.receive(within: .zero) { _, _ in } }
        #expect(!conversation.port.hasPower)
        await conversation.session.close()
    }

    @Test(arguments: SoundRehearsalTests.familiesWithABattery, [48_000.0, 44_100])
    func aSwipeOfAReaderWithABatteryComesOverASoundCard(family: String, sampleRate: Double) async throws {
        let conversation = try Conversation(family, sampleRate: sampleRate)
        let reported = try await swipe(conversation)
        #expect(
            reported == [
                "connected: \(family)", "ready", "waiting for a card", "swipe: \(family) 555555******4444",
            ])
        await conversation.session.close()
    }

    @Test func aDisconnectedSoundCardIsALostLink() async throws {
        let conversation = try Conversation("unimag", sampleRate: 48_000)
        await conversation.session.perform(.connect)
        try await conversation.run(until: .ready)
        conversation.port.disconnect()
        try await conversation.run(until: .lost)
        var code: LinkError.Code?
        let events = await conversation.events {
            guard case .lost(let error) = $0 else { return false }
            code = error?.code
            return true
        }
        #expect(code == .disconnected)
        #expect(events.last?.hasPrefix("lost: alsa:memory: ") == true)
    }

    /// A thread that captures ends with its link.
    @Test func capturingEndsWithTheLink() async throws {
        let conversation = try Conversation("unimag", sampleRate: 48_000)
        await conversation.session.close()
        conversation.link.capture(from: conversation.port)
        #expect(await conversation.session.state == .lost)
    }
}
