import JackdawReaders
import JackdawSimulator
import Testing

@testable import JackdawDSP
@testable import jackdaw_cli

/// Every verb at its most talkative, over cards of all kinds: no account number may come out.
@Suite struct SecurityTests {
    /// Public test numbers, and numbers of the unassigned prefix 999999.
    static let numbers = [
        "4012888888881881", "5200828282828210", "378282246310005", "6011000990139424", "9999990123456789011",
    ]

    static func cards(_ number: String) -> [(track: Int, text: String)] {
        [
            (1, "%B\(number)^DOE/JANE^29121010000000000000?"), (1, "%A\(number) ROOM 12?"), (1, "%\(number)\(number)?"),
            (2, ";\(number)=29121010000000000?"), (2, ";\(number)?"), (2, ";99=\(number)?"),
            (3, ";01\(number)==97820000000000000030000000000000029121===0=0000000000?"), (3, ";\(number)\(number)=1?"),
        ]
    }

    @Test(arguments: numbers)
    func noOutputHoldsAnAccountNumber(number: String) throws {
        for card in Self.cards(number) { try expectNoOutput(of: card, number, options: []) }
    }

    /// Swipes that take the strong tier, and swipes that cannot be read.
    @Test(arguments: [["--noise", "3"], ["--noise", "-9"], ["--clip", "50", "--hum", "10"], ["--rate", "8000"]])
    func neitherDoesTheOutputOfHardSwipes(options: [String]) throws {
        let number = Self.numbers[0]
        for card in [Self.cards(number)[0], Self.cards(number)[3]] {
            try expectNoOutput(of: card, number, options: options)
        }
    }

    @Test func usageErrorsHoldNoAccountNumber() {
        for number in Self.numbers {
            let text = ";\(number)=29121010000000000?"
            let lines = [
                ["synth", text], ["synth", "-o", "a.wav", text], ["decode", "--channel", text, "a.wav"],
                ["decode", "--raw", text, "a.wav"], ["listen", "--link", text], ["listen", "--link", "wav:\(text)"],
                ["synth", "--track2", text], [text],
                ["frame", "idtech", text], ["frame", text, "00"], ["frame", "--direction", text, "idtech", "00"],
                ["demodulate", "--mode", text, "a.wav"], ["demodulate", "--framing", text, "a.wav"],
                ["modulate", "--mode", text, "-o", "a.wav"], ["modulate", "--mode", "v21", "-o", "a.wav", text],
                ["synth", "-o", "/nonexistent/a.wav", "--track1", text], ["synth", "-o", "a.wav", "--seed", text],
            ]
            for line in lines { expectNoCard(CommandRun(line), number) }
        }
    }

    /// A conversation with a reader of each family that can be offered over a port, and what offers it.
    @Test(arguments: SimulatedFamily.all.map(\.name).filter { ReaderFamily.named($0)?.needsPackets == false })
    func noConversationHoldsAnAccountNumber(family: String) async throws {
        for options in [[], ["--json"]] {
            let (listening, offering) = try await SimulatedListening.run(family, options)
            #expect(!listening.isEmpty)
            for card in SimulatedCard.deck {
                let number = card.tracks[1].dropFirst().prefix { $0 != "=" }
                // A run of zeros tells nothing, and stands in serial numbers, too.
                guard number.dropFirst(6).dropLast(4).contains(where: { $0 != "0" }) else { continue }
                expectNoCard(listening + offering, String(number))
            }
        }
    }

    private func expectNoOutput(
        of card: (track: Int, text: String), _ number: String, options: [String]
    ) throws {
        let folder = try TemporaryFolder()
        let file = folder("a.wav")
        let text = try folder.write(Array(card.text.utf8), to: "card")
        let runs =
            [
                CommandRun(["synth", "-o", file, "--track\(card.track)", "@\(text)"] + options),
                CommandRun(["synth", "--json", "-o", file, "--track\(card.track)", card.text] + options),
            ] + Self.talkative(file)
        for run in runs { expectNoCard(run, number) }
        // What says where the swipes are in a recording of listen's.
        guard folder.names.contains("a.wav.kept.wav.json") else { return }
        expectNoCard(String(decoding: try folder.read("a.wav.kept.wav.json"), as: UTF8.self), number)
    }

    private static func talkative(_ file: String) -> [CommandRun] {
        [
            CommandRun("decode", file), CommandRun("decode", "--failures", file),
            CommandRun("decode", "--json", "--failures", file), CommandRun("inspect", file),
            CommandRun("inspect", "--json", file), CommandRun("listen", "--link", "wav:\(file)", "--failures"),
            CommandRun("listen", "--link", "wav:\(file)", "--json", "--failures", "--record", file + ".kept.wav"),
        ]
    }

    private func expectNoCard(_ run: CommandRun, _ number: String) { expectNoCard(run.output + run.messages, number) }

    private func expectNoCard(_ text: String, _ number: String) {
        #expect(!text.contains(number))
        // The digits that masking must hide, wherever they stand: of 5555555555554444 they are those that it shows, too.
        let hidden = String(repeating: "*", count: number.count - 10)
        let rest = text.replacing(number.prefix(6) + hidden + number.suffix(4), with: "")
        #expect(!rest.contains(number.dropFirst(6).dropLast(4)))
        #expect(luhnRuns(in: text).isEmpty)
        #expect(text.firstMatch(of: /[%;][A-Z]?[0-9]{7}/) == nil)
    }

    /// Runs of 13 to 19 digits that pass the Luhn check.
    private func luhnRuns(in text: String) -> [Substring] {
        text.matches(of: /[0-9]{13,19}/).map(\.0).filter { run in
            let digits = run.reversed().map { $0.wholeNumberValue ?? 0 }
            let sum = digits.enumerated().reduce(0) { sum, digit in
                guard !digit.offset.isMultiple(of: 2) else { return sum + digit.element }
                return sum + (digit.element > 4 ? 2 * digit.element - 9 : 2 * digit.element)
            }
            return sum.isMultiple(of: 10)
        }
    }
}
