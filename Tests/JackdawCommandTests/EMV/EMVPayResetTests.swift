import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// A virtual card in a reader at a link, whose first answers are none of a card.
private final class CardInReader: Transport, CardResetting {
    struct State: Sendable {
        var card: VirtualCard
        var failures: Int
        /// `00A4` for a command, or `reset`.
        var calls: [String] = []
    }

    let link = LinkName(.pcsc, "0")
    let state: Shared<State>
    private let answers: (near: MemoryTransport, far: MemoryTransport)

    init(_ card: VirtualCard, failures: Int) {
        var card = card
        _ = card.powerOn()
        state = Shared(State(card: card, failures: failures))
        let (near, far) = MemoryTransport.pair(link: link)
        answers = (near, far)
    }

    func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool { try await answers.near.receive(take) }

    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let answer = state.with { state -> [UInt8] in
            state.calls.append(hexadecimal(bytes.prefix(2)))
            state.failures -= 1
            return state.failures >= 0 ? [0x6F] : state.card.receive(bytes.span).octets
        }
        try await answers.far.send(answer)
    }

    func endSending() async throws(LinkError) {}
    func close() async { await answers.near.close() }
    func answerToReset() async -> [UInt8] { [0x3B, 0x00] }

    func resetCard() async throws(LinkError) -> [UInt8] {
        state.with { state in
            state.calls.append("reset")
            return state.card.powerOn()
        }
    }
}

/// Payments over a link whose card is inserted again.
@Suite struct EMVPayResetTests {
    @Test(.timeLimit(.minutes(10))) func theCardIsResetBetweenTwoInsertions() async throws {
        let file = "\(EMVPayTests.root)/cards/deck/approved-online.json"
        let setup = try PaymentFiles(card: file, deck: nil).setup(payer: nil, issuer: nil)
        let card = CardInReader(setup.card, failures: 1)
        let (status, output) = try await onOwnThread {
            var environment = CommandEnvironment()
            environment.clock = LeapingClock(most: .seconds(10))
            environment.connect = { _, _, _ throws(LinkError) in card }
            let recorder = ConsoleRecorder()
            let line = ["emv", "pay", "--link", "pcsc:0", "--card", file]
            let verb = try #require(try JackdawCommand.command(of: line) as? PayWithVirtualCard)
            return (verb.status(on: recorder.console, in: environment), recorder.output)
        }
        #expect(status == .done, "\(output)")
        #expect(output.contains("The card could not be read. Try again."))
        let calls = card.state.with { $0.calls }
        #expect(calls.prefix(3) == ["00A4", "reset", "00A4"])
        #expect(calls.count { $0 == "reset" } == 1)
    }
}
