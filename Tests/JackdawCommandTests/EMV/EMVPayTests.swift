import Foundation
import JackdawTestSupport
import Testing

@testable import jackdaw_cli

/// Payments with virtual cards on the command line. What each card ends with is said by its file.
@Suite struct EMVPayTests {
    static let root = URL(fileURLWithPath: #filePath).pathComponents.dropLast(4).joined(separator: "/")
    static let links = ["sim:kernel", "sim:miura"]
    /// The readers that take payments over a link.
    static let readers = ["miura", "posmate", "emvswiper", "spm20"]

    /// The command line of a payment with a card of the deck.
    static func line(_ card: String, _ link: String = "sim:kernel", deck: String = "deck") -> [String] {
        ["emv", "pay", "--link", link, "--deck", "\(root)/cards/\(deck)", "--card", card]
    }

    private func pay(_ card: String, _ link: String = "sim:kernel", deck: String = "deck", _ more: String...)
        -> CommandRun
    {
        CommandRun(Self.line(card, link, deck: deck) + more)
    }

    /// The object of the result, which is the last one.
    private func result(_ run: CommandRun) throws -> [String: Any] {
        let object = try jsonObject(run.lines.last ?? "")
        #expect(object["event"] as? String == "result")
        return object
    }

    private func codes(_ result: [String: Any]) -> [String] {
        (result["reasons"] as? [[String: Any]] ?? []).compactMap { $0["code"] as? String }
    }

    @Test(arguments: links) func anApprovedPaymentShowsItsTextsAndItsResult(_ link: String) {
        let run = pay("approved-online", link)
        #expect(run.status == 0 && run.messages.isEmpty)
        let texts = run.lines.map { $0.replacing(#/^ *[0-9]+\.[0-9]{3} s  /#, with: "") }
        let card = "60.00 EUR: insert\(link == "sim:miura" ? "" : ", tap or swipe") the card."
        #expect(
            texts.prefix(4) == [
                card, "60.00 EUR: enter the PIN.", "Please wait: the issuer is asked.", "Remove the card.",
            ])
        #expect(run.output.contains("\napproved: 60.00 EUR, by chip, card 476173******0010, authorisation code "))
        #expect(run.output.contains("\n  the issuer approved\n"))
        #expect(run.output.contains("card.arqc"))
    }

    @Test(
        arguments: [
            ("approved-online", 0, "approved", "approved"), ("approved-offline", 0, "approved", "approved_offline"),
            ("declined-by-issuer", 1, "declined", "declined_online"),
            ("declined-by-card", 1, "declined", "declined_offline"),
            ("declined-issuer-not-authentic", 1, "reversed", "declined_by_card"),
            ("issuer-silent", 1, "reversed", "failed_host_timeout"), ("pin-cancelled", 1, "cancelled", "cancelled"),
            ("removed-early", 1, "failed", "failed_card_removed"), ("blocked-card", 1, "declined", "not_accepted"),
        ] as [(String, Int32, String, String)], links)
    func theExitCodeIsThatOfTheResult(_ card: (String, Int32, String, String), _ link: String) throws {
        let run = pay(card.0, link, "--json")
        #expect(run.status == card.1)
        let result = try result(run)
        #expect(result["result"] as? String == card.2)
        #expect(result["outcome"] as? String == card.3)
        #expect(result["reversed"] as? Bool == (card.2 == "reversed"))
        #expect(result["settled"] as? Bool == true)
        #expect(result["link"] as? String == link)
        #expect(result["card"] as? String == card.0)
    }

    @Test(arguments: ["cvm-downgrade-dda", "arpc-replayed", "authentication-downgrade-dda"], links)
    func attacksAreRefusedWithTheirReasons(_ card: String, _ link: String) throws {
        let text = try String(contentsOfFile: "\(Self.root)/cards/attack/\(card).json", encoding: .utf8)
        let ends = try #require(try jsonObject(text)["ends"] as? [String: Any])
        let run = pay(card, link, deck: "attack", "--json")
        #expect(run.status == 1)
        #expect(try result(run)["outcome"] as? String == ends["outcome"] as? String)
        #expect(codes(try result(run)) == ends["reasons"] as? [String])
        #expect(try result(run)["captured"] as? Int == 0)
    }

    @Test func theResultIsAnObject() throws {
        let run = pay("approved-online", "sim:kernel", "--json")
        #expect(
            fieldNames(run.lines.last ?? "").prefix(14) == [
                "event", "result", "outcome", "card", "link", "amount", "currency", "entry", "pan",
                "authorisation_code", "captured", "reversed", "settled", "reasons",
            ])
        let prompt =
            #"{"event":"prompt","seconds":0.2,"prompt":"card","text":"60.00 EUR: insert, tap or swipe the card."}"#
        #expect(run.lines.first == prompt)
        let result = try result(run)
        #expect(result["amount"] as? Int == 6000 && result["currency"] as? String == "EUR")
        #expect(result["pan"] as? String == "476173******0010")
    }

    /// Each amount by the decimals of its currency (ISO 4217). The issuer takes euro only.
    @Test(
        arguments: [
            (["--amount", "60"], 6000, "EUR", 0), (["--amount", "60.01", "--currency", "eur"], 6001, "EUR", 0),
            (["--amount", "51.05"], 5105, "EUR", 1), (["--amount", "6000", "--currency", "JPY"], 6000, "JPY", 1),
            (["--amount", "6.000", "--currency", "BHD"], 6000, "BHD", 1),
        ] as [([String], Int, String, Int32)])
    func theAmountHasTheDecimalsOfItsCurrency(
        _ options: [String], _ amount: Int, _ currency: String, _ status: Int32
    ) throws {
        let run = CommandRun(Self.line("approved-online") + ["--json"] + options)
        #expect(run.status == status)
        let result = try result(run)
        #expect(result["amount"] as? Int == amount && result["currency"] as? String == currency)
    }

    @Test(arguments: [
        ["--amount", "1.234"], ["--amount", "-1"], ["--amount", "x"], ["--amount", "1.5", "--currency", "JPY"],
        ["--amount", "1", "--currency", "XAU"], ["--amount", "1", "--currency", "4761739001010010"],
        ["--currency", "EUR"], ["--amount", "99999999999"],
    ])
    func otherAmountsAreRefused(_ options: [String]) {
        let run = CommandRun(Self.line("approved-online") + options)
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(!run.messages.contains("4761739001010010"))
    }

    // MARK: a reader in another process

    /// `simulate` offers the reader with the card, and `emv pay` has the issuer.
    @Test(arguments: readers) func aPaymentOverTCPEndsAsInOneProcess(_ reader: String) async throws {
        let card = "\(Self.root)/cards/deck/approved-online.json"
        let (output, messages) = (Pipe(), Pipe())
        let process = try SpawnedProcess(
            ChildProcess.executable.path,
            ["simulate", reader, "--link", "tcp:127.0.0.1:0", "--virtual-card", card], output: .pipe(output),
            messages: .pipe(messages))
        defer { process.send(SIGTERM) }
        let run = try await onOwnThread {
            let first = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            let link = try #require(first.firstMatch(of: /tcp:127\.0\.0\.1:[0-9]+/))
            let run = CommandRun(
                "emv", "pay", "--link", String(link.0), "--reader", reader, "--card", card, "--json", "--trace")
            process.send(SIGTERM)
            process.end()
            return run
        }
        let alone = try result(pay("approved-online", "sim:\(reader)", deck: "deck", "--json"))
        #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
        let result = try result(run)
        for key in ["result", "outcome", "entry", "pan", "captured", "currency", "settled"] {
            #expect("\(result[key] ?? "")" == "\(alone[key] ?? "")", "\(key)")
        }
        #expect(result["outcome"] as? String == "approved")
        #expect(result["link"] as? String == reader)
        #expect(!run.output.contains("4761739001010010") && run.output.contains(#""sent":true"#))
    }

    @Test(arguments: [
        ["--link", "tcp:127.0.0.1:1"], ["--link", "sim:miura", "--reader", "miura"],
        ["--link", "tcp:127.0.0.1:1", "--reader", "kernel"], ["--link", "tcp:127.0.0.1:1", "--reader", "idtech"],
        ["--link", "tcp:127.0.0.1:1", "--reader", "miura", "--real-time"],
    ])
    func linksAndReadersMustFit(_ options: [String]) {
        let run = CommandRun(["emv", "pay", "--card", "\(Self.root)/cards/deck/approved-online.json"] + options)
        #expect(run.status == 64 && run.output.isEmpty)
    }

    @Test func aReaderThatIsMissingIsReported() async throws {
        let run = try await onOwnThread {
            CommandRun(
                "emv", "pay", "--link", "tcp:127.0.0.1:1", "--reader", "miura", "--card",
                "\(Self.root)/cards/deck/approved-online.json")
        }
        #expect(run.status == 69 && run.output.isEmpty && !run.messages.isEmpty)
    }

    /// A recording of a payment, a sound file, a folder and an empty file. The message has no content of the file.
    @Test(arguments: ["{\"jackdaw-payment\":1}\n", "RIFF1234", "4761739001010010\n", ""])
    func aFileThatIsNoTranscriptIsInvalidData(_ text: String) async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let link = "replay:" + (try folder.write(text.utf8, to: "link.txt"))
        let card = "\(Self.root)/cards/deck/approved-online.json"
        for line in [
            ["emv", "pay", "--link", link, "--reader", "miura", "--card", card], ["emv", "read", "--link", link],
            ["listen", "--link", link, "--reader", "miura"],
        ] {
            // The command blocks its thread, and its payment needs those of the pool.
            let run = try await onOwnThread { CommandRun(line) }
            #expect(run.status == 65 && run.output.isEmpty, "\(line)")
            #expect(run.messages.contains("link.txt is not a transcript (line 1: "), "\(run.messages)")
            #expect(!run.messages.contains("4761739001010010"))
        }
        let run = try await onOwnThread { CommandRun("emv", "read", "--link", "replay:/") }
        #expect(run.status == 65 && run.messages.contains("not a regular file"))
    }

