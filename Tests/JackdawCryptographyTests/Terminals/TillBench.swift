import JackdawCryptography
import JackdawEMV
import JackdawReaders
@testable import JackdawSimulator
import JackdawTestSupport
import Testing

/// A till and a simulated reader at the ends of a link, in virtual time: faults of the reader, bytes in small parts, a merchant
/// who interferes. A link that breaks is opened again after a second, if the till wants it.
struct TillBench: ~Copyable {
    /// What a till and its issuer keep.
    typealias Books = (issuer: SimulatedIssuer, records: Int, objects: DataObjectStore)

    private(set) var now = Duration.zero
    /// The messages of the till.
    private(set) var sent: [[UInt8]] = []
    /// The bytes of the reader, as it sent them.
    private(set) var received: [[UInt8]] = []

    private var till: any LinkedTill
    private var reader: SimulatedReader
    private let books: () -> Books
    /// The reference of the payment for the issuer.
    private let reference: String
    private let step: Int
    private var interference: (PaymentEvent, after: Int)?
    /// Messages of the till that never arrive.
    private let isLost: ([UInt8]) -> Bool
    private var isConnected = true
    private var reconnection: Duration?

    /// - Parameters:
    ///   - till: the till, with its reader at a link.
    ///   - books: what it keeps.
    ///   - reader: the reader.
    ///   - reference: the reference of the payment for the issuer.
    ///   - step: bytes that come at a time.
    ///   - interference: an event of the merchant, after so many events.
    ///   - isLost: whether a message of the till never arrives.
    init(
        _ till: any LinkedTill, _ books: @escaping () -> Books, _ reader: consuming SimulatedReader,
        reference: String = "1", step: Int = .max, interference: (PaymentEvent, after: Int)? = nil,
        isLost: @escaping ([UInt8]) -> Bool = { _ in false }
    ) {
        self.till = till
        self.books = books
        self.reader = reader
        self.reference = reference
        self.step = step
        self.interference = interference
        self.isLost = isLost
    }

    /// Pays, in at most twenty minutes.
    mutating func run() -> PaymentOutcome? {
        till.start()
        interfere()
        carry()
        while let next = nextDeadline, next <= .seconds(1200) {
            now = max(now, next)
            advance()
        }
        return outcome
    }

    private var nextDeadline: Duration? {
        [till.nextDeadline, isConnected ? reader.nextDeadline : nil, reconnection].compactMap(\.self).min()
    }

    private mutating func advance() {
        if let due = reconnection, due <= now {
            reconnection = nil
            isConnected = true
            reader.reconnect()
            till.reopenLink(at: now)
        }
        if let due = till.nextDeadline, due <= now { _ = till.advance() }
        interfere()
        carry()
        guard isConnected else { return }
        for output in reader.advance(to: now) {
            switch output {
            case .send(let bytes):
                received.append(bytes)
                for start in stride(from: 0, to: bytes.count, by: step) {
                    till.receive(Array(bytes[start..<start + min(step, bytes.count - start)]), at: now)
                    interfere()
                }
            case .disconnect:
                isConnected = false
                till.loseLink(at: now)
                if till.awaitsReader { reconnection = now + .seconds(1) }
            }
        }
        carry()
    }

    /// Carries the messages of the till to the reader.
    private mutating func carry() {
        for task in till.takeTasks() {
            guard case .send(let message) = task else { continue }
            sent.append(message)
            if isConnected, !isLost(message) { reader.receive(message.span, at: now) }
        }
    }

    private mutating func interfere() {
        guard let (event, count) = interference, events.count >= count else { return }
        interference = nil
        till.receive(event)
    }

    var outcome: PaymentOutcome? { till.payment.outcome }
    /// The events that the payment received.
    var events: [PaymentEvent] {
        till.entries.compactMap { entry in
            guard case .step(let step) = entry, case .event(let event, _) = step.cause else { return nil }
            return event
        }
    }
    /// The objects of the card's last decision.
    var objects: DataObjectStore { books().objects }
    /// The payment in the issuer's ledger.
    var entry: IssuerLedger.Entry? { books().issuer.ledger[reference] }

