#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawCryptography
import JackdawEMV
import JackdawSimulator

struct PayWithVirtualCard: Verb {
    static let configuration = CommandConfiguration(
        commandName: "pay",
        abstract: "Pay with a virtual card at a simulated reader and issuer.",
        discussion: """
            Prints the texts that the person at the till sees, then the result and its reasons. The cardholder of \
            the card's file inserts, taps or swipes the card, enters the PIN and signs; the issuer of the file \
            decides. Nothing is real: no money moves, and all keys are published for tests.

            The link is sim:kernel, a till that runs the EMV kernels itself, by contact, tap and stripe; or a \
            simulated reader that runs the contact kernel: sim:miura, which is driven by messages of MPI; \
            sim:posmate and sim:emvswiper, whose wires are invented; or sim:spm20, which takes the payment as a \
            whole and asks the issuer itself.

            Times are simulated and pass at once, unless --real-time is given. Card data is masked in all output.

            EXIT CODES
              0   approved
              1   declined, cancelled, failed or reversed: no money moved
              64  usage
              65  a file is no virtual card, cardholder or issuer
              66  a file is missing or not readable
              74  the recording or standard output cannot be written
              75  the payment has no end, or the issuer has not answered yet
              130 interrupted

            EXAMPLES
              jackdaw emv pay --link sim:kernel --card approved-online
              jackdaw emv pay --link sim:miura --card visa-dda --amount 60 --trace
              jackdaw emv pay --link sim:miura --card approved-online --record pay.txt
            """)

    @Option(
        help: ArgumentHelp("Simulated reader: \(Self.links("or")).", valueName: "link"),
        completion: .list(PaymentLink.allCases.map(\.rawValue)), transform: Self.read)
    var link: PaymentLink

    @Option(
        help: ArgumentHelp(
            "Virtual card: a name in \(String.words(PaymentFiles.decks, "or")), or a JSON file.", valueName: "card"),
        completion: .file(extensions: ["json"]))
    var card: String

    @Option(help: "Amount in major units, such as 12.34; by default that of the card's file.")
    var amount: String?

    @Option(
        help: ArgumentHelp(
            "Currency of the amount, ISO 4217; by default that of the card's file, or EUR.", valueName: "code"))
    var currency: String?

    @Option(
        help: ArgumentHelp("JSON file of another cardholder.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var payer: String?

    @Option(
        help: ArgumentHelp("JSON file of another issuer.", valueName: "file"), completion: .file(extensions: ["json"]))
    var issuer: String?

    @Option(help: ArgumentHelp("Folder of the card with the name.", valueName: "folder"), completion: .directory)
    var deck: String?

    @Option(
        help: ArgumentHelp("Write a recording for emv replay, without card data.", valueName: "file"),
        completion: .file())
    var record: String?

    @Flag(help: "Take as long as the payment does.")
    var realTime = false

    @Flag(help: "Also print events, states, effects and messages.")
    var trace = false

    @Flag(help: "Print one JSON object for each text, and for the result.")
    var json = false

    func validate() throws {
        guard currency == nil || amount != nil else { throw ValidationError("--currency needs --amount.") }
        guard let currency else { return }
        guard Currency.find(alphabeticCode: currency.uppercased()) != nil else {
            throw ValidationError("--currency must be a code of ISO 4217 with minor units, such as EUR.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let setup = try PaymentFiles(card: card, deck: deck).setup(payer: payer, issuer: issuer)
        guard link.serves(setup.payer) else {
            throw CommandError(
                .usage, "\(link.rawValue) takes inserted cards only, and this cardholder does not insert the card")
        }
        let (amount, currency) = try price(setup.ends)
        var payment: PaymentRun
        do throws(KernelConfigurationError) {
            payment = try PaymentRun(
                setup, amount: amount, currency: currency, at: link, LibCryptoPrimitives(mode: .test))
        } catch {
            throw CommandError(.usage, "\(error)")
        }
        guard let record else { return try pay(&payment, console, environment) }
        var status = ExitStatus.done
        try NewFile.make(at: record) { file throws(CommandError) in
            status = try pay(&payment, console, environment)
            do throws(AudioFileError) {
                try file.write(payment.recording.octets)
            } catch {
                throw CommandError(error, isOutput: true)
            }
        }
        return status
    }

    private func pay(
        _ payment: inout PaymentRun, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> ExitStatus {
        let report = PaymentReport(console: console, isJSON: json, isTracing: trace)
        let start = environment.now()
        report.add(payment.start())
        while let next = payment.nextDeadline {
            if realTime { try wait(until: start + next, console, environment) }
            if environment.isInterrupted() { throw .interrupted }
            report.add(payment.advance())
        }
        let result = payment.result
        report.end(result, payment.header)
        guard result.outcome != nil, result.isSettled else { return .unsettled }
        return result.verdict == .approved ? .done : .nothingFound
    }

    /// Waits in short pieces, so that an interruption ends it.
    private func wait(
        until end: ContinuousClock.Instant, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) {
        console.flush()
        while case let rest = environment.now().duration(to: end), rest > .zero {
            if environment.isInterrupted() { throw .interrupted }
            environment.sleep(min(rest, .milliseconds(100)))
        }
    }

    /// The amount in minor units and the currency: those of the command line, or else of the card's file.
    private func price(_ ends: CardEnding?) throws(CommandError) -> (amount: UInt64, currency: [UInt8]) {
        guard let amount else {
            guard let ends else { throw CommandError(.usage, "give --amount: the card's file has none") }
            return (ends.amount, ends.currency)
        }
        let code = currency.flatMap { Currency.find(alphabeticCode: $0.uppercased()) }
        let known = code ?? ends.flatMap { Currency.find($0.currency.span) } ?? Currency.find(Self.euro)
        guard let known, let parsed = Amount(amount, in: known) else {
            let decimals = counted(known?.exponent ?? 0, "decimal")
            throw CommandError(.usage, "--amount must be a number such as 12, with at most \(decimals), and 12 digits")
        }
        return (parsed.minorUnits, known.octets)
    }

    /// The numeric code of the currency of the cards in `cards`.
    private static let euro: UInt16 = 978

    private static func links(_ conjunction: String) -> String {
        String.words(PaymentLink.allCases.map(\.rawValue), conjunction)
    }

    private static func read(_ argument: String) throws -> PaymentLink {
        guard let link = PaymentLink(name: argument) else {
            throw ValidationError("Use a simulated reader with a card: \(links("or")).")
        }
        return link
    }
}
#endif
