import JackdawBytes
import JackdawEMV

/// Makes the certificates of a card, and the signature of its static data (EMV Book 2, sections 5 and 6).
struct CardCertificates<Cryptography: ChipCardCryptography> {
    let cryptography: Cryptography
    let keys: CardFileKeys
    let account: CardFileAccount
    let profile: [UInt8]
    /// The place of the records in the file.
    let place: String

    /// Makes the objects of the records that are marked.
    /// - Throws: ``SimulationFileError`` if a key is missing or too short, a record must not be signed, or a mark is that of a
    ///   certificate's part without the certificate's.
    func add(to records: inout CardFileRecords) throws(SimulationFileError) {
        try check(records)
        if let place = records.madePlace(of: 0x8F) {
            guard let index = keys.index else {
                throw SimulationFileError(.member, at: place, "it needs rsa.index")
            }
            records.make(0x8F, [index])
        }
        if records.isMade(0x90) {
            let (authority, issuer) = (try key(keys.authority, "authority"), try key(keys.issuer, "issuer"))
            let identifier = account.number.digits.withOctets { digits in
                (0..<3).map { digits[2 * $0] << 4 | digits[2 * $0 + 1] & 0x0F } + [0xFF]
            }
            let start = [0x02] + identifier + account.expiry + [0, 0, 1]
            let certificate = try certificate(start, of: issuer, by: authority)
            records.make(.issuer, certificate, issuer.publicKey.exponent)
        }
        let tagList = records.value(0x9F4A)
        let staticData = records.staticData + (tagList == [0x82] ? profile : [])
        if records.isMade(0x93) { records.make(0x93, try signature(of: staticData)) }
        try add(&records, .card, keys.card, "card", staticData)
        try add(&records, .pin, keys.pin, "pin", [])
    }

    private func check(_ records: CardFileRecords) throws(SimulationFileError) {
        for tag in CardCertificateTags.late {
            guard let place = records.signedPlace(of: tag) else { continue }
            throw SimulationFileError(
                .value, at: place, "it is made after the records are signed, and must be in one that is not signed")
        }
        for tags in [CardCertificateTags.issuer, .card, .pin] where !records.isMade(tags.certificate) {
            for tag in [tags.exponent, tags.remainder] {
                guard let place = records.madePlace(of: tag) else { continue }
                throw SimulationFileError(.value, at: place, "it is made together with tag \(tags.certificate) only")
            }
        }
    }

    private func add(
        _ records: inout CardFileRecords, _ tags: CardCertificateTags, _ own: RSAKeyPair?, _ name: String,
        _ staticData: [UInt8]
    ) throws(SimulationFileError) {
        guard records.isMade(tags.certificate) else { return }
        let (issuer, own) = (try key(keys.issuer, "issuer"), try key(own, name))
        let number = account.packed.withOctets { packed in
            (0..<10).map { $0 < packed.count ? packed[$0] : 0xFF }
        }
        let start = [0x04] + number + account.expiry + [0, 0, 2]
        let certificate = try certificate(start, of: own, by: issuer, over: staticData)
        records.make(tags, certificate, own.publicKey.exponent)
    }

    private func key(_ key: RSAKeyPair?, _ name: String) throws(SimulationFileError) -> RSAKeyPair {
        guard let key else {
            throw SimulationFileError(.member, at: place, "the certificates need a key in rsa.\(name)")
        }
        return key
    }

    /// A certificate, and the part of the modulus for which it has no room.
    private func certificate(
        _ start: [UInt8], of subject: RSAKeyPair, by signer: RSAKeyPair, over more: [UInt8] = []
    ) throws(SimulationFileError) -> (value: [UInt8], remainder: [UInt8]) {
        let modulus = subject.publicKey.modulus
        // Header, start, algorithms, lengths, hash, trailer: the fields around the modulus.
        let room = signer.publicKey.modulus.count - start.count - 26
        guard room >= 0, modulus.count <= signer.publicKey.modulus.count else {
            throw SimulationFileError(.key, at: place, "a key is longer than the key that signs it")
        }
        let padding = [UInt8](repeating: 0xBB, count: max(0, room - modulus.count))
        let body =
            start + [0x01, 0x01, UInt8(modulus.count), UInt8(subject.publicKey.exponent.count)]
            + modulus.prefix(room) + padding
        let remainder = Array(modulus.dropFirst(room))
        return (try sign(body, over: remainder + subject.publicKey.exponent + more, by: signer), remainder)
    }

    /// Signed Static Application Data (93): the data authentication code is DAC0.
    private func signature(of staticData: [UInt8]) throws(SimulationFileError) -> [UInt8] {
        let issuer = try key(keys.issuer, "issuer")
        let padding = [UInt8](repeating: 0xBB, count: issuer.publicKey.modulus.count - 26)
        return try sign([0x03, 0x01, 0xDA, 0xC0] + padding, over: staticData, by: issuer)
    }

    private func sign(
        _ body: [UInt8], over more: [UInt8], by signer: RSAKeyPair
    ) throws(SimulationFileError) -> [UInt8] {
        let block = [0x6A] + body + cryptography.sha1(body + more) + [0xBC]
        guard block.count == signer.publicKey.modulus.count,
            let signature = cryptography.applyPrivate(signer, to: SecretOctets(block))
        else { throw SimulationFileError(.key, at: place, "a certificate cannot be signed") }
        return signature.octets
    }
}

extension CardFileRecords {
    /// Sets the objects of a certificate.
    fileprivate mutating func make(
        _ tags: CardCertificateTags, _ made: (value: [UInt8], remainder: [UInt8]), _ exponent: [UInt8]
    ) {
        make(tags.certificate, made.value)
        make(tags.remainder, made.remainder)
        make(tags.exponent, exponent)
    }
}

/// The tags of a certificate, and of the parts of the public key that it does not hold.
struct CardCertificateTags {
    let certificate: Tag
    let exponent: Tag
    let remainder: Tag

    static let issuer = CardCertificateTags(certificate: 0x90, exponent: 0x9F32, remainder: 0x92)
    static let card = CardCertificateTags(certificate: 0x9F46, exponent: 0x9F47, remainder: 0x9F48)
    static let pin = CardCertificateTags(certificate: 0x9F2D, exponent: 0x9F2E, remainder: 0x9F2F)

    var all: [Tag] { [certificate, exponent, remainder] }

    /// The objects that can be made.
    static let made: [Tag] = [0x8F, 0x93] + issuer.all + card.all + pin.all

    /// The objects that are made after the records are signed, so that no signature can cover them.
    static let late: [Tag] = [0x93] + card.all + pin.all
}
