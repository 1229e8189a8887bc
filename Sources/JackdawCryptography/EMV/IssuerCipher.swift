import JackdawCards
public import JackdawEMV

/// The calculations of an issuer that is software.
extension LibCryptoPrimitives: IssuerCryptography {
    public func pinBlock(of pin: SecretOctets, key: SecretOctets, account: SecretOctets) -> [UInt8]? {
        do throws(CryptographyError) {
            let pin = try PIN(pin.withOctets { SecretText(copying: $0) })
            let block = try pin.block(.iso0, account: Self.account(account))
            let encrypted = try block.withBytes { (block) throws(CryptographyError) in
                try Self.key(key, mode).encryptBlocks(block)
            }
            return encrypted.withBytes { bytes in bytes.indices.map { bytes[$0] } }
        } catch {
            return nil
        }
    }

    public func pin(ofBlock block: [UInt8], key: SecretOctets, account: SecretOctets) -> SecretOctets? {
        do throws(CryptographyError) {
            guard block.count == 8 else { return nil }
            let clear = try Self.key(key, mode).decryptBlocks(block.span)
            let number = try Self.account(account)
            let pin = try clear.withBytes { (clear) throws(CryptographyError) in
                try PIN(block: clear, .iso0, account: number)
            }
            return pin.withRevealedDigits { SecretOctets(copying: $0) }
        } catch {
            return nil
        }
    }

    public func isPublishedTestKey(_ key: SecretOctets) -> Bool {
        do throws(CryptographyError) { return try Self.key(key, .test).isPublishedTestKey } catch { return false }
    }

    private static func account(_ digits: SecretOctets) throws(CryptographyError) -> CardAccount {
        try CardAccount(number: digits.withOctets { SecretText(copying: $0) })
    }

    static func key(_ octets: SecretOctets, _ mode: CardMode) throws(CryptographyError) -> CipherKey {
        try octets.withOctets { (octets) throws(CryptographyError) in
            try CipherKey(copying: octets, for: .tripleDES2, mode: mode)
        }
    }
}

extension LibCryptoCardCipher: IssuerCipher {
    public func authenticationData(for transaction: ChipCardTransaction, answer: [UInt8]) -> [UInt8]? {
        attempt { () throws(CryptographyError) in
            let answer: IssuerAnswer =
                switch card.version.responseMethod {
                case .method1: .code(answer)
                case .method2: .status(Array(answer.prefix(4)), proprietary: Array(answer.dropFirst(4)))
                }
            return try card.issuerAuthenticationData(for: CardTransaction(transaction), answer: answer)
        }
    }

    public func newPINData(
        _ pin: SecretOctets, current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
    ) -> [UInt8]? {
        attempt { () throws(CryptographyError) in
            var own: PIN?
            if let current { own = try PIN(current.withOctets { SecretText(copying: $0) }) }
            let command = try card.pinChangeCommand(
                to: PIN(pin.withOctets { SecretText(copying: $0) }), current: own, in: CardTransaction(transaction),
                number: number)
            // Header and length before the data, a code of 8 bytes after it.
            return Array(command.dropFirst(5).dropLast(8))
        }
    }
}
