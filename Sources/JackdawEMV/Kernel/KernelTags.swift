// The tags that the kernel reads and writes (EMV Book 3, annex A).

extension Tag {
    // The terminal and the transaction.
    static let amountAuthorised: Tag = 0x9F02
    static let amountOther: Tag = 0x9F03
    static let amountAuthorisedBinary: Tag = 0x81
    static let amountOtherBinary: Tag = 0x9F04
    static let authorisationResponseCode: Tag = 0x8A
    static let currency: Tag = 0x5F2A
    static let currencyExponent: Tag = 0x5F36
    static let cvmResults: Tag = 0x9F34
    static let floorLimit: Tag = 0x9F1B
    static let issuerAuthenticationData: Tag = 0x91
    static let issuerScriptResults: Tag = 0x9F5B
    static let sequenceCounter: Tag = 0x9F41
    static let terminalApplicationVersion: Tag = 0x9F09
    static let terminalCountry: Tag = 0x9F1A
    static let terminalType: Tag = 0x9F35
    static let transactionCertificateHash: Tag = 0x98
    static let transactionDate: Tag = 0x9A
    static let transactionTime: Tag = 0x9F21
    static let transactionType: Tag = 0x9C
    static let unpredictableNumber: Tag = 0x9F37

    // The application of the card.
    static let accountNumber: Tag = 0x5A
    static let applicationCurrency: Tag = 0x9F42
    static let applicationEffective: Tag = 0x5F25
    static let applicationExpiration: Tag = 0x5F24
    static let applicationFileLocator: Tag = 0x94
    static let applicationVersion: Tag = 0x9F08
    static let cdol1: Tag = 0x8C
    static let cdol2: Tag = 0x8D
    static let cvmList: Tag = 0x8E
    static let ddol: Tag = 0x9F49
    static let dedicatedFileName: Tag = 0x84
    static let issuerActionDefault: Tag = 0x9F0D
    static let issuerActionDenial: Tag = 0x9F0E
    static let issuerActionOnline: Tag = 0x9F0F
    static let issuerCountry: Tag = 0x5F28
    static let lastOnlineCounter: Tag = 0x9F13
    static let lowerConsecutiveLimit: Tag = 0x9F14
    static let pdol: Tag = 0x9F38
    static let pinTryCounter: Tag = 0x9F17
    static let tdol: Tag = 0x97
    static let transactionCounter: Tag = 0x9F36
    static let upperConsecutiveLimit: Tag = 0x9F23

    // The cryptogram of the card.
    static let cryptogram: Tag = 0x9F26
    static let cryptogramInformation: Tag = 0x9F27
    static let issuerApplicationData: Tag = 0x9F10

    // Templates of answers and records.
    static let responseFormat1: Tag = 0x80
    static let responseFormat2: Tag = 0x77
    static let recordTemplate: Tag = 0x70
}
