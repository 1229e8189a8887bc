import JackdawBytes
package import JackdawEMV
import JackdawReaders

/// A virtual card with its cardholder and its issuer, for a payment: those that its file names, or others.
package struct PaymentSetup: Sendable {
    /// The name of the card's file, without `.json`.
    package let name: String
    /// The end of a payment with the file's own cardholder and issuer; nil if the file has none.
    package let ends: CardEnding?
    /// The card before its payment.
    package let card: VirtualCard
    /// The cardholder of the payment.
    package let payer: SimulatedPayer
    /// The issuer of the card.
    package let issuer: SimulatedIssuer
    /// The keys of the certification authorities that the till trusts: those of the card's last base.
    package let authorities: [CertificationAuthorityKey]

    /// Reads a card. Its master keys, and those of the issuer, must be published for tests.
    /// - Parameters:
    ///   - name: the name of the file, without `.json`.
    ///   - json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes.
    ///   - payer: the cardholder. Default: nil, that of the card's file, or else the file with the name of the card's last
    ///     base.
    ///   - issuer: the issuer. Default: nil, that of the card's file, or else the file `test`.
    ///   - cryptography: RSA, ciphers, hashes and PIN blocks of card and issuer.
    ///   - read: returns the bytes of a file that is named; nil if there is none.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    package init(
        _ name: String, json: [UInt8], payer: SimulatedPayer? = nil, issuer: SimulatedIssuer? = nil,
        _ cryptography: some IssuerCryptography, reading read: (SimulationFile) -> [UInt8]?
    ) throws(SimulationFileError) {
        try self.init(
            name, file: DescriptionObject.content(of: json), payer: payer, issuer: issuer, cryptography, reading: read)
    }

    /// The same for the content of a card's file.
    init(
        _ name: String, file root: JSONValue, payer: SimulatedPayer? = nil, issuer: SimulatedIssuer? = nil,
        _ cryptography: some IssuerCryptography, reading read: (SimulationFile) -> [UInt8]?
    ) throws(SimulationFileError) {
        self.name = name
        let file = try DerivedFile(root) { read(.card($0)) }
        card = try VirtualCard(file: file.value, cryptography, allowsOwnKeys: false, seed: 1)
        authorities = try Self.authorities(file.root, cryptography)
        let end = root["ends"]
        if let end {
            ends = try CardEnding(DescriptionObject(end, at: "ends", allowed: CardEnding.members))
        } else {
            ends = nil
        }
        if let payer {
            self.payer = payer
        } else {
            let content = try Self.file(end?["payer"] ?? .text(file.rootName ?? name), "ends.payer") {
                read(.payer($0))
            }
            self.payer = try SimulatedPayer(
                file: DescriptionObject(file: content, at: "ends.payer", allowed: SimulatedPayer.members))
        }
        if let issuer {
            self.issuer = issuer
        } else {
            let content = try Self.file(end?["issuer"] ?? .text("test"), "ends.issuer") { read(.issuer($0)) }
            self.issuer = try SimulatedIssuer(
                file: DescriptionObject(file: content, at: "ends.issuer", allowed: SimulatedIssuer.members),
                cryptography, allowsOwnKeys: false, seed: 1)
        }
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
}
