#if Payments
import Foundation
import JackdawCryptography
import JackdawEMV
import JackdawReaders
import JackdawSimulator
import JackdawSoak

/// Cards of the deck in simulated readers.
struct CardFiles: Sendable {
    /// The folder with `cards`, `issuers` and `payers`.
    let folder: String
    /// The counter of the first card, so that no two payments have the same cryptogram.
    let counter: Int

    private static let cryptography = LibCryptoPrimitives(mode: .test)

    /// Track 2 of a card without a chip, as in tag 57: the service code begins with 1 (`cards/deck/stripe-only.json`).
    private static let stripe: [UInt8] = [
        0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x00, 0x10, 0xD3, 0x01, 0x21, 0x01, 0x12, 0x34, 0x50, 0x00, 0x00, 0x00,
        0x0F,
    ]

    /// Puts a card into a reader.
    /// - Parameters:
    ///   - means: the card and the reader.
    ///   - number: the number of the payment in this run, from 0.
    ///   - amount: minor units of EUR.
    ///   - isOfflineAllowed: whether the card may approve without the host.
    /// - Returns: the reader, in which the customer presents the card at once.
    /// - Throws: `SimulationFileError` if the card's file is wrong.
    func station(
        _ means: Means, number: Int, amount: UInt64, isOfflineAllowed: Bool
    ) throws(SimulationFileError) -> any Station {
        guard let date = CardDate(year: 2026, month: 1, day: 15) else { preconditionFailure("not a date") }
        var transaction = KernelTransaction(amount: amount, currency: [0x09, 0x78], type: .purchase, date: date)
        transaction.isOnlineForced = !isOfflineAllowed
        guard means.reader != .stripe else {
            let stripe = transaction.objects(ofStripe: SecretOctets(Self.stripe))
            return SwipeStation(stripe, preparation: .milliseconds(5), delay: .milliseconds(5))
        }
        let setup = try setup(means, number)
        var settings = TillSettings.decks(AuthenticationKeys(setup.authorities))
        settings.preparation = .milliseconds(5)
        settings.exchange = .milliseconds(1)
        settings.seed = UInt64(counter + number)
        if means.reader == .tap { return TapStation(setup.card, settings, transaction) }
        let parts = ReaderTillParts(
            settings: settings, reference: "kills", transaction: transaction, card: setup.card, payer: setup.payer,
            issuer: setup.issuer)
        return switch means.reader {
        case .posmate:
            ReaderStation(
                EPOSPayment(transaction, ReaderTillParts.eposValues), transaction, parts.posmate(Self.cryptography),
                ReaderTillParts.eposValues.wire.format, [])
        case .emvswiper:
            ReaderStation(
                BBPOSPayment(transaction, ReaderTillParts.bbposValues), transaction, parts.emvswiper(Self.cryptography),
                ReaderTillParts.bbposValues.wire.format, [])
        case .miura, .tap, .stripe:
            ReaderStation(
                MiuraPayment(transaction), transaction, parts.miura(Self.cryptography), MiuraFormat(.answer), [])
        }
    }

    private func setup(_ means: Means, _ number: Int) throws(SimulationFileError) -> PaymentSetup {
        let changes = means.changes.isEmpty ? "" : ", \(means.changes)"
        // The card has been online just before: only its limits send it there.
        let card = """
            {
              "base": "\(means.card)",
              "changes": {
                "applications[0].counter": \(counter + number), "applications[0].last_online": \(counter + number)\(changes)
              }
            }
            """
        let payer = """
            {"pin": {"digits": "\(means.pin)"}\(means.payer.isEmpty ? "" : ", \(means.payer)")}
            """
        return try PaymentSetup(
            "card", json: Array(card.utf8), payer: SimulatedPayer(json: Array(payer.utf8)), Self.cryptography
        ) { file in
            let paths =
                switch file {
                case .card(let name): ["cards/\(name).json", "cards/deck/\(name).json"]
                case .issuer(let name): ["issuers/\(name).json"]
                case .payer(let name): ["payers/\(name).json"]
                }
            for path in paths {
                if let data = FileManager.default.contents(atPath: "\(folder)/\(path)") { return Array(data) }
            }
            return nil
        }
    }
}
#endif
