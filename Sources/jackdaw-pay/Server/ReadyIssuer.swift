import JackdawCryptography
import JackdawSimulator

extension SimulatedIssuer {
    /// The content of `issuers/test.json`: an issuer of the virtual cards, with published test keys.
    static let readyText = """
        {
          "note": "An issuer of the cards of the folder cards. Its master keys are published for tests (Visa ADVT, \
        Mastercard M/TIP), and so is the key for PINs (X9.24-1). Amounts from 51.00 to 51.99 ask for a reaction.",
          "name": "test",
          "currency": "0978",
          "delay": 800,
          "pin_key": "0123456789ABCDEFFEDCBA9876543210",
          "limits": {"amount": 500000, "refer_above": 150000},
          "keys": [
            {
              "aid": "A000000003",
              "prefix": "476173",
              "cryptogram": "2315208C9110AD402315208C9110AD40",
              "integrity": "2315208C9110AD402315208C9110AD40",
              "confidentiality": "2315208C9110AD402315208C9110AD40"
            },
            {
              "aid": "A000000004",
              "prefix": "541333",
              "cryptogram": "9E15204313F7318ACB79B90BD986AD29",
              "integrity": "4664942FE615FB02E5D57F292AA2B3B6",
              "confidentiality": "CE293B8CC12A977379EF256D76109492"
            }
          ],
          "accounts": [
            {"number": "4761739001010010", "pin": "1234", "available": 200000},
            {"number": "5413330089020011", "pin": "4315", "available": 200000}
          ],
          "rules": [
            {"from": 5101, "to": 5101, "decision": "refer"},
            {"from": 5105, "to": 5105, "decision": "decline"},
            {"from": 5141, "to": 5141, "authentication": "wrong"},
            {"from": 5142, "to": 5142, "authentication": "none"},
            {
              "from": 5172, "to": 5172,
              "scripts": [{"template": "72", "identifier": "00000001", "commands": [{"command": \
        "block_application"}]}]
            },
            {"from": 5195, "to": 5195, "delay": 60000},
            {"from": 5196, "to": 5196, "delivery": "silent"},
            {"from": 5197, "to": 5197, "delivery": "lost"},
            {"from": 5198, "to": 5198, "delivery": "unreachable"},
            {"from": 5199, "to": 5199, "delivery": "unreadable"}
          ]
        }
        """

    /// Reads an issuer from its file, or takes that of ``readyText``.
    /// - Throws: `SimulationFileError` with the place and the reason.
    static func ready(_ file: [UInt8]? = nil) throws(SimulationFileError) -> SimulatedIssuer {
        try SimulatedIssuer(json: file ?? Array(readyText.utf8), LibCryptoPrimitives(mode: .test))
    }
}
