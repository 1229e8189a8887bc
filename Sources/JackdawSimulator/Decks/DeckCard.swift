import JackdawBytes
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
        self.name = name
        let root = try DescriptionObject.content(of: json)
        guard let note = root["note"]?.text else {
            throw SimulationFileError(.member, at: "", "it lacks a text \"note\"")
        }
        self.note = note
        let file = try DerivedFile(root) { read(.card($0)) }
        card = try VirtualCard(file: file.value, cryptography, allowsOwnKeys: false, seed: 1)
        authorities = try Self.authorities(file.root, cryptography)
        guard let end = root["ends"] else {
            throw SimulationFileError(.member, at: "", "it lacks a member \"ends\"")
        }
        ends = try CardEnding(DescriptionObject(end, at: "ends", allowed: CardEnding.members))
        let payer = try Self.file(end["payer"] ?? .text(file.rootName ?? name), "ends.payer") { read(.payer($0)) }
        self.payer = try SimulatedPayer(
            file: DescriptionObject(file: payer, at: "ends.payer", allowed: SimulatedPayer.members))
        let issuer = try Self.file(end["issuer"] ?? .text("test"), "ends.issuer") { read(.issuer($0)) }
        self.issuer = try SimulatedIssuer(
            file: DescriptionObject(file: issuer, at: "ends.issuer", allowed: SimulatedIssuer.members), cryptography,
            allowsOwnKeys: false, seed: 1)
    }

    /// The content of an issuer or payer: a file by its name, or an object, perhaps with a base.
    private static func file(
        _ value: JSONValue, _ place: String, _ find: (String) -> [UInt8]?
    ) throws(SimulationFileError) -> JSONValue {
        guard let name = value.text else { return try DerivedFile(value, at: place, find).value }
        try DerivedFile.checkName(name, at: place)
        guard var bytes = find(name) else {
            throw SimulationFileError(.base, at: place, "there is no file \"\(name)\"")
        }
        defer { bytes.wipe() }
        return try DerivedFile(DescriptionObject.content(of: bytes, at: place), at: place, find).value
    }

    /// The keys of the certification authorities of a card's file.
    private static func authorities(
        _ file: JSONValue, _ cryptography: some ChipCardCryptography
    ) throws(SimulationFileError) -> [CertificationAuthorityKey] {
        guard case .array(let applications)? = file["applications"] else { return [] }
        let reader = CardFileReader(cryptography: cryptography, allowsOwnKeys: false)
        var authorities: [CertificationAuthorityKey] = []
        for (number, value) in applications.enumerated() {
            let application = try DescriptionObject(value, at: "applications[\(number)]")
            let keys = try reader.rsaKeys(application)
            guard let authority = keys.authority, let index = keys.index else { continue }
            authorities.append(
                CertificationAuthorityKey(
                    provider: Array(try application.octets("aid", 5...16).prefix(5)), index: index,
                    key: authority.publicKey))
        }
        return authorities
    }

    /// The payment, before its start. Its reference is ``name``.
    /// - Parameters:
    ///   - primitives: RSA and SHA-1 for the terminal.
    ///   - settings: the till. Default: ``TillSettings/decks(_:)`` with the keys of ``authorities``.
    /// - Returns: the till with the card, the cardholder and the issuer.
    /// - Throws: ``KernelConfigurationError`` if a data object cannot hold a value of terminal or payment.
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
