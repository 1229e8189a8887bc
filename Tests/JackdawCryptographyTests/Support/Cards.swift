import JackdawCards
import JackdawCryptography
import JackdawTestSupport

extension SecretText {
    /// A text of characters.
    init(_ text: String) {
        let characters = Array(text.utf8)
        self.init(copying: characters.span)
    }
}

extension CardAccount {
    /// An account of digits.
    init(_ number: String, sequence: String = "00") throws {
        try self.init(number: SecretText(number), sequenceNumber: UInt8(sequence) ?? 100)
    }
}

extension PIN {
    /// A PIN of digits.
    init(_ digits: String) throws { try self.init(SecretText(digits)) }

    var revealed: String {
        withRevealedDigits { digits in String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self) }
    }
}

/// The master keys of an issuer, of hexadecimal digits.
func masterKeys(_ cryptogram: String, _ integrity: String, _ confidentiality: String) throws -> MasterKeys {
    try MasterKeys(
        cryptogram: CipherKey(cryptogram, .tripleDES2), integrity: CipherKey(integrity, .tripleDES2),
        confidentiality: CipherKey(confidentiality, .tripleDES2))
}
