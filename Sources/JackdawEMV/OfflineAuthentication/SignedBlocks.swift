// The signed blocks of EMV Book 2, sections 5 and 6: certificates, signed static data, signed dynamic data.

import JackdawBytes

/// Opens signed blocks with the primitives of the caller. A value without state.
struct SignedBlocks<Primitives: AuthenticationPrimitives> {
    let primitives: Primitives

    /// The size of the header, the format, the hash and the trailer of a block, in octets.
    private static var frame: Int { 23 }

    /// Recovers a block and checks its header, format, trailer and hash, in the order of the book.
    /// - Parameters:
    ///   - block: the signed block.
    ///   - tag: the object that it is, for errors.
    ///   - key: the signer's key.
    ///   - format: the second octet of the block.
    ///   - fields: the least number of octets between format and hash.
    ///   - algorithmAt: the place of the Hash Algorithm Indicator.
    ///   - more: the data that the hash covers after the block's own.
    /// - Returns: the recovered block.
    /// - Throws: the failure of the first check that fails.
    private func open(
        _ block: [UInt8], _ tag: Tag, with key: RSAPublicKey, format: UInt8, fields: Int, algorithmAt: Int,
        over more: SecretOctets
    ) throws(AuthenticationFailure) -> [UInt8] {
        guard block.count == key.modulus.count, block.count >= Self.frame + fields else {
            throw AuthenticationFailure(.length, in: tag)
        }
        guard var plain = primitives.recover(block, with: key) else { throw AuthenticationFailure(.format, in: tag) }
        var isValid = false
        // A block may have the account number: only a valid one leaves this function.
        defer { if !isValid { plain.wipe() } }
        guard plain.count == block.count, plain[plain.count - 1] == 0xBC, plain[0] == 0x6A, plain[1] == format else {
            throw AuthenticationFailure(.format, in: tag)
        }
        // 01 is SHA-1, the only hash of these formats (Book 2, B3).
        guard plain[algorithmAt] == 0x01 else { throw AuthenticationFailure(.algorithm, in: tag) }
        var hashInput: [UInt8] = []
        hashInput.reserveCapacity(plain.count + more.count)
        hashInput += plain[1..<(plain.count - 21)]
        more.withOctets { hashInput.append(copying: $0) }
        defer { hashInput.wipe() }
        guard primitives.sha1(hashInput).elementsEqual(plain[(plain.count - 21)..<(plain.count - 1)]) else {
            throw AuthenticationFailure(.hash, in: tag)
        }
        isValid = true
        return plain
    }

    /// The key of a certificate, whose modulus continues in a remainder if the certificate has no room for it.
    private func key(
        _ plain: [UInt8], sizeAt: Int, modulusAt: Int, _ parts: PublicKeyParts
    ) throws(AuthenticationFailure) -> RSAPublicKey {
        // 01 is RSA, the only public key algorithm of these formats (Book 2, B2.1).
        guard plain[sizeAt - 1] == 0x01 else { throw AuthenticationFailure(.algorithm, in: parts.tag) }
        let size = Int(plain[sizeAt])
        let room = plain.count - 21 - modulusAt
        let left = plain[modulusAt..<(modulusAt + min(size, room))]
        guard size <= room || parts.remainder != nil else {
            throw AuthenticationFailure(.missing, in: parts.remainderTag)
        }
        let modulus = size <= room ? Array(left) : left + (parts.remainder ?? [])
        guard modulus.count == size else { throw AuthenticationFailure(.length, in: parts.tag) }
        let key = RSAPublicKey(modulus: modulus, exponent: parts.exponent)
        guard key.hasValidExponent else { throw AuthenticationFailure(.exponent, in: parts.exponentTag) }
        return key
    }

    /// Recovers an issuer's key from its certificate (Book 2, 5.3 and 6.3).
    /// - Parameters:
    ///   - parts: certificate, remainder and exponent.
    ///   - authority: the key of the certification authority.
    ///   - revoked: the revoked certificates.
    ///   - account: the account number, as in tag 5A.
    ///   - date: the day of the transaction.
    /// - Returns: the issuer's key.
    /// - Throws: a failure in tag 90, 92 or 9F32.
    func issuerKey(
        _ parts: PublicKeyParts, of authority: CertificationAuthorityKey, revoked: [RevokedCertificate],
        account: SecretOctets,
        on date: CardDate
    ) throws(AuthenticationFailure) -> RSAPublicKey {
        let plain = try open(
            parts.certificate, parts.tag, with: authority.key, format: 0x02, fields: 13, algorithmAt: 11,
            over: SecretOctets((parts.remainder ?? []) + parts.exponent))
        guard isIssuer(plain[2..<6], of: account) else { throw AuthenticationFailure(.identifier, in: parts.tag) }
        guard let expiry = expiry(plain[6..<8]), date <= expiry else {
            throw AuthenticationFailure(.expired, in: parts.tag)
        }
        let serialNumber = Array(plain[8..<11])
        let isRevoked = revoked.contains {
            $0.provider == authority.provider && $0.index == authority.index && $0.serialNumber == serialNumber
        }
        guard !isRevoked else { throw AuthenticationFailure(.revoked, in: parts.tag) }
        return try key(plain, sizeAt: 13, modulusAt: 15, parts)
    }

