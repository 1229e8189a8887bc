#if Command
import ArgumentParser
import JackdawAudioFile
import JackdawCryptography
import JackdawEMV
import JackdawLinux
import JackdawReaders
import JackdawSimulator
import JackdawTransport

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

            At \(String.words(SwipeLink.all.map(\.name), "or")), simulated readers on the audio jack, the card is \
            swiped: the issuer is asked without a cryptogram, and the cardholder signs. A card with a chip is not \
            taken there. With --key-file the reader encrypts with this key, which must be published for tests.

            Times are simulated and pass at once, unless --real-time is given. Card data is masked in all output.

            Any other link leads to a reader that another program simulates (jackdaw simulate --virtual-card), or to \
            a real one: name its kind with --reader. At pcsc: the card is in a reader that pcscd knows, such as a \
            virtual one (jackdaw pcsc), and this program runs the contact kernel. Real readers and cards have not been \
            tried. Times are then real, and the card's file names the issuer.

            Cards are swiped at a reader of \(String.words(SwipeLink.all.map(\.family), "or")) in the headphone jack of \
            a sound card (alsa:, --reader), or at a link that carries its bytes; without --reader, alsa: and wav: are \
            the sound of a head. Options are those of listen.

            KEY SCHEMES
            \(KeyScheme.listing())

            EXIT CODES
              0   approved
              1   declined, cancelled, failed or reversed: no money moved
              64  usage
              65  a file is no virtual card, cardholder, issuer or transcript; the
                  profile or the key is invalid, or the key is published for tests
              66  a file is missing or not readable
              69  the link cannot be opened
              74  the recording or standard output cannot be written
              75  the payment has no end, the issuer has not answered yet, or
                  the terminal has not refunded what it approved too late
              130 interrupted

            EXAMPLES
              jackdaw emv pay --link sim:kernel --card approved-online
              jackdaw emv pay --link sim:miura --card visa-dda --amount 60 --trace
              jackdaw emv pay --link sim:miura --card approved-online --record pay.txt
              jackdaw emv pay --link tcp:127.0.0.1:4000 --reader miura --card sda
              jackdaw emv pay --link pcsc:0 --card approved-online
              jackdaw emv pay --link sim:unimag --card stripe-only
              jackdaw emv pay --link alsa:hw:1,0 --reader unimag --card stripe-only
            """)

    @Option(
        help: ArgumentHelp(
            "Simulated reader: \(Self.links("or")); or the link of a reader, a head or a card.", valueName: "link"),
        completion: .list(
            PaymentLink.allCases.map(\.rawValue) + SwipeLink.all.map(\.name)
                + ["tcp:", "rfcomm:", "pcsc:", "alsa:", "wav:"]),
        transform: PaymentPlace.read)
    var link: PaymentPlace

    @Option(
        help: ArgumentHelp(
            "Reader at a link of another kind: \(String.words(PaymentReader.names, "or")).", valueName: "reader"),
        completion: .list(PaymentReader.names), transform: PaymentReader.read)
    var reader: PaymentReader?

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

    @Option(
        help: ArgumentHelp(
            "JSON file of values that replace those of the family of --reader, for swipes; - for standard input.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @OptionGroup
    var decryption: DecryptionArguments

    @Flag(help: "Allow a key that is published for tests, for a reader at which only test cards are swiped.")
    var testCards = false

    @Flag(help: "Take as long as the payment does.")
    var realTime = false

    @Flag(help: "Also print events, states, effects and messages.")
    var trace = false

    @Flag(help: "Print one JSON object for each text, and for the result.")
    var json = false

    func validate() throws {
        switch link {
        case .simulated, .swiped:
            guard reader == nil else {
                throw ValidationError("--reader is for other links than those of simulated readers.")
            }
        case .link(let name): try validate(name)
        }
        try validateSwipes()
        guard currency == nil || amount != nil else { throw ValidationError("--currency needs --amount.") }
        guard let currency else { return }
        guard Currency.find(alphabeticCode: currency.uppercased()) != nil else {
            throw ValidationError("--currency must be a code of ISO 4217 with minor units, such as EUR.")
        }
    }

    /// Checks that a link and its reader fit.
    private func validate(_ link: LinkName) throws {
        guard !realTime else { throw ValidationError("The times at \(link) are real without --real-time.") }
        let scheme = link.carrier.scheme
        switch reader {
        case .kernel? where scheme == .pcsc, .swipes? where scheme == .pcsc:
            throw ValidationError("--reader is for links to readers, and \(link) leads to a card.")
        case .kernel? where [.alsa, .wav].contains(scheme):
            throw ValidationError("Use another link: \(link) carries sound, and this reader's messages are bytes.")
        case .swipes? where scheme == .wav:
            throw ValidationError("Omit --reader: \(link) carries the sound of swipes, not the bytes of a reader.")
        case .swipes(let family)? where family.carriers == [.audio] && [.rfcomm, .tcp, .pty].contains(scheme):
            throw ValidationError("Use --link alsa:NAME: this --reader is on a jack, and \(link) carries no sound.")
        case nil where ![.pcsc, .alsa, .wav].contains(scheme):
            throw ValidationError(
                "\(link): use a simulated reader with a card (\(Self.links("or"))), or name the reader with --reader "
                    + "(\(String.words(PaymentReader.names, "or"))).")
        case .kernel, .swipes, nil: break
        }
    }

    /// Checks the options for readers on the audio jack.
    private func validateSwipes() throws {
        let family: String?
        switch (link, reader) {
        case (.swiped(let link), _): family = link.family
        case (_, .swipes(let known)?): family = known.name
        default: family = nil
        }
        if profile != nil {
            guard case .swipes? = reader else {
                throw ValidationError("--profile is for a --reader that swipes cards.")
            }
        }
        guard decryption.keyFile != nil else {
            guard !testCards else { throw ValidationError("Give --key-file with --test-cards.") }
            return
        }
        guard let family else { throw ValidationError("--key-file is for readers that swipe cards.") }
        guard KeyScheme.published(for: family) != nil else {
            throw ValidationError("Omit --key-file: the encryption of \(family) swipes is not published.")
        }
        guard decryption.keyFile != "-" || profile != "-" else {
            throw ValidationError("Only one of key and profile comes from standard input.")
        }
    }

    func run(on console: Console, in environment: CommandEnvironment) throws(CommandError) -> ExitStatus {
        let setup = try PaymentFiles(card: card, deck: deck).setup(payer: payer, issuer: issuer)
        if case .simulated(let link) = link, !link.serves(setup.payer) {
            throw CommandError(
                .usage, "\(link.rawValue) takes inserted cards only, and this cardholder does not insert the card")
        }
        if case .swiped(let link) = link, !link.serves(setup.payer) {
            throw CommandError(
                .usage, "\(link.name) takes swiped cards only, and this cardholder does not swipe the card")
        }
        var swiped: SwipedReader?
        if let place = swipePlace {
            let options = SwipeOptions(profile: profile, key: decryption.options, allowsTestKey: testCards)
            swiped = try SwipedReader(place, options, console, environment)
        }
        let purchase = VirtualPurchase(setup, try price(setup.ends), link, reader, swiped)
        defer { if let complaint = swiped?.complaint { console.message(complaint) } }
        guard let record else { return try pay(purchase, console, environment).status }
        var status = ExitStatus.done
        try NewFile.make(at: record) { file throws(CommandError) in
            let end = try pay(purchase, console, environment)
            status = end.status
            do throws(AudioFileError) {
                try file.write(end.recording.octets)
            } catch {
                throw CommandError(error, isOutput: true)
            }
        }
        return status
    }

    /// The place at which the card is swiped; nil if a reader with contacts takes it.
    private var swipePlace: SwipePlace? {
        switch (link, reader) {
        case (.swiped(let link), _): .simulated(link)
        case (.link(let link), .swipes(let family)?): .reader(family, link)
        case (.link(let link), nil) where [.alsa, .wav].contains(link.carrier.scheme): .head(link)
        default: nil
        }
    }

    /// A payment, as the command line describes it.
    private struct VirtualPurchase: Sendable {
        let setup: PaymentSetup
        let amount: UInt64
        let currency: [UInt8]
        let place: PaymentPlace
        let reader: PaymentReader?
        let swiped: SwipedReader?
        /// The numbers of payments: those that a terminal's counter can hold (9F41, EMV Book 3, annex A).
        private static let numbers = 1...99_999_999

        init(
            _ setup: PaymentSetup, _ price: (amount: UInt64, currency: [UInt8]), _ place: PaymentPlace,
            _ reader: PaymentReader?, _ swiped: SwipedReader?
        ) {
            self.setup = setup
            (amount, currency) = price
            self.place = place
            self.reader = reader
            self.swiped = swiped
        }

        func makeRun() throws(CommandError) -> PaymentRun {
            let primitives = LibCryptoPrimitives(mode: .test)
            do throws(KernelConfigurationError) {
                if case .simulated(let link) = place {
                    return try PaymentRun(setup, amount: amount, currency: currency, at: link, primitives)
                }
                if let swiped {
                    return try PaymentRun(
                        setup, amount: amount, currency: currency, swipedAt: swiped.reader, primitives)
                }
                var kernel = PaymentLink.kernel
                if case .kernel(let link)? = reader { kernel = link }
                return try PaymentRun(
                    setup, amount: amount, currency: currency, atLinkOf: kernel,
                    number: .random(in: Self.numbers), primitives)
            } catch {
                throw CommandError(.usage, "\(error)")
            }
        }

        /// Opens the link, and begins the payment at it.
        func begin(
            over link: LinkName, _ environment: CommandEnvironment
        ) async throws(CommandError) -> LinkedPayment {
            if let swiped { return try await swiped.payment(try makeRun(), environment) }
            let transport: any Transport
            do throws(LinkError) {
                transport = try await environment.connect(link, nil, .kernel)
            } catch {
                throw CommandError(opening: error)
            }
            return LinkedPayment(
                try makeRun(), over: transport, clock: environment.clock,
                reopen: { () async throws(LinkError) in try await environment.connect(link, nil, .kernel) })
        }
    }

    private typealias PaymentEnd = (status: ExitStatus, recording: PaymentRecording)

    private func pay(
        _ purchase: VirtualPurchase, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> PaymentEnd {
        if case .link(let link) = link { return try pay(purchase, over: link, console, environment) }
        var payment = try purchase.makeRun()
        let report = PaymentReport(writer: console, isJSON: json, isTracing: trace)
        let start = environment.now()
        report.add(payment.start())
        while let next = payment.nextDeadline {
            if realTime { try wait(until: start + next, console, environment) }
            if environment.isInterrupted() { throw .interrupted }
            report.add(payment.advance())
        }
        report.end(payment.result, payment.header)
        return (Self.status(of: payment.result), payment.recording)
    }

    private func pay(
        _ purchase: VirtualPurchase, over link: LinkName, _ console: Console, _ environment: CommandEnvironment
    ) throws(CommandError) -> PaymentEnd {
        let conversation = try Conversation()
        let report = PaymentReport(writer: conversation, isJSON: json, isTracing: trace)
        return try conversation.run(on: console, isInterrupted: environment.isInterrupted) {
            () async throws(CommandError) in
            let payment = try await purchase.begin(over: link, environment)
            let end = await payment.pay { outputs in
                report.add(outputs)
                await conversation.waitForRoom()
            }
            report.end(end.result, end.recording.header)
            return (Self.status(of: end.result), end.recording)
        }
    }

    private static func status(of result: PaymentResult) -> ExitStatus {
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
        String.words(PaymentLink.allCases.map(\.rawValue) + SwipeLink.all.map(\.name), conjunction)
    }

    /// The reader of a payment: simulated by this program, or at a link.
    enum PaymentPlace: Sendable, CustomStringConvertible {
        case simulated(PaymentLink)
        /// A simulated reader on the audio jack.
        case swiped(SwipeLink)
        case link(LinkName)

        static func read(_ argument: String) throws -> PaymentPlace {
            if let link = PaymentLink(name: argument) { return .simulated(link) }
            if let link = SwipeLink(name: argument) { return .swiped(link) }
            return .link(try LinkArgument.read(argument))
        }

        var description: String {
            switch self {
            case .simulated(let link): link.rawValue
            case .swiped(let link): link.name
            case .link(let name): name.description
            }
        }
    }

    /// A kind of reader at a link.
    enum PaymentReader: Sendable {
        /// One that has the kernel.
        case kernel(PaymentLink)
        /// One on the audio jack, which only swipes cards.
        case swipes(ReaderFamily)

        static let names = PaymentLink.linked.map(\.reader) + SwipeLink.all.map(\.family)

        static func read(_ argument: String) throws -> PaymentReader {
            if let reader = PaymentLink(name: "sim:\(argument)"), PaymentLink.linked.contains(reader) {
                return .kernel(reader)
            }
            guard let link = SwipeLink(family: argument), let family = ReaderFamily.named(link.family) else {
                throw ValidationError("Use one of these readers: \(String.words(names, "or")).")
            }
            return .swipes(family)
        }
    }
}
#endif