    @Test(arguments: [
        ["simulate", "idtech", "--virtual-card", "x.json"],
        ["simulate", "miura", "--virtual-card", "x.json", "--card", "visa"],
    ])
    func virtualCardsAreForReadersThatTakePayments(_ arguments: [String]) {
        #expect(CommandRun(arguments + ["--link", "tcp:127.0.0.1:0"]).status == 64)
    }

    @Test func otherLinksAreRefused() {
        for link in ["sim:idtech", "tcp:127.0.0.1:1", "miura", ""] {
            #expect(CommandRun(Self.line("approved-online", link)).status == 64)
        }
        #expect(CommandRun(Self.line("approved-online", "tcp:127.0.0.1:1")).messages.contains("sim:kernel, sim:miura"))
        // This cardholder taps.
        let run = pay("tap-offline", "sim:miura")
        #expect(run.status == 64 && run.messages.contains("sim:miura"))
    }

    @Test func aCardIsAFileOrAName() throws {
        let path = "\(Self.root)/cards/deck/approved-online.json"
        #expect(CommandRun("emv", "pay", "--link", "sim:kernel", "--card", path).status == 0)
        // A card without an end has no amount of its own.
        let card = "\(Self.root)/cards/visa-dda.json"
        #expect(CommandRun("emv", "pay", "--link", "sim:kernel", "--card", card, "--amount", "60").status == 0)
        let none = CommandRun("emv", "pay", "--link", "sim:kernel", "--card", card)
        #expect(none.status == 64 && none.messages.contains("--amount"))
        let missing = pay("no-such-card")
        #expect(missing.status == 66 && missing.messages.contains("--deck"))
        #expect(CommandRun("emv", "pay", "--link", "sim:kernel", "--card", "/nonexistent/a.json").status == 66)
        let folder = try TemporaryFolder()
        let wrong = try folder.write("{}".utf8, to: "wrong.json")
        let run = withExtendedLifetime(folder) { CommandRun("emv", "pay", "--link", "sim:kernel", "--card", wrong) }
        #expect(run.status == 65 && run.messages.contains("wrong.json"))
    }

