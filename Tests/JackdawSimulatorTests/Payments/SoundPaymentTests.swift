import JackdawEMV
import JackdawReaders
import JackdawSoundTestSupport
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawSimulator

/// Payments with cards that are swiped at a reader in the jack of a sound card in memory, in the time of its frames.
@Suite(.timeLimit(.minutes(30)))
struct SoundPaymentTests {
    private static let plain = SimulatedCard("plain", track2: ";9999990000000014=30121010000012345678?")
    private static let chip = SimulatedCard("chip", track2: ";9999990000000014=30122010000012345678?")

    /// Pays; each text that asks for a card has the next one swiped a second later, when the reader waits for it.
    private func pay(_ name: String, _ cards: [SimulatedCard]) async throws -> (PaymentResult, [String]) {
        let family = try #require(ReaderFamily.named(name))
        let sound = try #require(try family.makeSound(family.simulatedProfile))
        let model = try #require(SimulatedFamily.named(name)).makeModel()
        let clock = ManualClock()
        let port = try MemorySoundPort(sound, sampleRate: 48_000, clock: clock) { SimulatedReader(model) }
        let link = try SoundLink(LinkName(.alsa, "memory"), sound, playback: port, captureRate: port.sampleRate)
        let setup = try PaymentSetup(
            "plain", json: Array(PlainCard.text.utf8), payer: SimulatedPayer(json: Array("{}".utf8)),
            issuer: PlainIssuer.issuer(), PlainCryptography()
        ) { _ in nil }
        let reader = try SwipingReader(family, profile: family.simulatedProfile)
        let payment = LinkedPayment(
            try PaymentRun(setup, amount: 1000, currency: hex("0978"), swipedAt: reader, PlainCryptography()),
            over: link, clock: clock)
        let prompts = Shared<[String]>([])
        let end = Shared<PaymentResult?>(nil)
        let paying = Task {
            let (result, _) = await payment.pay { outputs in
                for case .prompt(let prompt, _) in outputs { prompts.with { $0.append(prompt.code) } }
            }
            end.with { $0 = result }
        }
        var cards = cards[...]
        var asked = 0
        var wait: Int?
        // Three minutes of sound at most.
        for _ in 0..<18_000 where end.with({ $0 == nil }) {
            _ = try port.receive(within: .zero) { event, samples in link.hear(event, samples) }
            // No time passes while a task has work.
            while link.waitingCount > 0, end.with({ $0 == nil }) { await Task.yield() }
            for _ in 0..<4 { await Task.yield() }
            let count = prompts.with { $0.count { $0 == "card" } }
            if count > asked { (asked, wait) = (count, 100) }
            guard let left = wait else { continue }
            wait = left > 1 ? left - 1 : nil
            if left == 1, let card = cards.popFirst() { port.present(Presentation(card)) }
        }
        paying.cancel()
        await paying.value
        let result = end.with { $0 }
        return (try #require(result), prompts.with { $0 })
    }

    @Test(arguments: ["udynamo", "unimag", "ips"]) func aCardSwipedInSoundPays(_ family: String) async throws {
        let (result, prompts) = try await pay(family, [Self.plain])
        #expect(result.outcome == .approved && result.entry == .swipe && result.isSettled)
        #expect(result.captured == 1000)
        #expect(prompts == ["card", "issuer", "sign", "compare_signature"])
    }

    @Test func anotherCardIsSwipedAfterOneWithAChip() async throws {
        let (result, prompts) = try await pay("unimag", [Self.chip, Self.plain])
        #expect(result.outcome == .approved)
        #expect(prompts.prefix(4) == ["card", "use_chip", "card", "issuer"])
    }
}
