import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// A card in a reader at a link that is inserted twice in one payment. The chip cannot be used the first time.
@Suite struct CardResetTests {
    /// What the till has for the card, in order: `00A4` for a command, or `reset`.
    private static func tasks(failures: Int) throws -> (tasks: [String], result: PaymentResult) {
        let card = DeckName(folder: .deck, name: "approved-online")
        let (setup, ends) = (try PaymentRuns.setup(card), try PaymentRuns.ends(card))
        var run = try PaymentRun(
            setup, amount: ends.amount, currency: ends.currency, atLinkOf: .kernel, LibCryptoPrimitives(mode: .test))
        var chip = setup.card
        _ = chip.powerOn()
        var failures = failures
        var tasks: [String] = []
        var now = Duration.zero
        _ = run.start()
        while let next = run.nextDeadline {
            now = max(now, next)
            _ = run.advance()
            for task in run.takeTasks() {
                switch task {
                case .send(let command):
                    tasks.append(hexadecimal(command.prefix(2)))
                    // An answer without a status word is none of a card.
                    let answer = failures > 0 ? [0x6F] : chip.receive(command.span).octets
                    failures -= 1
                    _ = run.receive(answer, at: now)
                case .resetCard:
                    tasks.append("reset")
                    _ = chip.powerOn()
                case .power: Issue.record("a card has no power of its own")
                }
            }
        }
        return (tasks, run.result)
    }

    @Test func theCardIsResetBeforeItIsUsedAgain() throws {
        let (tasks, result) = try Self.tasks(failures: 1)
        #expect(tasks.prefix(3) == ["00A4", "reset", "00A4"])
        #expect(tasks.count { $0 == "reset" } == 1)
        #expect(result.outcome == .approved && result.entry == .chip && result.isSettled)
    }

    @Test func aCardThatIsInsertedOnceIsNotReset() throws {
        let (tasks, result) = try Self.tasks(failures: 0)
        #expect(!tasks.contains("reset"))
        #expect(result.outcome == .approved)
    }
}
