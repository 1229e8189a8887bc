import JackdawEMV
import JackdawSimulator
import JackdawTestSupport

/// The issuer's side of calculations that protect nothing: an answer is the cryptogram, then the issuer's answer.
extension PlainCryptography: IssuerCryptography {
    func pinBlock(of pin: SecretOctets, key: SecretOctets, account: SecretOctets) -> [UInt8]? {
        pin.octets + [UInt8](repeating: 0xFF, count: max(0, 8 - pin.count))
    }

    func pin(ofBlock block: [UInt8], key: SecretOctets, account: SecretOctets) -> SecretOctets? {
        SecretOctets(block.filter { $0 != 0xFF })
    }

    func isPublishedTestKey(_ key: SecretOctets) -> Bool { usesPublishedTestKeys }
}

extension PlainCryptography.Cipher: IssuerCipher {
    func authenticationData(for transaction: ChipCardTransaction, answer: [UInt8]) -> [UInt8]? {
        transaction.cryptogram + answer
    }

    func newPINData(
        _ pin: SecretOctets, current: SecretOctets?, _ transaction: ChipCardTransaction, number: Int
    ) -> [UInt8]? {
        [UInt8](repeating: UInt8(number), count: 8)
    }
}

/// The file of an issuer with `PlainCryptography`, and messages to it.
enum PlainIssuer {
    private static let keys = """
        "cryptogram": "00112233445566778899AABBCCDDEEFF", "integrity": "00112233445566778899AABBCCDDEEFF",
        "confidentiality": "00112233445566778899AABBCCDDEEFF"
        """

    /// The text of the file. Its values can be replaced in the text.
    static let text = """
        {
          "note": "for tests", "name": "plain", "currency": "0978", "delay": 500,
          "pin_key": "00112233445566778899AABBCCDDEEFF",
          "limits": {"amount": 90000, "refer_above": 40000},
          "keys": [{"aid": "A000000999", "prefix": "9999990000", \(keys)}],
          "accounts": [
            {"number": "9999990000000014", "pin": "1234", "tries": 2, "available": 50000},
            {"number": "9999990000000022", "status": "stolen"}
          ],
          "rules": []
        }
        """

    /// The issuer, with changes of its text; the first change of a text that occurs several times counts.
    static func issuer(
        _ changes: [(String, String)] = [], isPublished: Bool = true, seed: UInt64 = 1
    ) throws(SimulationFileError) -> SimulatedIssuer {
        var text = text
        for (old, new) in changes {
            guard let range = text.firstRange(of: old) else { preconditionFailure("\(old) is not in the file") }
            text.replaceSubrange(range, with: new)
        }
        return try SimulatedIssuer(
            json: Array(text.utf8), PlainCryptography(usesPublishedTestKeys: isPublished), seed: seed)
    }

    static func issuer(rules: String) throws(SimulationFileError) -> SimulatedIssuer {
        try issuer([("\"rules\": []", "\"rules\": [\(rules)]")])
    }

    /// The objects of an authorisation by a Visa-style card with cryptogram version 10.
    static func objects(
        _ amount: String = "000000001000", account: String = "9999990000000014", counter: String = "0001",
        type: String = "80", changes: [Tag: String?] = [:]
    ) -> DataObjectStore {
        var values: [Tag: String?] = [
            0x9F02: amount, 0x9F03: "000000000000", 0x9F1A: "0528", 0x95: "0000000000", 0x5F2A: "0978", 0x9A: "260115",
            0x9C: "00", 0x9F37: "01020304", 0x82: "3C00", 0x9F36: counter, 0x9F27: type, 0x9F10: "06010A03A00000",
            0x9F26: "AC1D02040000" + counter, 0x5A: account, 0x84: "A0000009990101",
        ]
        for (tag, value) in changes { values.updateValue(value, forKey: tag) }
        var objects = DataObjectStore()
        for (tag, value) in values { objects[tag] = value.map { hex($0) } }
        return objects
    }
}

extension SimulatedIssuer {
    /// Sends a message at the time 0, and returns the reply; nil if none comes.
    mutating func send(_ reference: String, _ content: IssuerRequest.Content) -> IssuerReply? {
        if case .replies(let reply, _) = receive(IssuerRequest(reference: reference, content), at: .zero) {
            reply
        } else {
            nil
        }
    }

    /// Asks for a decision.
    mutating func authorise(
        _ reference: String, _ objects: DataObjectStore, pinBlock: [UInt8]? = nil
    ) -> IssuerDecision? {
        if case .decision(let decision)? = send(reference, .authorisation(objects, pinBlock: pinBlock)) {
            decision
        } else {
            nil
        }
    }
}

extension IssuerReply {
    /// A short name: `accepted`, `refused not_approved`, `approved`, ...
    var name: String {
        switch self {
        case .decision(let decision): decision.verdict.rawValue
        case .accepted: "accepted"
        case .refused(let refusal): "refused \(refusal.rawValue)"
        case .unreadable: "unreadable"
        }
    }
}
