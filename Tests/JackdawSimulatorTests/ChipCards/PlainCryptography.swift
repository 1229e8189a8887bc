import JackdawEMV
import JackdawSimulator
import JackdawTestSupport

/// Calculations that protect nothing: a code is the counter and the number of octets that it covers, and the private
/// operation inverts every bit but those of the first octet.
struct PlainCryptography: ChipCardCryptography {
    struct Cipher: ChipCardCipher {
        var usesPublishedTestKeys = true

        func cryptogram(terminalData: [UInt8], profile: [UInt8], counter: UInt16, cardData: [UInt8]) -> [UInt8]? {
            [0xAC, UInt8(terminalData.count), UInt8(profile.count), UInt8(cardData.count), 0, 0]
                + [UInt8(counter >> 8), UInt8(counter & 0xFF)]
        }

        func isAuthentic(_ data: [UInt8], for transaction: ChipCardTransaction) -> Bool {
            data.starts(with: transaction.cryptogram)
        }

        func commandMAC(
            header: [UInt8], data: [UInt8], in transaction: ChipCardTransaction, number: Int
        ) -> [UInt8]? {
            [UInt8](repeating: UInt8(data.count), count: 8)
        }

        func newPIN(
            in data: [UInt8], current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
        ) -> SecretOctets? {
            data.count == 8 ? SecretOctets(Array("5678".utf8)) : nil
        }
    }

    var usesPublishedTestKeys = true

    func cipher(for keys: ChipCardKeys) throws(ChipCardKeyError) -> Cipher {
        guard keys.cryptogram.count == 16 else { throw ChipCardKeyError("a key has 16 octets") }
        return Cipher(usesPublishedTestKeys: usesPublishedTestKeys)
    }

    func applyPrivate(_ key: RSAKeyPair, to block: SecretOctets) -> SecretOctets? {
        guard block.count == key.publicKey.modulus.count, let first = block.octets.first else { return nil }
        return SecretOctets([first] + block.octets.dropFirst().map { ~$0 })
    }

    func recover(_ block: [UInt8], with key: RSAPublicKey) -> [UInt8]? {
        block.prefix(1) + block.dropFirst().map { ~$0 }
    }

    func sha1(_ bytes: [UInt8]) -> [UInt8] { [UInt8](repeating: UInt8(bytes.count & 0xFF), count: 20) }
}

/// The file of a card with `PlainCryptography`.
enum PlainCard {
    static let contactT0 = "3B6500004142434445"
    static let contactT1 = "3B810149C9"

    static let list = "9F02069F03069F1A0295055F2A029A039C019F3704"

    private static func key(_ octets: Int) -> String {
        """
        {"modulus": "\(String(repeating: "7F", count: octets))", "private_exponent": "03"}
        """
    }

    /// The second application.
    static let other = """
        {
          "aid": "A0000009990102", "label": "OTHER", "profile": "1000",
          "records": [
            {
              "file": 1, "record": 1,
              "objects": {"5A": "9999990000000022", "5F24": "301231", "8C": "\(list)", "8D": "8A02"}
            }
          ],
          "cryptograms": {
            "scheme": "visa-18",
            "card_keys": {
              "cryptogram": "00112233445566778899AABBCCDDEEFF", "integrity": "00112233445566778899AABBCCDDEEFF",
              "confidentiality": "00112233445566778899AABBCCDDEEFF"
            }
          }
        }
        """

    /// The text of the file. Its values can be replaced in the text.
    static let text = """
        {
          "note": "for tests", "atr": "\(contactT0)", "language": "en", "pin": {"digits": "1234", "tries": 2},
          "applications": [
            {
              "aid": "A0000009990101", "label": "PLAIN", "priority": "01", "control": {"9F38": "9F1A02"},
              "profile": "3D00", "format": 2,
              "records": [
                {"file": 1, "record": 1, "signed": true, "objects": {"5A": "9999990000000014", "5F24": "301231"}},
                {"file": 1, "record": 2, "objects": {"8C": "\(list)", "8D": "8A02910A\(list)", "8E": "00"}},
                {"file": 1, "record": 3, "signed": true, "objects": {"5F28": "0528"}},
                {"file": 1, "record": 5, "objects": {"8F": "made", "9F32": "made", "9F47": "made", "92": "made"}},
                {"file": 2, "record": 1, "objects": {"90": "made"}},
                {"file": 2, "record": 2, "objects": {"9F46": "made", "9F48": "made"}},
                {"file": 11, "record": 1, "objects": {"9F27": "40"}}
              ],
              "data": {"9F4F": "9F2701"},
              "cryptograms": {
                "scheme": "m-chip-17",
                "issuer_keys": {
                  "cryptogram": "00112233445566778899AABBCCDDEEFF", "integrity": "00112233445566778899AABBCCDDEEFF",
                  "confidentiality": "00112233445566778899AABBCCDDEEFF"
                }
              },
              "limits": {"online_above": 5000, "decline_above": 100000},
              "rsa": {"index": "77", "authority": \(key(112)), "issuer": \(key(104)), "card": \(key(96))}
            },
            \(other)
          ]
        }
        """

    /// The card, with changes of its text; the first change of a text that occurs several times counts.
    static func card(_ changes: (String, String)..., isPublished: Bool = true) throws(SimulationFileError)
        -> VirtualCard
    {
        try card(changes, isPublished: isPublished)
    }

    static func card(_ changes: [(String, String)], isPublished: Bool = true) throws(SimulationFileError) -> VirtualCard
    {
        var text = text
        for (old, new) in changes {
            guard let range = text.firstRange(of: old) else { preconditionFailure("\(old) is not in the file") }
            text.replaceSubrange(range, with: new)
        }
        return try VirtualCard(json: Array(text.utf8), PlainCryptography(usesPublishedTestKeys: isPublished))
    }
}

extension VirtualCard {
    /// Sends a command of hexadecimal digits; returns the answer as such digits.
    mutating func send(_ command: String) -> String {
        let octets = hex(command)
        return receive(octets.span).octets.map { String(Int($0) + 256, radix: 16, uppercase: true).suffix(2) }.joined()
    }

    /// Sends commands, and returns the last answer.
    mutating func send(_ commands: [String]) -> String {
        commands.reduce("") { _, command in send(command) }
    }
}
