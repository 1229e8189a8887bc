// The tags of contactless transactions that the contact kernel does not have (Books C-2 and C-3).

extension Tag {
    /// Application Capabilities Information of Mastercard; the amount that a Visa-style card can spend offline.
    static let capabilitiesOrAvailableAmount: Tag = 0x9F5D
    static let cardAuthenticationData: Tag = 0x9F69
    static let cardholderInteraction: Tag = 0xDF4B
    static let customerExclusiveData: Tag = 0x9F7C
    /// Form Factor Indicator of Visa; Third Party Data of Mastercard.
    static let formFactorOrThirdParty: Tag = 0x9F6E
    /// The list of the objects with which a torn transaction is recovered.
    static let recoveryList: Tag = 0x9F51
    static let trackTwo: Tag = 0x57
}
