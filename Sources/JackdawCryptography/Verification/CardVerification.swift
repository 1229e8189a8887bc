public import JackdawCards

/// Verification values of cards, which are on the stripe, on the card's face or in its chip.
extension CipherKey {
    /// The card verification value (CVV, CVC, CVV2, CVC2, iCVV): the same calculation with different inputs.
    /// - Parameters:
    ///   - account: the account.
    ///   - expiry: the expiry date, 4 digits, in the order that the scheme uses: on the stripe year and month.
    ///   - serviceCode: 3 digits: of the stripe for CVV, `000` for CVV2, `999` for iCVV.
    /// - Returns: 3 digits.
    /// - Throws: ``CryptographyError`` with code `value` if expiry or service code are something else, `algorithm` if
    ///   the key is not for triple DES with 16 bytes, `library`.
    public borrowing func cardVerificationValue(
        of account: CardAccount, expiry: String, serviceCode: String
    ) throws(CryptographyError) -> SecretText {
        try expect({ $0 == .tripleDES2 }, "triple DES of 16 bytes")
        let suffix = Array((expiry + serviceCode).utf8)
        guard expiry.utf8.count == 4, serviceCode.utf8.count == 3, suffix.allSatisfy({ (0x30...0x39).contains($0) })
        else { throw CryptographyError(.value, "an expiry date has 4 digits, and a service code 3") }
        let message = SecretBytes(packing: 32) { index in
            let place = index - account.count
            return place < 0 ? account.digit(index) : place < suffix.count ? suffix[place] & 15 : 0
        }
        // The retail MAC without padding.
        let first = try message.withBytes { (message) throws(CryptographyError) in
            try half(0).encryptBlocks(message.extracting(first: 8))
        }
        let mixed = message.withBytes { first.xor($0.extracting(last: 8)) }
        let encrypted = try mixed.withBytes { (mixed) throws(CryptographyError) in try encryptBlocks(mixed) }
        return encrypted.withBytes { SecretText(digits: $0, 3) }
    }

    /// The dynamic verification code (CVC3) of a contactless card in magnetic stripe mode, with the card's CVC3 key.
    /// - Parameters:
    ///   - template: the track data that the code protects, as the issuer's template has them.
    ///   - counter: the application transaction counter (tag 9F36).
    ///   - unpredictableNumber: the terminal's number, 4 bytes (tag 9F6A).
    /// - Returns: the code, 0 to 65,535; the track has its last decimal digits.
    /// - Throws: ``CryptographyError`` with code `length`, `algorithm` if the key is not for triple DES with 16 bytes,
    ///   `library`.
    public borrowing func dynamicVerificationCode(
        ofTrack template: Span<UInt8>, counter: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptographyError) -> UInt16 {
        try Self.check(unpredictableNumber, 4, "an unpredictable number")
        let vector = try retailMAC(of: template, padding: .mark).suffix(2)
        let block = vector + unpredictableNumber + [UInt8(counter >> 8), UInt8(counter & 255)]
        return try encryptBlocks(block.span).withBytes { UInt16($0[6]) << 8 | UInt16($0[7]) }
    }
}
