public import JackdawEMV

extension TillSettings {
    /// The till of the decks: a terminal with an attendant in the Netherlands that takes Visa- and Mastercard-style
    /// cards by contact, tap and stripe. It is a profile for tests; docs/deck.md lists its values.
    ///
    /// The Terminal Action Codes are those that public configurations of terminals have for the two schemes. The limits
    /// are this project's.
    /// - Parameter keys: the keys of the certification authorities.
    /// - Returns: the settings.
    public static func decks(_ keys: AuthenticationKeys) -> TillSettings {
        TillSettings(applications: [
            application(
                [0xA0, 0, 0, 0, 0x03], version: [0x00, 0x96], keys,
                ActionCodes(
                    denial: TerminalVerificationResults(rawValue: 0x00_1000_0000),
                    online: TerminalVerificationResults(rawValue: 0xDC_4004_F800),
                    default: TerminalVerificationResults(rawValue: 0xDC_4000_A800))),
            application(
                [0xA0, 0, 0, 0, 0x04], version: [0x00, 0x02], keys,
                ActionCodes(
                    denial: [], online: TerminalVerificationResults(rawValue: 0xFC_50BC_F800),
                    default: TerminalVerificationResults(rawValue: 0xFC_50BC_A000))),
        ])
    }

    private static func application(
        _ name: [UInt8], version: [UInt8], _ keys: AuthenticationKeys, _ codes: ActionCodes
    ) -> TerminalApplication {
        guard let application = try? SupportedApplication(name, allowsPartialName: true) else {
            preconditionFailure("a name has 5 to 16 octets")
        }
        var configuration = KernelConfiguration(
            type: TerminalType(rawValue: 0x22), capabilities: TerminalCapabilities(rawValue: 0xE0F8C8),
            additionalCapabilities: AdditionalTerminalCapabilities(rawValue: 0xF0_00F0_F001), country: [0x05, 0x28],
            applicationVersion: version)
        configuration.actionCodes = codes
        configuration.limits = RiskLimits(floorLimit: 10_000)
        configuration.keys = keys
        return TerminalApplication(application, configuration, contactless: contactless)
    }

    /// Contactless: the cardholder is verified from 50.00 on (Visa) or above it (Mastercard), above 50.00 the issuer
    /// decides, and from 500.00 on the card must be inserted.
    private static var contactless: ContactlessProfile {
        var profile = ContactlessProfile()
        profile.limits.qualifiers = [
            .emvSupported, .contactChipSupported, .onlinePINSupported, .signatureSupported, .cdcvmSupported,
        ]
        profile.limits.contactlessFloorLimit = 5_000
        profile.limits.verificationLimit = 5_000
        profile.limits.transactionLimit = 50_000
        profile.mastercard.floorLimit = 5_000
        profile.mastercard.verificationLimit = 5_000
        profile.mastercard.requiredMethods = [.encipheredPINOnline, .signature]
        profile.mastercard.ordinaryMethods = .noCVM
        profile.mastercard.allowsOnDeviceVerification = true
        return profile
    }
}
