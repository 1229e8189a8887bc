import JackdawEMV
import JackdawSandbox

/// Calculations of card and issuer that protect nothing, and take no time: a cryptogram is a mix of what it covers, so that
/// the issuer refuses one that is not of the card. No card of the simulation has certificates.
struct SoakCryptography: IssuerCryptography {
    struct Cipher: IssuerCipher {
        let usesPublishedTestKeys = true

        func cryptogram(terminalData: [UInt8], profile: [UInt8], counter: UInt16, cardData: [UInt8]) -> [UInt8]? {
            SoakCryptography.mix(
                terminalData + profile + [UInt8(counter >> 8), UInt8(counter & 0xFF)] + cardData)
        }

        func isAuthentic(_ data: [UInt8], for transaction: ChipCardTransaction) -> Bool {
            guard data.count >= 10 else { return false }
            return SoakCryptography.mix(transaction.cryptogram + data[8...]) == Array(data[..<8])
        }

        func authenticationData(for transaction: ChipCardTransaction, answer: [UInt8]) -> [UInt8]? {
            SoakCryptography.mix(transaction.cryptogram + answer) + answer
        }

        func commandMAC(header: [UInt8], data: [UInt8], in transaction: ChipCardTransaction, number: Int) -> [UInt8]? {
            nil
        }

        func newPIN(
            in data: [UInt8], current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
        ) -> SecretOctets? { nil }

        func newPINData(
            _ pin: SecretOctets, current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
        ) -> [UInt8]? { nil }
    }

    func cipher(for keys: ChipCardKeys) throws(ChipCardKeyError) -> Cipher { Cipher() }
    func applyPrivate(_ key: RSAKeyPair, to block: SecretOctets) -> SecretOctets? { nil }
    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? { nil }
    func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: 0, count: 20) }
    func pinBlock(of pin: SecretOctets, key: SecretOctets, account: SecretOctets) -> [UInt8]? { nil }
    func pin(ofBlock block: [UInt8], key: SecretOctets, account: SecretOctets) -> SecretOctets? { nil }
    func isPublishedTestKey(_ key: SecretOctets) -> Bool { true }

    /// Eight octets of FNV-1a.
    private static func mix(_ octets: [UInt8]) -> [UInt8] {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for octet in octets { hash = (hash ^ UInt64(octet)) &* 0x100_0000_01B3 }
        return (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }
}

/// A hash of passwords that protects nothing: the password itself.
struct SoakHashing: PasswordHashing {
    func hash(_ password: SecretOctets, salt: [UInt8]) -> String {
        "plain:" + String(decoding: password.octets, as: UTF8.self)
    }

    func verify(_ password: SecretOctets, _ hash: String) -> Bool { hash == self.hash(password, salt: []) }
}