    /// Recovers a card's key from its certificate (Book 2, 6.4 and 7.1).
    /// - Parameters:
    ///   - parts: certificate, remainder and exponent.
    ///   - issuer: the issuer's key.
    ///   - staticData: the static data to be authenticated; empty for the key that enciphers PINs.
    ///   - account: the account number, as in tag 5A.
    ///   - date: the day of the transaction.
    /// - Returns: the card's key.
    /// - Throws: a failure in the certificate, the remainder or the exponent.
    func cardKey(
        _ parts: PublicKeyParts, of issuer: RSAPublicKey, staticData: SecretOctets, account: SecretOctets,
        on date: CardDate
    ) throws(AuthenticationFailure) -> RSAPublicKey {
        var plain = try open(
            parts.certificate, parts.tag, with: issuer, format: 0x04, fields: 19, algorithmAt: 17,
            over: SecretOctets(joining: [SecretOctets((parts.remainder ?? []) + parts.exponent), staticData]))
        defer { plain.wipe() }
        guard account.withOctets({ $0.isSameNumber(as: plain.span.extracting(2..<12)) }) else {
            throw AuthenticationFailure(.identifier, in: parts.tag)
        }
        guard let expiry = expiry(plain[12..<14]), date <= expiry else {
            throw AuthenticationFailure(.expired, in: parts.tag)
        }
        return try key(plain, sizeAt: 19, modulusAt: 21, parts)
    }

    /// Checks the Signed Static Application Data (Book 2, 5.4).
    /// - Parameters:
    ///   - block: the value of tag 93.
    ///   - issuer: the issuer's key.
    ///   - staticData: the static data to be authenticated.
    /// - Returns: the Data Authentication Code, two octets.
    /// - Throws: a failure in tag 93.
    func dataAuthenticationCode(
        _ block: [UInt8], signedBy issuer: RSAPublicKey, over staticData: SecretOctets
    ) throws(AuthenticationFailure) -> [UInt8] {
        let plain = try open(
            block, .signedStaticApplicationData, with: issuer, format: 0x03, fields: 3, algorithmAt: 2, over: staticData
        )
        return Array(plain[3..<5])
    }

    /// Checks the Signed Dynamic Application Data (Book 2, 6.5.2 and 6.6.2).
    /// - Parameters:
    ///   - block: the value of tag 9F4B.
    ///   - card: the card's key.
    ///   - terminalData: the values of the DDOL, or the unpredictable number with a cryptogram.
    /// - Returns: the ICC Dynamic Data.
    /// - Throws: a failure in tag 9F4B.
    func dynamicData(
        _ block: [UInt8], signedBy card: RSAPublicKey, over terminalData: SecretOctets
    ) throws(AuthenticationFailure) -> [UInt8] {
        let plain = try open(
            block, .signedDynamicApplicationData, with: card, format: 0x05, fields: 2, algorithmAt: 2,
            over: terminalData)
        let length = Int(plain[3])
        guard 4 + length <= plain.count - 21 else {
            throw AuthenticationFailure(.length, in: .signedDynamicApplicationData)
        }
        return Array(plain[4..<(4 + length)])
    }

    /// Whether an issuer identifier, 3 to 8 digits and padding, begins the account number (Book 2, table 6).
    private func isIssuer(_ identifier: ArraySlice<UInt8>, of account: SecretOctets) -> Bool {
        account.withOctets { account in
            var count = 0
            while count < 8, let digit = digit(identifier, count) {
                guard count / 2 < account.count, digit == Self.half(account[count / 2], count) else { return false }
                count += 1
            }
            return count >= 3
        }
    }

    /// A digit of packed octets; nil for the padding `F`, and after the end.
    private func digit(_ octets: ArraySlice<UInt8>, _ place: Int) -> UInt8? {
        guard place / 2 < octets.count else { return nil }
        let digit = Self.half(octets[octets.startIndex + place / 2], place)
        return digit == 0x0F ? nil : digit
    }

    /// The first half of an octet at even places, the second at odd ones.
    private static func half(_ octet: UInt8, _ place: Int) -> UInt8 { place % 2 == 0 ? octet >> 4 : octet & 0x0F }

    /// The last day of a certificate's month, `MMYY` in BCD; nil if it is no month.
    private func expiry(_ month: ArraySlice<UInt8>) -> CardDate? {
        let octets = Array(month)
        return CardDate([octets[1], octets[0], 0x31].span)
    }
}

/// The objects that make a public key: certificate, remainder and exponent.
struct PublicKeyParts {
    let tag: Tag
    let certificate: [UInt8]
    let remainderTag: Tag
    let remainder: [UInt8]?
    let exponentTag: Tag
    let exponent: [UInt8]
}
