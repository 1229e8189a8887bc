import JackdawCryptography
import JackdawSimulator

extension PaymentSetup {
    /// A virtual card in the simulated readers: a Visa-style card of the sandbox's issuer, without offline data
    /// authentication and without a PIN, so that each payment is decided by the issuer. Its stripe has the service code
    /// of one without a chip (101), so that it is taken at readers without a slot. Number and keys are published for tests
    /// (Visa ADVT).
    static let readyText = """
        {
          "name": "till",
          "atr": "3B6700004A41434B444157",
          "language": "en",
          "stripe": "4761739001010010D49121011234500000000F",
          "applications": [
            {
              "aid": "A0000000031010", "label": "VISA TEST", "priority": "01", "profile": "1C00", "format": 1,
              "records": [
                {"file": 1, "record": 1, "objects": {"57": "4761739001010010D49122011234500000000F"}},
                {
                  "file": 2, "record": 1,
                  "objects": {
                    "5A": "4761739001010010", "5F34": "01", "5F24": "491231", "5F25": "200101", "5F28": "0528",
                    "5F30": "0201", "9F07": "FF80", "9F08": "0096", "9F42": "0978", "9F44": "02",
                    "8C": "9F02069F03069F1A0295055F2A029A039C019F3704",
                    "8D": "8A029F02069F03069F1A0295055F2A029A039C019F3704", "8E": "00000000000000001F00",
                    "9F0D": "F850A4A000", "9F0E": "0000000000", "9F0F": "F850A4A000"
                  }
                }
              ],
              "cryptograms": {
                "scheme": "visa-10", "key_index": "01",
                "issuer_keys": {
                  "cryptogram": "2315208C9110AD402315208C9110AD40",
                  "integrity": "2315208C9110AD402315208C9110AD40",
                  "confidentiality": "2315208C9110AD402315208C9110AD40"
                }
              },
              "limits": {
                "online_above": 0, "decline_above": 500000, "consecutive_offline": 5, "new_card_online": false,
                "issuer_required": false
              }
            }
          ]
        }
        """

    /// The cardholder of the card, who inserts it after 0.3 s.
    static let readyPayerText = #"{"presents": ["insert"], "delays": {"card": 300, "pin": 300, "signature": 300}}"#

    /// The cardholder at a reader without a slot, who swipes the card until it is read.
    private static let swipingPayerText = #"{"presents": ["swipe"], "presentations": 10}"#

    /// The card, its cardholder, and the issuer inside this program, whose key for PINs the readers have.
    /// - Parameter isSwiped: whether the cardholder swipes the card. Default: false, it is inserted.
    /// - Returns: the setup of a payment.
    static func builtIn(isSwiped: Bool = false) -> PaymentSetup {
        do throws(SimulationFileError) {
            let payer = try SimulatedPayer(json: Array((isSwiped ? swipingPayerText : readyPayerText).utf8))
            return try PaymentSetup(
                "till", json: Array(readyText.utf8), payer: payer, issuer: .ready(), LibCryptoPrimitives(mode: .test)
            ) { _ in nil }
        } catch {
            preconditionFailure("the card inside the program is wrong: \(error)")
        }
    }
}
