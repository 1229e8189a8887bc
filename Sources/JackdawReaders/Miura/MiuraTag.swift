package import JackdawEMV

/// Data objects of MPI, and of EMV within it.
///
/// Source: Description.java of Miura's SDK for Android, in public repositories.
package enum MiuraTag {
    package static let cardStatus: Tag = 0x48
    package static let applicationLabel: Tag = 0x50
    static let answerToReset: Tag = 0x63
    package static let authorisationResponse: Tag = 0x8A
    package static let issuerAuthentication: Tag = 0x91
    package static let date: Tag = 0x9A
    package static let transactionKind: Tag = 0x9C
    package static let deviceStatus: Tag = 0xC3
    package static let statusText: Tag = 0xC4
    package static let commandData: Tag = 0xE0
    package static let response: Tag = 0xE1
    /// The host must choose an application.
    package static let decisionRequired: Tag = 0xE2
    package static let approved: Tag = 0xE3
    package static let onlineRequired: Tag = 0xE4
    package static let declined: Tag = 0xE5
    package static let statusChange: Tag = 0xE6
    static let softwareInformation: Tag = 0xEF
    package static let currency: Tag = 0x5F2A
    package static let amount: Tag = 0x9F02
    package static let otherAmount: Tag = 0x9F03
    /// The name of an application (AID), as the reader lists it.
    package static let application: Tag = 0x9F06
    static let serialNumber: Tag = 0x9F1E
    package static let time: Tag = 0x9F21
    package static let cvmResults: Tag = 0x9F34
    package static let sequenceCounter: Tag = 0x9F41
    static let identifier: Tag = 0xDF0D
    static let version: Tag = 0xDF7F
    /// The number of PIN digits: Miura's SDK has two tags for it.
    static let pinDigits: Set<Tag> = [enteredDigits, 0xDFA201]
    package static let enteredDigits: Tag = 0xDFA101
    /// The status of a PIN that is being entered: Miura's SDK has two tags for it, and its tests use the first.
    static let pinStatuses: Set<Tag> = [pinStatus, 0xDFA202]
    package static let pinStatus: Tag = 0xDFA102
    package static let riskManagement: Tag = 0xDFA203
    package static let applicationSelection: Tag = 0xDFA204
    static let key: Tag = 0xDFA205
    static let language: Tag = 0xDFA20C
    static let batteryCharging: Tag = 0xDFA209
    static let batteryPercent: Tag = 0xDFA20A
    static let streamOffset: Tag = 0xDFA301
    static let streamSize: Tag = 0xDFA302
    static let streamTimeout: Tag = 0xDFA303
    static let fileSum: Tag = 0xDFA304
    static let track1: Tag = 0x5F21
    static let track2: Tag = 0x5F22
    static let track3: Tag = 0x5F23
    static let maskedTrack2: Tag = 0xDFAE22
    static let encryptedTracks: Tag = 0xDFAE02
    static let keySerialNumber: Tag = 0xDFAE03
    package static let encryptionStatus: Tag = 0xDFAE01
    /// The PIN for the issuer, enciphered.
    package static let pinBlock: Tag = 0xDFAE04
    static let maskedNumber: Tag = 0xDFAE5A

    static let parts: [Tag: ReaderSwipe.Part] = [
        track1: .track(1), track2: .track(2), track3: .track(3), maskedTrack2: .maskedTrack(2),
        encryptedTracks: .encryptedTracks, keySerialNumber: .keySerialNumber, maskedNumber: .maskedNumber,
    ]

    /// The names of these and other tags. Digits that a person enters may be a PIN or card data.
    static let all = TagDictionary.emv.adding(
        TagDictionary(
            names: [
                cardStatus: "card status", answerToReset: "answer to reset", 0xC0: "decision", 0xC2: "acquirer",
                deviceStatus: "status code", statusText: "status text", 0xC5: "PIN retries",
                commandData: "command data", response: "response", decisionRequired: "decision required",
                approved: "approved", onlineRequired: "online required", declined: "declined",
                statusChange: "status change", 0xED: "configuration", 0xEE: "encrypted data",
                softwareInformation: "software information", serialNumber: "serial number", track1: "track 1",
                track2: "track 2", track3: "track 3",
                identifier: "identifier", 0xDF28: "CVM status", 0xDF30: "contactless kernel", version: "version",
                0xDFA121: "JIS II track 1", 0xDFA122: "JIS II track 2", 0xDFA123: "JIS II track 3",
                typedPINDigit: "PIN digit", 0xDFA202: "PIN entry", riskManagement: "terminal risk management stage",
                enteredDigits: "PIN digit", pinStatus: "PIN entry",
                applicationSelection: "application selection", key: "key", 0xDFA206: "prompt",
                0xDFA207: "number format",
                typedNumber: "number", batteryCharging: "charging", batteryPercent: "battery", language: "language",
                0xDFA20E: "amount line", 0xDFA217: "tip", 0xDFA218: "tip", streamOffset: "stream offset",
                streamSize: "stream size", streamTimeout: "stream timeout", fileSum: "MD5",
                0xDFA401: "printer status", 0xDFAB01: "scanned bar code", 0xDFAB02: "USB serial data",
                encryptionStatus: "P2PE status", encryptedTracks: "SRED data", keySerialNumber: "SRED KSN",
                pinBlock: "online PIN", pinKeySerialNumber: "PIN KSN", 0xDFAE06: "MAC", 0xDFAE07: "MAC result",
                maskedTrack2: "masked track 2", 0xDFAE57: "masked track 2 of the chip",
                maskedNumber: "masked account number",
            ],
            shown: [fileSum, keySerialNumber, pinKeySerialNumber],
            texts: [statusText, identifier, version, serialNumber],
            hidden: [
                track1, track2, track3, 0xDFA121, 0xDFA122, 0xDFA123, typedPINDigit, enteredDigits, key, typedNumber,
                pinBlock, maskedTrack2, 0xDFAE57, maskedNumber,
            ]))

    private static let typedPINDigit: Tag = 0xDFA201
    private static let typedNumber: Tag = 0xDFA208
    static let pinKeySerialNumber: Tag = 0xDFAE05
}
