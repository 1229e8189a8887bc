public import JackdawEMV
import JackdawReaders

/// A file that cards of a deck name.
public enum SimulationFile: Sendable, Hashable {
    /// A card, as base of another one.
    case card(String)
    /// An issuer of cards.
    case issuer(String)
    /// A cardholder at the till.
    case payer(String)
}

/// A virtual card whose file says how a payment with it ends, with the cardholder and the issuer of that payment.
///
/// ```swift
/// let card = try DeckCard("pin-wrong", json: file, LibCryptoPrimitives(mode: .test)) { read($0) }
/// var till = try card.till(LibCryptoPrimitives(mode: .test))
/// print(till.run() == card.ends.outcome)
/// ```
public struct DeckCard: Sendable {
    /// The name of the file.
    public let name: String
    /// The description of the card: the member `note`.
    public let note: String
    /// The end of the payment.
    public let ends: CardEnding
    /// The card before its payment.
    public let card: VirtualCard
    /// The cardholder of the payment.
    public let payer: SimulatedPayer
    /// The issuer of the card.
    public let issuer: SimulatedIssuer
    /// The keys of the certification authorities that the till trusts: those of the card's last base, so that a card
    /// with another authority has none.
    public let authorities: [CertificationAuthorityKey]

    /// The day of the payments of decks.
    package static let date: CardDate = {
        guard let date = CardDate(year: 2026, month: 1, day: 15) else { preconditionFailure("not a date") }
        return date
    }()

    /// Reads a card. Its master keys must be published for tests.
    /// - Parameters:
    ///   - name: the name of the file, without `.json`.
    ///   - json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes.
    ///   - cryptography: RSA, ciphers, hashes and PIN blocks of card and issuer.
    ///   - read: returns the bytes of a file that the card names; nil if there is none.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    public init(
        _ name: String, json: [UInt8], _ cryptography: some IssuerCryptography,
        reading read: (SimulationFile) -> [UInt8]?
    ) throws(SimulationFileError) {
        let file = try DescriptionObject.content(of: json)
        guard let note = file["note"]?.text else {
            throw SimulationFileError(.member, at: "", "it lacks a text \"note\"")
        }
        let setup = try PaymentSetup(name, file: file, cryptography, reading: read)
        guard let ends = setup.ends else {
            throw SimulationFileError(.member, at: "", "it lacks a member \"ends\"")
        }
        self.name = name
        self.note = note
        self.ends = ends
        card = setup.card
        payer = setup.payer
        issuer = setup.issuer
        authorities = setup.authorities
    }

    /// The payment, before its start. Its reference is ``name``.
    /// - Parameters:
    ///   - primitives: RSA and SHA-1 for the terminal.
    ///   - settings: the till. Default: ``TillSettings/decks(_:)`` with the keys of ``authorities``.
    /// - Returns: the till with the card, the cardholder and the issuer.
    /// - Throws: `KernelConfigurationError` if a data object cannot hold a value of terminal or payment.
    public func till<Primitives: AuthenticationPrimitives>(
        _ primitives: Primitives, _ settings: TillSettings? = nil
    ) throws(KernelConfigurationError) -> SimulatedTill<Primitives> {
        let transaction = KernelTransaction(
            amount: ends.amount, currency: ends.currency, type: .purchase, date: Self.date)
        return try SimulatedTill(
            settings ?? .decks(AuthenticationKeys(authorities)), reference: name, transaction, card: card,
            payer: payer, issuer: issuer, primitives)
    }
}
