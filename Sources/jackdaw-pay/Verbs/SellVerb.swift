#if Payments
import Accept
import ArgumentParser
import JackdawConsole
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// Sells a basket at a terminal.
struct SellVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "sell",
        abstract: "Sell a basket at a terminal.",
        discussion: """
            Prints the basket, the steps for the person at the till, and the end of the payment. Everything is in the \
            journal of the till before it is sent: if the command is killed, 'jackdaw-pay journal flush' goes on. \
            Ctrl-C cancels the payment until the host is asked.

            At sim: links the reader is simulated in this process, with a test card of the issuer of \
            'jackdaw-pay sandbox'. 51.05 is declined there; docs/simulated-issuer.md has further amounts. At sim:unimag the \
            card is swiped, and the payment needs --signature. sim:spm20 asks a simulated host of its own, and takes \
            purchases alone. At another link, such as tcp:127.0.0.1:4000, \
            rfcomm:AA:BB:CC:DD:EE:FF, pty:/dev/pts/3, or alsa:hw:1 for a UniMag, --reader names the kind of the reader. Card \
            data is not enciphered for the host, so that only test cards may be used there (--test-cards).

            EXIT CODES
              0   approved
              1   declined, cancelled, failed or reversed: no money moved
              64  usage, or a basket that the merchant does not take
              65  the host's answer cannot be read; the journal is damaged
              69  no login; host or terminal cannot be reached; journal in use
              75  the outcome is not known yet, or a person must look at it
              130 cancelled by Ctrl-C

            EXAMPLES
              jackdaw-pay sell --item "Coffee:2.50:2:19%" --tip 1.00 --link sim:posmate
              jackdaw-pay sell --item "Room:89.00" --kind authorize --link sim:miura --json
              jackdaw-pay sell --item "Tea:3.00" --link tcp:127.0.0.1:4000 --reader posmate --test-cards
            """)

    /// The kind of a payment.
    enum PaymentKind: String, ExpressibleByArgument, CaseIterable {
        case purchase, authorize, preauthorize, sepa

        var type: AcceptTransactionType {
            switch self {
            case .purchase: .purchase
            case .authorize: .authorize
            case .preauthorize: .preauthorize
            case .sepa: .sepa
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Item as NAME:PRICE, or with quantity and tax rate as NAME:PRICE:QUANTITY:TAX%; may be repeated.",
            valueName: "item"),
        transform: Self.readItem)
    var item: [AcceptBasketItem]

    @Option(help: ArgumentHelp("Tip.", valueName: "amount"), transform: AmountArgument.read)
    var tip: AcceptHundredths?

    @Option(help: ArgumentHelp("Currency of all prices, ISO 4217; by default the merchant's.", valueName: "code"))
    var currency: String?

    @Option(help: "Kind of the payment: purchase, authorize, preauthorize or sepa (a direct debit).")
    var kind = PaymentKind.purchase

    @Option(
        help: ArgumentHelp(
            "Terminal: \(String.words(TillTerminal.Kind.all.map(\.simulatedLink.description), "or")); or the link of a "
                + "reader.", valueName: "link"),
        completion: .list(
            TillTerminal.Kind.all.map(\.simulatedLink.description) + ["tcp:", "rfcomm:", "pty:", "alsa:"]))
    var link: String

    @Option(
        help: ArgumentHelp(
            "Reader at a link of another kind: \(String.words(Self.readers, "or")).", valueName: "reader"),
        completion: .list(Self.readers))
    var reader: String?

    @Option(
        help: ArgumentHelp(
            "JSON file of values that replace those of the family of --reader; - for standard input.",
            valueName: "file"),
        completion: .file(extensions: ["json"]))
    var profile: String?

    @Flag(
        help: "Only test cards are used at the reader of --link: the host gets their data without a cipher of its own.")
    var testCards = false

    @Option(
        help: ArgumentHelp(
            "Identifier of the payment, the same for a repetition; by default a new one.", valueName: "id"),
        transform: PaymentArgument.read)
    var payment: AttemptIdentifier?

    @Option(
        help: ArgumentHelp(
            "Sale that is paid, of which one payment can be approved; by default one of its own.", valueName: "id"),
        transform: Self.readSale)
    var sale: SaleIdentifier?

    @Option(help: ArgumentHelp("Text about the payment.", valueName: "text"))
    var note = ""

    @Option(
        help: ArgumentHelp(
            "Image of the customer's signature that the merchant has compared; without it a payment that needs one is "
                + "reversed.", valueName: "file"),
        completion: .file())
    var signature: String?

    @Option(
        help: ArgumentHelp("Application of a card with several; by default the card's first.", valueName: "name"))
    var application: String?

    @OptionGroup
    var waiting: WaitOption

    @OptionGroup
    var options: TillOptions

    /// The longest image of a signature.
    private static let maxSignatureBytes = Delivery.maxSignatureBytes

    /// The readers that can be at a link.
    private static let readers = TillTerminal.Kind.linked.map(\.name)

    private static func readItem(_ argument: String) throws -> AcceptBasketItem {
        guard let item = AcceptBasketItem(argument: argument) else {
            throw ValidationError(
                "\(argument): give an item as NAME:PRICE or NAME:PRICE:QUANTITY:TAX%, such as Coffee:2.50:2:19%.")
        }
        return item
    }

    private static func readSale(_ argument: String) throws -> SaleIdentifier {
        guard let sale = SaleIdentifier(rawValue: argument) else { throw PaymentArgument.malformed }
        return sale
    }

    func validate() throws {
        guard !item.isEmpty else { throw ValidationError("Give at least one --item.") }
        if let currency, Currency.find(alphabeticCode: currency) == nil {
            throw ValidationError("--currency must be a code of ISO 4217 with minor units, such as EUR.")
        }
        guard profile == nil || reader != nil else { throw ValidationError("--profile is for a --reader.") }
        let (_, link) = try place()
        guard link == nil || testCards else {
            throw ValidationError(
                "Give --test-cards, and use test cards alone: the card's data is not enciphered for the host.")
        }
    }

    /// The terminal of the command line: a simulated one, or a kind at a link.
    private func place() throws -> (kind: TillTerminal.Kind, link: LinkName?) {
        if let kind = TillTerminal.Kind.all.first(where: {
            link == "sim:\($0.name)" || link == "sim:\($0.family)"
        }) {
            guard reader == nil else {
                throw ValidationError("--reader is for other links than those of simulated readers.")
            }
            return (kind, nil)
        }
        let name: LinkName
        do throws(LinkError) { name = try LinkName(parsing: link) } catch {
            throw ValidationError(error.description)
        }
        guard name.scheme != .sim else {
            throw ValidationError(
                "\(link): no terminal is simulated so; there are "
                    + "\(String.words(TillTerminal.Kind.all.map(\.simulatedLink.description), "and")).")
        }
        guard let reader, let kind = TillTerminal.Kind.named(reader), kind != .spm20 else {
            throw ValidationError("\(link): name its kind by --reader (\(String.words(Self.readers, "or"))).")
        }
        guard kind.onlySwipes == (name.scheme == .alsa) else {
            throw ValidationError(
                "\(link): a UniMag is in the jack of a sound card, as alsa:hw:1, and no other reader is.")
        }
        return (kind, name)
    }

    func work() throws(CommandError) -> ExitStatus {
        let (order, terminal, limit) = (try order(), try terminal(), waiting.limit)
        return try options.work { till, printer throws(CommandError) in
            try await Selling(till: till, terminal: terminal, order: order, wait: limit, printer: printer).run()
        }
    }

    private func order() throws(CommandError) -> Selling.Order {
        var order = Selling.Order()
        (order.items, order.tip, order.currency, order.kind) = (item, tip, currency, kind.type)
        (order.note, order.payment, order.sale) = (note, payment, sale?.rawValue ?? "")
        order.application = application
        if let signature {
            var image: [UInt8] = []
            try SmallFile.read(
                signature, most: Self.maxSignatureBytes, tooMany: "too long for a signature", into: &image)
            guard !image.isEmpty else { throw CommandError(.badData, "\(signature): the file is empty") }
            order.signature = image
        }
        return order
    }

    /// The values of the reader's protocol with those of the profile; nil without one.
    private func values(of kind: TillTerminal.Kind) throws(CommandError) -> ReaderProfile? {
        guard let profile, let family = ReaderFamily.named(kind.family) else { return nil }
        return try ProfileFile.read(profile, over: family.simulatedProfile, of: family)
    }

    private func terminal() throws(CommandError) -> TillTerminal {
        guard let (kind, link) = try? place() else { preconditionFailure("the command line was validated") }
        if let link { return TillTerminal(kind, at: link, profile: try values(of: kind)) }
        return TillTerminal(simulated: kind, card: .builtIn(isSwiped: kind.onlySwipes))
    }
}

/// Identifiers of payments on the command line.
enum PaymentArgument {
    static let malformed = ValidationError("An identifier has 1 to 64 characters of ASCII without spaces.")

    /// - Throws: `ValidationError` that describes the form.
    static func read(_ argument: String) throws -> AttemptIdentifier {
        guard let name = AttemptIdentifier(rawValue: argument) else { throw malformed }
        return name
    }
}
#endif
