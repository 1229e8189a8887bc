import JackdawCards
public import JackdawEMV

/// The calculations of chip cards that are software.
extension LibCryptoPrimitives: ChipCardCryptography {
    /// Makes the cipher of an application.
    /// - Parameter keys: its master keys.
    /// - Returns: the cipher, which keeps the keys.
    /// - Throws: `ChipCardKeyError` if a key has the wrong size, the scheme is unknown, or a key is published for tests
    ///   and the mode is live cards.
    public func cipher(for keys: ChipCardKeys) throws(ChipCardKeyError) -> LibCryptoCardCipher {
        do throws(CryptographyError) {
            return try LibCryptoCardCipher(keys, mode: mode)
        } catch {
            throw ChipCardKeyError(error.description)
        }
    }

    /// Applies a private key to a block.
    /// - Parameters:
    ///   - key: the key.
    ///   - block: as many octets as the modulus has, a smaller number than the modulus.
    /// - Returns: as many octets; nil if the key cannot be used, or if it is a published test key of a certification
    ///   authority and the mode is live cards.
    public func applyPrivate(_ key: RSAKeyPair, to block: SecretOctets) -> SecretOctets? {
        guard allows(key.publicKey) else { return nil }
        do throws(CryptographyError) {
            let exponent = key.privateExponent.withOctets { SecretBytes(copying: $0) }
            let own = try RSAPrivateKey(modulus: key.publicKey.modulus, exponent: exponent)
            let result = try block.withOctets { (block) throws(CryptographyError) in try own.apply(to: block) }
            return result.withBytes { SecretOctets(copying: $0) }
        } catch {
            return nil
        }
    }
}

/// The calculations of one application with its master keys, by libcrypto. It has no printed form of a key.
public final class LibCryptoCardCipher: ChipCardCipher {
    let card: CardCryptography
    public let usesPublishedTestKeys: Bool

    init(_ keys: ChipCardKeys, mode: CardMode) throws(CryptographyError) {
        guard let version = CryptogramVersion(rawValue: keys.scheme) else {
            let known = CryptogramVersion.allCases.map(\.rawValue).joined(separator: ", ")
            throw CryptographyError(.unknownScheme, "unknown scheme of cryptograms; there are \(known)")
        }
        let master = try MasterKeys(
            cryptogram: LibCryptoPrimitives.key(keys.cryptogram, mode),
            integrity: LibCryptoPrimitives.key(keys.integrity, mode),
            confidentiality: LibCryptoPrimitives.key(keys.confidentiality, mode))
        usesPublishedTestKeys =
            master.cryptogram.isPublishedTestKey && master.integrity.isPublishedTestKey
            && master.confidentiality.isPublishedTestKey
        if keys.areIssuerKeys {
            let number = keys.account.withOctets { SecretText(copying: $0) }
            let account = try CardAccount(number: number, sequenceNumber: keys.sequenceNumber)
            card = try CardCryptography(version, issuerKeys: master, account: account, mode: mode)
        } else {
            card = try CardCryptography(version, cardKeys: master, mode: mode)
        }
    }

    public func cryptogram(
        terminalData: [UInt8], profile: [UInt8], counter: UInt16, cardData: [UInt8]
    ) -> [UInt8]? {
        attempt { () throws(CryptographyError) in
            let data = try CryptogramData(terminalData: terminalData, profile: profile, counter: counter)
            return try card.cryptogram(of: data, cardData: cardData)
        }
    }

    public func isAuthentic(_ data: [UInt8], for transaction: ChipCardTransaction) -> Bool {
        attempt { () throws(CryptographyError) in
            try card.isAuthentic(data, for: CardTransaction(transaction))
        } ?? false
    }

    public func commandMAC(
        header: [UInt8], data: [UInt8], in transaction: ChipCardTransaction, number: Int
    ) -> [UInt8]? {
        attempt { () throws(CryptographyError) in
            try card.commandMAC(header: header, data: data, in: CardTransaction(transaction), number: number)
        }
    }

    public func newPIN(
        in data: [UInt8], current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
    ) -> SecretOctets? {
        attempt { () throws(CryptographyError) in
            var own: PIN?
            if let current { own = try PIN(current.withOctets { SecretText(copying: $0) }) }
            let pin = try card.newPIN(in: data.span, current: own, CardTransaction(transaction), number: number)
            return pin.withRevealedDigits { SecretOctets(copying: $0) }
        }
    }

    func attempt<Result>(_ body: () throws(CryptographyError) -> Result) -> Result? {
        do throws(CryptographyError) { return try body() } catch { return nil }
    }
}

/// Shows no key material in descriptions.
extension LibCryptoCardCipher: CustomStringConvertible, CustomReflectable {
    /// The name of the scheme, without the keys.
    public var description: String { "card cipher (\(card.version.rawValue))" }

    /// Empty, so that no key is shown.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension CardTransaction {
    init(_ transaction: ChipCardTransaction) throws(CryptographyError) {
        try self.init(
            counter: transaction.counter, unpredictableNumber: transaction.unpredictableNumber,
            cryptogram: transaction.cryptogram)
    }
}
