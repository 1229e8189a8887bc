// The tags of offline data authentication (EMV Book 2, sections 5 to 7).

extension Tag {
    static let authorityKeyIndex: Tag = 0x8F
    static let dataAuthenticationCode: Tag = 0x9F45
    static let dynamicNumber: Tag = 0x9F4C
    static let issuerCertificate: Tag = 0x90
    static let issuerExponent: Tag = 0x9F32
    static let issuerRemainder: Tag = 0x92
    static let cardCertificate: Tag = 0x9F46
    static let cardExponent: Tag = 0x9F47
    static let cardRemainder: Tag = 0x9F48
    static let pinCertificate: Tag = 0x9F2D
    static let pinExponent: Tag = 0x9F2E
    static let pinRemainder: Tag = 0x9F2F
    static let signedDynamicApplicationData: Tag = 0x9F4B
    static let signedStaticApplicationData: Tag = 0x93
    static let staticDataTagList: Tag = 0x9F4A
    static let account: Tag = 0x5A
}
