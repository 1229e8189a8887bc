import Foundation
import JackdawCards
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Payments with cards that readers on the audio jack swipe, on the command line.
@Suite struct EMVPaySwipeTests {
    private static let card = "\(EMVPayTests.root)/cards/deck/stripe-only.json"
    /// The track of that card.
    private static let track = ";4761739001010010=30121011234500000000?"
    /// The base derivation key of ANSI X9.24-1, which is published for tests.
    private static let key = "0123456789ABCDEFFEDCBA9876543210"

    private func result(_ run: CommandRun) throws -> [String: Any] {
        let object = try jsonObject(run.lines.last ?? "")
        #expect(object["event"] as? String == "result")
        return object
    }

    private func texts(_ output: String) -> [String] {
        output.split(separator: "\n").map { String($0).replacing(#/^ *[0-9]+\.[0-9]{3} s  /#, with: "") }
    }

    /// Runs the command in real time, with a cardholder who signs at once.
    private func run(
        _ options: [String], _ change: @escaping @Sendable (inout CommandEnvironment) -> Void = { _ in },
        printed: (@Sendable (String) -> Void)? = nil
    ) async throws -> (status: jackdaw_cli.ExitStatus, output: String, messages: String) {
        let folder = try TemporaryFolder()
        let payer = try folder.write(#"{"presents": ["swipe"]}"#.utf8, to: "payer.json")
        defer { withExtendedLifetime(folder) {} }
        return try await onOwnThread {
            var environment = CommandEnvironment()
            change(&environment)
            let recorder = ConsoleRecorder(printed: printed)
            let line = ["emv", "pay", "--card", Self.card, "--payer", payer] + options
            let verb = try #require(try JackdawCommand.command(of: line) as? PayWithVirtualCard)
            return (verb.status(on: recorder.console, in: environment), recorder.output, recorder.messages)
        }
    }

    // MARK: simulated readers

    @Test(arguments: SwipeLink.all) func aSwipedCardPays(_ link: SwipeLink) throws {
        let run = CommandRun("emv", "pay", "--link", link.name, "--card", Self.card)
        #expect(run.status == 0 && run.messages.isEmpty)
        #expect(
            texts(run.output).prefix(4) == [
                "60.00 EUR: swipe the card.", "Please wait: the issuer is asked.", "Sign.",
                "Merchant: compare the signature.",
            ])
        #expect(run.output.contains("\napproved: 60.00 EUR, by swipe, card 476173******0010"))
        let traced = CommandRun("emv", "pay", "--link", link.name, "--card", Self.card, "--json", "--trace")
        #expect(try result(traced)["link"] as? String == link.name)
        #expect(try result(traced)["entry"] as? String == "swipe")
        #expect(traced.output.contains(#""sent":true"#) && traced.output.contains(#""sent":false"#))
        for output in [run.output, traced.output] { #expect(!output.contains("4761739001010010")) }
    }

    @Test func aCardWithAChipIsNotTaken() throws {
        let run = CommandRun(EMVPayTests.line("chip-card-swiped", "sim:unimag"))
        #expect(run.status == 1)
        #expect(texts(run.output).contains("This card has a chip, which this reader cannot read: use another card."))
        #expect(run.output.contains("failed_timeout") || run.output.contains("a time limit passed"))
    }

    /// The cardholder of this card inserts it.
    @Test func aCardholderWhoDoesNotSwipeIsRefused() {
        let run = CommandRun(EMVPayTests.line("approved-online", "sim:unimag"))
        #expect(run.status == 64 && run.output.isEmpty && run.messages.contains("sim:unimag"))
    }

    @Test func aRecordedSwipeReplays() throws {
        let folder = try TemporaryFolder()
        let run = CommandRun(
            "emv", "pay", "--link", "sim:unimag", "--card", Self.card, "--record", folder("pay.txt"))
        #expect(run.status == 0)
        let text = String(decoding: try folder.read("pay.txt"), as: UTF8.self)
        #expect(!text.contains("4761739001010010") && !text.contains("34 37 36 31 37 33 39 30 30 31"))
        let replay = CommandRun("emv", "replay", folder("pay.txt"), "--json")
        #expect(replay.status == 0 && replay.messages.isEmpty)
        #expect(replay.lines.last == #"{"event":"end","outcome":"approved","reversed":false}"#)
    }

    // MARK: keys

    @Test(arguments: ["unimag", "ips"]) func anEncryptedSwipePaysWithItsKey(_ family: String) throws {
        let folder = try TemporaryFolder()
        let key = try folder.write(Self.key.utf8, to: "key")
        let run = CommandRun(
            "emv", "pay", "--link", "sim:\(family)", "--card", Self.card, "--key-file", key, "--json",
            "--trace")
        withExtendedLifetime(folder) {}
        #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
        #expect(try result(run)["pan"] as? String == "476173******0010")
        #expect(!run.output.contains("4761739001010010"))
    }

    /// Without the key the stripe counts as unreadable, and a message has the reason. The link ends with the first swipe that
    /// the payment has taken: earlier ones may come before it waits for a card.
    @Test(.timeLimit(.minutes(10))) func anEncryptedSwipeWithoutItsKeyIsNotTaken() async throws {
        let cipher = try SwipeEncryptor(testKey: SecretBytes(copying: hex(Self.key).span), scheme: .dataRequest)
        let model = UniMagModel(cipher: cipher)
        let swiped = AsyncSignal()
        let options = ["--link", "alsa:hw:9", "--reader", "unimag", "--json", "--trace"]
        let (status, output, messages) = try await run(options) {
            $0.connectJack = { link, _, _ throws(LinkError) in
                let jack = Self.jack(link, model)
                Task {
                    await swiped.wait(after: 0)
                    await jack.close()
                }
                return jack
            }
        } printed: {
            if $0.contains("swipe_bad") { swiped.send() }
        }
        #expect(status == .nothingFound && output.contains("swipe_bad"), "\(output)")
        #expect(messages.contains("--key-file"))
    }

    @Test func keysAreForReadersThatEncrypt() throws {
        let folder = try TemporaryFolder()
        let key = try folder.write(Self.key.utf8, to: "key")
        for options in [
            ["--link", "sim:udynamo", "--key-file", key], ["--link", "sim:kernel", "--key-file", key],
            ["--link", "wav:a.wav", "--key-file", key], ["--link", "sim:unimag", "--test-cards"],
            ["--link", "sim:unimag", "--key-scheme", "fixed"], ["--link", "sim:unimag", "--profile", "a.json"],
        ] {
            #expect(CommandRun(["emv", "pay", "--card", Self.card] + options).status == 64, "\(options)")
        }
        // A published key, at a reader that may swipe live cards.
        let live = CommandRun(
            "emv", "pay", "--card", Self.card, "--link", "alsa:hw:9", "--reader", "unimag", "--key-file", key)
        #expect(live.status == 65 && live.messages.contains("--test-cards"))
        withExtendedLifetime(folder) {}
    }

    // MARK: readers at links

    @Test(arguments: [
        ["--link", "tcp:127.0.0.1:1", "--reader", "unimag"], ["--link", "wav:a.wav", "--reader", "unimag"],
        ["--link", "pcsc:0", "--reader", "unimag"], ["--link", "alsa:hw:9", "--reader", "miura"],
        ["--link", "sim:unimag", "--reader", "unimag"], ["--link", "alsa:hw:9", "--reader", "hijack"],
        ["--link", "wav:a.wav", "--real-time"],
    ])
    func linksAndReadersMustFit(_ options: [String]) {
        let run = CommandRun(["emv", "pay", "--card", Self.card] + options)
        #expect(run.status == 64 && run.output.isEmpty, "\(options)")
    }

    /// The program's end of a jack with a simulated reader, at which the card is swiped every 3 s.
    private static func jack(_ link: LinkName, _ model: any ReaderModel) -> any Transport {
        let swipe = Presentation(SimulatedCard("plain", track2: track), after: .seconds(3))
        return SimulatorHost.open(link, keepsPackets: true) {
            SimulatedReader(model, deck: [Presentation](repeating: swipe, count: 1_000))
        }
    }

    @Test(.timeLimit(.minutes(10))) func aReaderOnAJackPays() async throws {
        let (status, output, _) = try await run(["--link", "alsa:hw:9", "--reader", "unimag", "--json"]) {
            $0.connectJack = { link, _, _ throws(LinkError) in Self.jack(link, UniMagModel()) }
        }
        #expect(status == .done, "\(output)")
        let last = try jsonObject(output.split(separator: "\n").last.map(String.init) ?? "")
        #expect(last["outcome"] as? String == "approved" && last["link"] as? String == "unimag")
    }

    /// `simulate` offers a reader at which the card is swiped, and `emv pay` has the issuer.
    @Test(.timeLimit(.minutes(10))) func aReaderInAnotherProcessPays() async throws {
        let (output, messages) = (Pipe(), Pipe())
        let process = try SpawnedProcess(
            ChildProcess.executable.path,
            ["simulate", "ips", "--link", "tcp:127.0.0.1:0", "--virtual-card", Self.card], output: .pipe(output),
            messages: .pipe(messages))
        defer { process.send(SIGTERM) }
        let run = try await onOwnThread {
            let first = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            let link = try #require(first.firstMatch(of: /tcp:127\.0\.0\.1:[0-9]+/))
            let run = CommandRun(
                "emv", "pay", "--link", String(link.0), "--reader", "ips", "--card", Self.card, "--json")
            process.send(SIGTERM)
            process.end()
            return run
        }
        #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
        #expect(try result(run)["outcome"] as? String == "approved")
        #expect(try result(run)["link"] as? String == "ips")
    }

    @Test func aVirtualCardThatIsNotSwipedIsNoCardForAJack() {
        let card = "\(EMVPayTests.root)/cards/deck/approved-online.json"
        let run = CommandRun("simulate", "ips", "--link", "tcp:127.0.0.1:0", "--virtual-card", card)
        #expect(run.status == 64)
        let manner = CommandRun(
            "simulate", "ips", "--link", "tcp:127.0.0.1:0", "--virtual-card", Self.card, "--manner", "tapped")
        #expect(manner.status == 64)
    }

    // MARK: the sound of a head

    @Test(.timeLimit(.minutes(10))) func aSwipeInASoundFilePays() async throws {
        let folder = try TemporaryFolder()
        let file = folder("swipe.wav")
        try #require(CommandRun("synth", "-o", file, "--track2", Self.track).status == 0)
        let (status, output, messages) = try await run(["--link", "wav:\(file)"])
        withExtendedLifetime(folder) {}
        #expect(status == .done && messages.isEmpty, "\(output)")
        #expect(texts(output).first == "60.00 EUR: swipe the card.")
        #expect(output.contains("approved: 60.00 EUR, by swipe, card 476173******0010"))
        #expect(!output.contains("4761739001010010"))
    }

    /// The sound ends before the payment has a card: one with a chip is not taken, and no other follows.
    @Test(.timeLimit(.minutes(10))) func aSoundFileWithoutAnotherCardEndsThePayment() async throws {
        let folder = try TemporaryFolder()
        let file = folder("chip.wav")
        let chip = ";4761739001010010=30122011234500000000?"
        try #require(CommandRun("synth", "-o", file, "--track2", chip).status == 0)
        let (status, output, _) = try await run(["--link", "wav:\(file)", "--json"])
        withExtendedLifetime(folder) {}
        #expect(status == .nothingFound)
        let last = try jsonObject(output.split(separator: "\n").last.map(String.init) ?? "")
        #expect(last["outcome"] as? String == "failed_link" && last["link"] as? String == "head")
    }

    @Test func aSoundFileThatIsMissingIsReported() async throws {
        let run = try await onOwnThread {
            CommandRun("emv", "pay", "--link", "wav:/nonexistent/a.wav", "--card", Self.card)
        }
        #expect(run.status == 66 && run.output.isEmpty && run.messages.contains("/nonexistent/a.wav"))
    }
}
