import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import Testing

@testable import JackdawDSP
@testable import jackdaw_cli

/// Every verb with its most detailed output, with cards of all kinds: no account number may be printed.
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

    /// Swipes that only the strong tier reads, and swipes that cannot be read.
    @Test(arguments: [["--noise", "3"], ["--noise", "-9"], ["--clip", "50", "--hum", "10"], ["--rate", "8000"]])
    func neitherDoesTheOutputOfHardSwipes(options: [String]) throws {
        let number = Self.numbers[0]
        for card in [Self.cards(number)[0], Self.cards(number)[3]] {
            try expectNoOutput(of: card, number, options: options)
        }
    }

    /// Every verb that reads a swipe, from sound or from a frame: no part of a cardholder's name is printed without
    /// `--reveal`, and all of it with `--reveal`.
    @Test(arguments: [["--noise", "12"], ["--noise", "-9"], ["--reverse"], []])
    func noOutputHoldsAName(options: [String]) throws {
        let folder = try TemporaryFolder()
        let file = folder("a.wav")
        let text = "%B4012888888881881^QUENTIN/ROSAMUND.DR^29121010000000000000?"
        var runs = [CommandRun(["synth", "-o", file, "--track1", text] + options)]
        runs += Self.talkative(file)
        for run in runs { Self.expectNoName(run.output + run.messages) }
        if folder.names.contains("a.wav.kept.wav.json") {
            Self.expectNoName(String(decoding: try folder.read("a.wav.kept.wav.json"), as: UTF8.self))
        }
        guard options.isEmpty else { return }
        for verb in [["decode"], ["decode", "--json"], ["inspect"], ["inspect", "--json"], ["listen", "--link"]] {
            let source = verb.last == "--link" ? "wav:\(file)" : file
            #expect(CommandRun(verb + [source, "--reveal"]).output.contains("QUENTIN/ROSAMUND.DR"))
            let masked = CommandRun(verb + [source]).output
            #expect(masked.contains("*******/***********"))
            #expect(masked.contains("2912") || masked.contains("12/29"))
            #expect(masked.contains("101"))
        }
    }

    /// Swipes of readers, with and without decryption; those with names are from the readers' manuals
    /// (`PublishedSwipes`).
    @Test func noFrameHoldsAName() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789ABCDEFFEDCBA9876543210".utf8, to: "key")
        let swipes = [
            ("magtek", PublishedSwipes.magTek), ("idtech", PublishedSwipes.original),
            ("idtech", PublishedSwipes.enhanced),
            ("ips", PublishedSwipes.ips),
        ]
        for (name, swipe) in swipes {
            let digits = swipe.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
            for options in [[], ["--json"], ["--key-file", path], ["--json", "--key-file", path]] {
                let run = CommandRun(["frame"] + options + [name, digits])
                Self.expectNoName(run.output + run.messages)
            }
        }
    }

    /// Expects that the text has no part of a name on the cards of these tests or of the readers' manuals.
    private static func expectNoName(_ text: String) {
        let pieces = [
            "QUEN", "UENT", "ENTI", "NTIN", "ROSA", "OSAM", "SAMU", "AMUN", "MUND", "HOGAN", "PAUL", "BUSH", "GEORGE",
            "TEST/",
        ]
        for piece in pieces { #expect(!text.contains(piece), "\(piece) in \(text)") }
    }

    /// Numbers and keys of 12 digits or more, in any option, and in the name of a file that is missing or cannot be
    /// written.
    @Test(arguments: [
        "0123456789ABCDEFFEDCBA9876543210", "0123456789abcdef", "41111111111111112", "411111111111", "A1B2C3D4E5F6",
    ])
    func noArgumentIsRepeatedWhole(secret: String) async throws {
        let folder = try TemporaryFolder()
        let name = folder(secret)
        let lines = [
            [secret], ["decode", secret], ["decode", name], ["decode", "--\(secret)"],
            ["decode", "--track", secret, "a.wav"],
            ["decode", "--channel", secret, "a.wav"], ["decode", "--raw", secret, "a.wav"],
            ["inspect", "--plot", secret, "a"],
            ["inspect", name], ["inspect", "--plot", "\(name).gif", "a"], ["listen", "--link", secret],
            ["listen", "--link", "sim:\(secret)"], ["listen", "--link", "replay:\(name)"],
            ["listen", "--link", "wav:\(name)"],
            ["listen", "--link", "tcp:localhost:1", "--reader", secret],
            ["listen", "--timeout", "0.1", "--link", "pty:/dev/\(secret)"],
            ["demodulate", "--mode", secret, "a.wav"], ["demodulate", "--baud", secret, "a.wav"], ["demodulate", name],
            ["modulate", "--mode", secret, "-o", "a.wav"], ["modulate", "--mode", "v21", "-o", "\(name)/a.wav"],
            ["frame", secret, "00"], ["frame", "--key", secret, "idtech", "00"],
            ["frame", "idtech", "--key-file", name, "0200"],
            ["frame", "--key-scheme", secret, "idtech", "00"], ["frame", "--key-file=\(name)", "idtech", "02 00"],
            ["synth", "-o", secret], ["synth", "-o", "\(name).wav"], ["synth", "-o", "\(name)/a.wav"],
            ["synth", "-o", "a.wav", "--track1", "@\(name)"], ["simulate", secret],
            ["simulate", "miura", "--link", secret],
            ["pair", secret], ["devices", secret], ["bench", name], ["autodetect", "--link", secret],
        ]
        for line in lines {
            let text = try await onOwnThread {
                let run = CommandRun(line)
                return run.output + run.messages
            }
            #expect(!text.contains(secret), "\(line): \(text)")
        }
        let pairs = stride(from: 0, to: secret.count - 1, by: 2).map { String(secret.dropFirst($0).prefix(2)) }
        guard pairs.count >= 8 else { return }
        for separator in [" ", ":", "-"] {
            let run = CommandRun("frame", "--key", pairs.joined(separator: separator), "idtech", "00")
            #expect(!run.messages.contains(pairs.joined(separator: separator)))
            #expect(!CommandRun("decode", "--track", pairs.joined(separator: separator), "a").messages.contains("EF"))
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

    /// `listen` and `simulate`, with each family that can be offered at a port.
    @Test(arguments: SimulatedFamily.all.map(\.name).filter { ReaderFamily.named($0)?.needsPackets == false })
    func noConversationHoldsAnAccountNumber(family: String) async throws {
        for options in [[], ["--json"]] {
            let (listening, offering) = try await SimulatedListening.run(family, options)
            #expect(!listening.isEmpty)
            for card in SimulatedCard.deck {
                let number = card.tracks[1].dropFirst().prefix { $0 != "=" }
                // Zeros alone reveal nothing, and also occur in serial numbers.
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
        // The manifest of the recording by `listen`.
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
        // The hidden digits must not occur anywhere else. Those of 5555555555554444 equal digits that masking shows.
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
