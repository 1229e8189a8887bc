import JackdawCryptography
import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The parts of a payment at a simulated reader with a kernel: the card, the cardholder, the terminal and the issuer,
/// with the files of `cards`, `payers` and `issuers`.
struct TerminalParts {
    let settings: TillSettings
    let card: VirtualCard
    let payer: SimulatedPayer
    let issuer: SimulatedIssuer
    let transaction: KernelTransaction
    let primitives = LibCryptoPrimitives(mode: .test)

    /// The parts for an amount in minor units of EUR, with the payer's file, if it is not that of the card, and with
    /// changes of the card's file.
    init(_ file: ChipCardFile, amount: UInt64, payer: String? = nil, card changes: [String: String] = [:]) throws {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex(file == .visa ? "0096" : "0002"))
        configuration.limits = RiskLimits(floorLimit: 10_000)
        configuration.keys = AuthenticationKeys([try file.authority])
        let application = try SupportedApplication(Array(file.name.prefix(5)), allowsPartialName: true)
        settings = TillSettings(applications: [TerminalApplication(application, configuration)])
        card = try file.card(changes)
        self.payer = try SimulatedPayer(json: Array((payer ?? IssuerFile.payer(file.rawValue)).utf8))
        issuer = try SimulatedIssuer(json: Array(IssuerFile.text.utf8), LibCryptoPrimitives(mode: .test))
        transaction = KernelTransaction(
            amount: amount, currency: hex("0978"), type: .purchase,
            date: try #require(CardDate(year: 2026, month: 1, day: 15)))
    }

    /// Enciphers PINs with the issuer's key.
    var pinCipher: @Sendable (SecretOctets, DataObjectStore) -> [UInt8]? {
        { [issuer] pin, objects in issuer.pinBlock(of: pin, for: objects) }
    }
}
