import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// Simulated tills with calculations that protect nothing.
enum PlainTill {
    /// A till with the card of `PlainCard`, changed and after some commands, the issuer of `PlainIssuer` without its limits,
    /// and the cardholder of a file.
    static func till(
        _ payer: String, card: [(String, String)] = [], after commands: [String] = []
    ) throws -> SimulatedTill<PlainCryptography> {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0002"))
        configuration.limits = RiskLimits(floorLimit: 1)
        let application = try SupportedApplication(hex("A000000999"), allowsPartialName: true)
        let transaction = KernelTransaction(
            amount: 6000, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
        let text = card.reduce(PlainCard.text) { $0.replacing($1.0, with: $1.1) }
        var inserted = try VirtualCard(json: Array(text.utf8), PlainCryptography())
        _ = inserted.powerOn()
        _ = inserted.send(commands)
        return try SimulatedTill(
            TillSettings(applications: [TerminalApplication(application, configuration)]), reference: "1", transaction,
            card: inserted, payer: SimulatedPayer(json: Array(payer.utf8)),
            issuer: PlainIssuer.issuer([("\"limits\": {\"amount\": 90000, \"refer_above\": 40000},", "")]),
            PlainCryptography())
    }
}

extension SimulatedTill {
    /// The events that the payment received.
    var events: [PaymentEvent] {
        log.compactMap { if case .event(let event) = $0.content { event } else { nil } }
    }
}
