public import JackdawCards

/// Values by which an issuer verifies a PIN that it does not store.
extension CipherKey {
    /// Visa's PIN verification value (PVV), from the 11 digits before the check digit, the key's index and the
    /// first four digits of the PIN.
    /// - Parameters:
    ///   - pin: the PIN.
    ///   - account: the account.
    ///   - keyIndex: the PIN verification key index (PVKI), 0 to 9.
    /// - Returns: 4 digits.
    /// - Throws: ``CryptographyError`` with code `value` for another index, `algorithm` if the key is not for triple
    ///   DES, `library`.
    public borrowing func pinVerificationValue(
        of pin: PIN, account: CardAccount, keyIndex: Int
    ) throws(CryptographyError) -> SecretText {
        try expect(\.isTripleDES, "triple DES")
        guard (0...9).contains(keyIndex) else {
            throw CryptographyError(.value, "the index of a PIN verification key is 0 to 9, not \(keyIndex)")
        }
        let block = SecretBytes(packing: 16) { index in
            switch index {
            case ..<11: account.digitBeforeCheck(10 - index)
            case 11: UInt8(keyIndex)
            default: pin.digit(index - 12)
            }
        }
        let encrypted = try block.withBytes { (block) throws(CryptographyError) in try encryptBlocks(block) }
        return encrypted.withBytes { SecretText(digits: $0, 4) }
    }

    /// The offset of IBM's 3624 method: the difference of each digit of a PIN and of the natural PIN, modulo 10. With
    /// it a customer can choose the PIN.
    /// - Parameters:
    ///   - pin: the PIN.
    ///   - account: the account.
    ///   - rule: the issuer's rule for natural PINs.
    /// - Returns: as many digits as the PIN has.
    /// - Throws: ``CryptographyError`` with code `account` if the account has not the digits that the rule takes,
    ///   `algorithm` if the key is not for triple DES, `library`.
    public borrowing func pinOffset(
        of pin: PIN, account: CardAccount, rule: NaturalPINRule
    ) throws(CryptographyError) -> SecretText {
        let natural = try naturalDigits(account, rule)
        return natural.withBytes { natural in
            SecretText(count: pin.count) { (10 + pin.digit($0) - natural[$0]) % 10 }
        }
    }

    /// The PIN of an offset by IBM's 3624 method.
    /// - Parameters:
    ///   - offset: the offset, 4 to 12 digits; zeros give the natural PIN.
    ///   - account: the account.
    ///   - rule: the issuer's rule for natural PINs.
    /// - Returns: a PIN with as many digits as the offset has.
    /// - Throws: ``CryptographyError`` with code `pin` if the offset is not 4 to 12 digits, `account` if the account
    ///   has not the digits that the rule takes, `algorithm` if the key is not for triple DES, `library`.
    public borrowing func pin(
        ofOffset offset: SecretText, account: CardAccount, rule: NaturalPINRule
    ) throws(CryptographyError) -> PIN {
        guard (4...12).contains(offset.count), offset.isDecimal else {
            throw CryptographyError(.pin, "an offset has 4 to 12 digits")
        }
        let natural = try naturalDigits(account, rule)
        let digits = natural.withBytes { natural in
            offset.withRevealedText { offset in
                SecretText(count: offset.count) { (natural[$0] + (offset[$0] & 15)) % 10 }
            }
        }
        return try PIN(digits)
    }

    /// Sixteen digits of which the natural PIN is the beginning.
    private borrowing func naturalDigits(
        _ account: CardAccount, _ rule: NaturalPINRule
    ) throws(CryptographyError) -> SecretBytes {
        try expect(\.isTripleDES, "triple DES")
        guard rule.accountDigits.upperBound <= account.count else {
            throw CryptographyError(
                .account, "the account number ends before digit \(rule.accountDigits.upperBound), which the rule takes")
        }
        let block = SecretBytes(packing: 16) { index in
            index < rule.accountDigits.count ? account.digit(rule.accountDigits.lowerBound + index) : rule.padding
        }
        let encrypted = try block.withBytes { (block) throws(CryptographyError) in try encryptBlocks(block) }
        return encrypted.withBytes { encrypted in
            SecretBytes(count: 16) { digits in
                for index in 0..<16 { digits[index] = rule.decimals[Int(encrypted.digit(index))] }
            }
        }
    }
}

/// An issuer's rule that makes natural PINs of account numbers (IBM 3624).
public struct NaturalPINRule: Sendable, Hashable {
    let accountDigits: Range<Int>
    let padding: UInt8
    let decimals: [UInt8]

    /// Creates a rule.
    /// - Parameters:
    ///   - accountDigits: the digits of the account number that are encrypted, the first one 0; at most 16.
    ///   - padding: the hexadecimal digit that fills them up to 16, 0 to 15.
    ///   - decimals: the decimalisation table: a decimal digit for each hexadecimal digit; 0 to 9, then 0 to 5, is the
    ///     usual one.
    /// - Throws: ``CryptographyError`` with code `value` if a value is out of its range.
    public init(
        accountDigits: Range<Int>, padding: UInt8, decimals: [UInt8] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5]
    ) throws(CryptographyError) {
        guard accountDigits.lowerBound >= 0, accountDigits.count <= 16, padding < 16, decimals.count == 16,
            decimals.allSatisfy({ $0 < 10 })
        else {
            throw CryptographyError(
                .value, "a rule takes up to 16 digits of the account, a hexadecimal digit and a table of 16 decimals")
        }
        self.accountDigits = accountDigits
        self.padding = padding
        self.decimals = decimals
    }
}

extension SecretText {
    /// The first decimal digits of an encrypted block.
    init(digits bytes: Span<UInt8>, _ count: Int) {
        self = bytes.decimalDigits(count, offset: 0x30).withBytes { SecretText(copying: $0) }
    }

    /// A text of decimal digits.
    fileprivate init(count: Int, _ digit: (Int) -> UInt8) {
        let text = SecretBytes(count: count) { text in
            for index in text.indices { text[index] = digit(index) | 0x30 }
        }
        self = text.withBytes { SecretText(copying: $0) }
    }
}