    /// A card without cardholder: an empty folder has no payers.
    @Test func aCardholderIsNamedOrGiven() throws {
        let folder = try TemporaryFolder()
        let card = try folder.write(
            try Data(contentsOf: URL(fileURLWithPath: "\(Self.root)/cards/visa-dda.json")), to: "own.json")
        let payer = try folder.write("{\"pin\": {\"action\": \"cancel\"}}".utf8, to: "payer.json")
        let issuer = "\(Self.root)/issuers/test.json"
        let line = ["emv", "pay", "--link", "sim:kernel", "--card", card, "--amount", "60"]
        let none = CommandRun(line + ["--issuer", issuer])
        #expect(none.status == 65 && none.messages.contains("--payer"))
        let cancelled = CommandRun(line + ["--issuer", issuer, "--payer", payer, "--json"])
        #expect(cancelled.status == 1)
        #expect(try result(cancelled)["outcome"] as? String == "cancelled")
        #expect(CommandRun(line + ["--payer", payer, "--issuer", payer]).status == 65)
        #expect(CommandRun(line + ["--payer", "/nonexistent", "--issuer", issuer]).status == 66)
        withExtendedLifetime(folder) {}
    }

    /// The issuer never answers the reversal.
    @Test(arguments: links) func aPaymentThatIsNotSettledHasAnExitCodeOfItsOwn(_ link: String) throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: "\(Self.root)/issuers/test.json", encoding: .utf8)
        let silent = text.replacing(
            "\"rules\": [", with: "\"rules\": [{\"message\": \"reversal\", \"delivery\": \"silent\"},",
            maxReplacements: 1)
        #expect(silent != text)
        let issuer = try folder.write(silent.utf8, to: "issuer.json")
        let run = withExtendedLifetime(folder) {
            pay("declined-issuer-not-authentic", link, "--issuer", issuer, "--json")
        }
        #expect(run.status == 75)
        #expect(try result(run)["settled"] as? Bool == false)
    }

    @Test(arguments: links) func theTraceHasStepsAndMessages(_ link: String) {
        let run = pay("approved-online", link, "--trace")
        #expect(run.output.contains("start: Preparing, until 10.000000 s\n"))
        #expect(run.output.contains("ac1_arqc, answers 4: AwaitHost, until "))
        #expect(run.output.contains("write journal: card entry chip, host asked\n"))
        #expect(run.lines.contains { $0.contains(" s    sent      ") } && run.output.contains(" s    received  "))
        let objects = pay("approved-online", link, "--trace", "--json").lines
        for event in ["prompt", "step", "message", "result"] {
            #expect(objects.contains { $0.hasPrefix("{\"event\":\"\(event)\"") })
        }
    }

    // MARK: time

    /// The payment takes as long as its recording says: the clock moves with each pause.
    @Test func theRealTimePasses() throws {
        let passed = Shared(Duration.zero)
        let start = ContinuousClock.now
        var environment = CommandEnvironment()
        environment.now = { start + passed.with { $0 } }
        environment.sleep = { pause in passed.with { $0 += pause } }
        environment.isInterrupted = { false }
        let recorder = ConsoleRecorder()
        let line = Self.line("approved-online") + ["--real-time"]
        let verb = try #require(try JackdawCommand.command(of: line) as? PayWithVirtualCard)
        #expect(verb.status(on: recorder.console, in: environment) == .done)
        // 0.2 s for the reader, 1.5 s for the card, and 3 s for the PIN.
        #expect(passed.with { $0 } > .seconds(4.7) && passed.with { $0 } < .seconds(8))
    }

    @Test func anInterruptionEndsThePayment() throws {
        let folder = try TemporaryFolder()
        var environment = CommandEnvironment()
        environment.isInterrupted = { true }
        let recorder = ConsoleRecorder()
        let line = Self.line("approved-online") + ["--record", folder("pay.txt")]
        let verb = try #require(try JackdawCommand.command(of: line) as? PayWithVirtualCard)
        #expect(verb.status(on: recorder.console, in: environment) == .interrupted)
        #expect(folder.names.isEmpty)
    }

    // MARK: secrets

    /// Nothing of the card in texts, trace, JSON and recording, at each reader.
    @Test(arguments: ["approved-online", "cda-online", "pin-online", "declined-funds", "encoding-long-number"], links)
    func nothingShowsCardData(_ card: String, _ link: String) throws {
        let folder = try TemporaryFolder()
        let runs = [
            pay(card, link, "--trace", "--record", folder("pay.txt")), pay(card, link, "--trace", "--json"),
            pay(card, link),
        ]
        let recording = String(decoding: try folder.read("pay.txt"), as: UTF8.self)
        let texts = runs.map { $0.output + $0.messages } + [recording]
        let files = ["cards/deck/\(card)", "cards/visa-dda", "cards/m-chip-cda"]
        var secrets: Set<String> = ["241234FFFFFF", "244315FFFFFF"]
        for file in files {
            let text = try String(contentsOfFile: "\(Self.root)/\(file).json", encoding: .utf8)
            for match in text.matches(of: #/"(?:5A|57)": "([0-9]{8,})/#) { secrets.insert(String(match.1)) }
        }
        #expect(secrets.count >= 4)
        for text in texts {
            let characters = text.filter { $0 != " " }.uppercased()
            for secret in secrets {
                #expect(!characters.contains(secret) && !characters.contains(hexadecimal(secret.utf8)), "\(secret)")
            }
        }
        #expect(try folder.mode("pay.txt") == 0o600)
    }

    @Test func aRecordingThatCannotBeWrittenIsReported() {
        let run = pay("approved-online", "sim:kernel", "--record", "/nonexistent/pay.txt")
        #expect(run.status == 74 && run.output.isEmpty)
        #expect(run.messages.contains("/nonexistent/pay.txt"))
    }
}
