import JackdawEMV
import JackdawSimulator
import JackdawTestSupport
import Testing

/// The parts of simulated readers with a kernel and calculations that protect nothing.
enum PlainTerminal {
    /// A terminal for the card of `PlainCard`, with a floor limit of one cent.
    static func settings() throws -> TillSettings {
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: try #require(TerminalCapabilities(hex("E0F8C8"))),
            additionalCapabilities: try #require(AdditionalTerminalCapabilities(hex("F000F0F001"))),
            country: hex("0528"), applicationVersion: hex("0002"))
        configuration.limits = RiskLimits(floorLimit: 1)
        // An amount above the floor limit goes to the issuer.
        configuration.actionCodes.online = TerminalVerificationResults(rawValue: 0x00_0000_8000)
        let application = try SupportedApplication(hex("A000000999"), allowsPartialName: true)
        return TillSettings(applications: [TerminalApplication(application, configuration)])
    }

    /// The change of the card's file that leaves it one application.
    static let oneApplication = ("\"A0000009990102\"", "\"A0000008880102\"")
    /// The change with which it verifies no cardholder.
    static let noVerification = ("\"8E\": \"00\"", "\"8E\": \"00000000000000001F00\"")

    static func payer(_ file: String) throws -> SimulatedPayer { try SimulatedPayer(json: Array(file.utf8)) }

    /// The digits of the PIN, and four octets.
    static let pinCipher: @Sendable (SecretOctets, DataObjectStore) -> [UInt8]? = { pin, _ in
        pin.octets + hex("FFFFFFFF")
    }
}