    /// The reasons for which the books of till and issuer do not agree; empty if they do.
    var disagreements: [String] {
        let (issuer, records, _) = books()
        let isApproved = outcome?.isApproved == true
        let captured = entry?.captured ?? 0
        var found: [String] = []
        if outcome == nil { found.append("no outcome") }
        if !till.isSettled { found.append("it is open") }
        if issuer.ledger.held != 0 { found.append("\(issuer.ledger.held) are held") }
        if (captured > 0) != isApproved { found.append("\(captured) are captured") }
        if records != (isApproved ? 1 : 0) { found.append("\(records) records") }
        if issuer.ledger.entries.count > 1 { found.append("the issuer knows other payments") }
        return found
    }
}

extension ReaderTillParts {
    /// The parts of a payment in EUR, with the files of `cards`, `payers` and `issuers`.
    /// - Parameters:
    ///   - file: the card.
    ///   - amount: in minor units.
    ///   - payer: the file of the cardholder, if it is not that of the card.
    ///   - changes: of the card's file.
    /// - Throws: an error if a file is not valid.
    init(_ file: ChipCardFile, amount: UInt64, payer: String? = nil, card changes: [String: String] = [:]) throws {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex(file == .visa ? "0096" : "0002"))
        configuration.limits = RiskLimits(floorLimit: 10_000)
        configuration.keys = AuthenticationKeys([try file.authority])
        let application = try SupportedApplication(Array(file.name.prefix(5)), allowsPartialName: true)
        self.init(
            settings: TillSettings(applications: [TerminalApplication(application, configuration)]), reference: "1",
            transaction: KernelTransaction(
                amount: amount, currency: hex("0978"), type: .purchase,
                date: try #require(CardDate(year: 2026, month: 1, day: 15))),
            card: try file.card(changes),
            payer: try SimulatedPayer(json: Array((payer ?? IssuerFile.payer(file.rawValue)).utf8)),
            issuer: try SimulatedIssuer(json: Array(IssuerFile.text.utf8), LibCryptoPrimitives(mode: .test)))
    }
}

/// A simulated reader with a kernel, whose till asks the issuer.
enum KernelReader: CaseIterable {
    case miura, posmate, emvswiper

    /// A till with such a reader. Parameters are those of ``TillBench`` and of the parts.
    func bench(
        _ file: ChipCardFile = .visa, amount: UInt64 = 6000, payer: String? = nil, card: [String: String] = [:],
        deck: [Presentation] = [], faults: [PlannedFault] = [], step: Int = .max,
        interference: (PaymentEvent, after: Int)? = nil
    ) throws -> TillBench {
        let primitives = LibCryptoPrimitives(mode: .test)
        let parts = try ReaderTillParts(file, amount: amount, payer: payer, card: card)
        func reader(_ model: any ReaderModel) -> SimulatedReader { SimulatedReader(model, deck: deck, faults: faults) }
        switch self {
        case .miura:
            let till = parts.till(with: nil as MiuraTerminal<LibCryptoPrimitives>?)
            return TillBench(
                till, { (till.issuer, till.records, till.objects) }, reader(parts.miura(primitives)), step: step,
                interference: interference)
        case .posmate:
            let till = parts.till(with: nil as EPOSTerminal<LibCryptoPrimitives>?)
            return TillBench(
                till, { (till.issuer, till.records, till.objects) }, reader(parts.posmate(primitives)), step: step,
                interference: interference)
        case .emvswiper:
            let till = parts.till(with: nil as BBPOSTerminal<LibCryptoPrimitives>?)
            return TillBench(
                till, { (till.issuer, till.records, till.objects) }, reader(parts.emvswiper(primitives)), step: step,
                interference: interference)
        }
    }
}
