import JackdawBytes
import JackdawCards
import JackdawEMV
import JackdawSimulator

/// The cards of a run, with their counters, and the simulated issuer of all of them. Numbers and keys are for tests.
struct SoakCards {
    /// The cards that are in no reader, by their numbers.
    private var cards: [VirtualCard?]

    static let count = 6

    init() { cards = (0..<Self.count).map { Self.card($0) } }

    /// Takes a card, the first free one from a number on; nil if all are in use.
    mutating func take(from number: Int) -> (number: Int, card: VirtualCard)? {
        for step in 0..<Self.count {
            let number = (number + step) % Self.count
            guard let card = cards[number] else { continue }
            cards[number] = nil
            return (number, card)
        }
        return nil
    }

    mutating func giveBack(_ card: VirtualCard, _ number: Int) {
        var card = card
        card.powerOff()
        cards[number] = card
    }

    // MARK: descriptions of cards, issuer and customers

    private static let keys = """
        "cryptogram": "00112233445566778899AABBCCDDEEFF", "integrity": "00112233445566778899AABBCCDDEEFF", \
        "confidentiality": "00112233445566778899AABBCCDDEEFF"
        """

    /// The account number of a card: the prefix 999999 is for tests.
    private static func account(_ number: Int) -> String {
        let digits = "99999900000000\(number)"
        return digits + "\(Luhn.checkDigit(of: Array(digits.utf8).span) ?? 0)"
    }

    /// The stripe of a card, as in tag 57. Its service code begins with 1: the card has no chip.
    static func stripe(_ number: Int) -> SecretOctets {
        let digits = Array("\(account(number))D30121011234500000".padded.utf8)
        return SecretOctets(stride(from: 0, to: digits.count, by: 2).compactMap { digits.span.byte(at: $0) })
    }

    /// A card without offline data authentication. It asks for a signature above 50.00, declines above 800.00, and goes
    /// online after five payments without the issuer.
    private static func card(_ number: Int) -> VirtualCard {
        let account = account(number)
        let text = """
            {
              "atr": "3B6700004A41434B444157",
              "applications": [
                {
                  "aid": "A0000000031010", "label": "SOAK", "priority": "01", "profile": "1C00", "format": 1,
                  "records": [
                    {"file": 1, "record": 1, "objects": {"57": "\("\(account)D30121011234500000".padded)"}},
                    {
                      "file": 2, "record": 1,
                      "objects": {
                        "5A": "\(account.padded)", "5F34": "01", "5F24": "301231", "5F25": "200101", "5F28": "0528",
                        "5F30": "0201", "9F07": "FF80", "9F08": "0096", "9F42": "0978", "9F44": "02",
                        "8C": "9F02069F03069F1A0295055F2A029A039C019F3704",
                        "8D": "8A029F02069F03069F1A0295055F2A029A039C019F3704", "8E": "00001388000000001E071F00",
                        "9F0D": "0000000000", "9F0E": "0000000000", "9F0F": "0000000000"
                      }
                    }
                  ],
                  "cryptograms": {"scheme": "visa-10", "key_index": "01", "issuer_keys": {\(keys)}},
                  "limits": {
                    "online_above": 5000, "decline_above": 80000, "consecutive_offline": 5, "new_card_online": false,
                    "issuer_required": false
                  }
                }
              ]
            }
            """
        do throws(SimulationFileError) {
            return try VirtualCard(json: Array(text.utf8), SoakCryptography(), seed: UInt64(number + 1))
        } catch { preconditionFailure("the card inside the module is wrong: \(error)") }
    }

    /// The simulated issuer of all cards.
    static func issuer() -> SimulatedIssuer {
        let accounts = (0..<count).map { "{\"number\": \"\(account($0))\"}" }.joined(separator: ", ")
        let text = """
            {
              "currency": "0978", "delay": 400, "limits": {"amount": 90000},
              "keys": [{"aid": "A000000003", "prefix": "999999", \(keys)}],
              "accounts": [\(accounts)],
              "rules": [
                {"from": 5101, "to": 5101, "decision": "refer"}, {"from": 5105, "to": 5105, "decision": "decline"}
              ]
            }
            """
        do throws(SimulationFileError) {
            return try SimulatedIssuer(json: Array(text.utf8), SoakCryptography())
        } catch { preconditionFailure("the issuer inside the module is wrong: \(error)") }
    }

    /// The customer of a sale.
    static func payer(_ sale: SoakSale) -> SimulatedPayer {
        var random = SplitMix(seed: sale.seed ^ 0xCA4D)
        let delays = "{\"card\": \(500 + random.below(8000)), \"signature\": \(1000 + random.below(9000))}"
        let removal = sale.removal.map { ", \"removal\": {\"after_exchange\": \($0), \"delay\": \(random.below(400))}" }
        let signature = sale.signsWrongly ? (random.happens(50) ? "wrong" : "refused") : "right"
        let text = """
            {"presents": ["insert"], "delays": \(delays), "signature": "\(signature)"\(removal ?? "")}
            """
        do throws(SimulationFileError) { return try SimulatedPayer(json: Array(text.utf8)) } catch {
            preconditionFailure("the payer inside the module is wrong: \(error)")
        }
    }

    /// The till of the decks, which lets a card approve up to the floor limit without the issuer, and also if the host cannot
    /// be reached: the desk has the limits.
    static func settings(isOfflineAllowed: Bool, seed: UInt64) -> TillSettings {
        var settings = TillSettings.decks(AuthenticationKeys())
        settings.seed = seed
        for index in settings.applications.indices {
            // Floor limit exceeded, merchant forced online (EMV Book 3, annex C5).
            settings.applications[index].configuration.actionCodes = ActionCodes(
                denial: [], online: TerminalVerificationResults(rawValue: 0x00_0000_8800), default: [])
            settings.applications[index].configuration.limits = RiskLimits(floorLimit: isOfflineAllowed ? 2_000 : 0)
        }
        return settings
    }
}

extension String {
    /// The digits with an F at the end if their number is odd.
    fileprivate var padded: String { utf8.count.isMultiple(of: 2) ? self : self + "F" }
}
