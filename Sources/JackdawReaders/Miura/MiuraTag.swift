/// Data objects of MPI, and of EMV in them.
///
/// Source: Description.java of Miura's SDK for Android, in public repositories.
enum MiuraTag {
    static let cardStatus: UInt32 = 0x48
    static let authorisationResponse: UInt32 = 0x8A
    static let date: UInt32 = 0x9A
    static let transactionKind: UInt32 = 0x9C
    static let deviceStatus: UInt32 = 0xC3
    static let commandData: UInt32 = 0xE0
    static let response: UInt32 = 0xE1
    static let softwareInformation: UInt32 = 0xEF
    static let currency: UInt32 = 0x5F2A
    static let amount: UInt32 = 0x9F02
    static let serialNumber: UInt32 = 0x9F1E
    static let identifier: UInt32 = 0xDF0D
    static let version: UInt32 = 0xDF7F
    static let batteryCharging: UInt32 = 0xDFA209
    static let batteryPercent: UInt32 = 0xDFA20A
    static let streamOffset: UInt32 = 0xDFA301
    static let streamSize: UInt32 = 0xDFA302
    static let streamTimeout: UInt32 = 0xDFA303
    static let fileSum: UInt32 = 0xDFA304
    static let track1: UInt32 = 0x5F21
    static let track2: UInt32 = 0x5F22
    static let track3: UInt32 = 0x5F23
    static let maskedTrack2: UInt32 = 0xDFAE22
    static let encryptedTracks: UInt32 = 0xDFAE02
    static let keySerialNumber: UInt32 = 0xDFAE03
    static let maskedNumber: UInt32 = 0xDFAE5A

    static let parts: [UInt32: ReaderSwipe.Part] = [
        track1: .track(1), track2: .track(2), track3: .track(3), maskedTrack2: .maskedTrack(2),
        encryptedTracks: .encryptedTracks, keySerialNumber: .keySerialNumber, maskedNumber: .maskedNumber,
    ]

    /// What they and others are called. Digits that are typed in may be of a PIN or of a card.
    static let all = TagDictionary.emv.adding(
        TagDictionary(
            names: [
                cardStatus: "card status", 0x63: "answer to reset", 0xC0: "decision", 0xC2: "acquirer",
                deviceStatus: "status code", statusText: "status text", 0xC5: "PIN retries",
                commandData: "command data", response: "response", 0xE2: "decision required", 0xE3: "approved",
                0xE4: "online required",
                0xE5: "declined", 0xE6: "status change", 0xED: "configuration", 0xEE: "encrypted data",
                softwareInformation: "software information", serialNumber: "serial number", track1: "track 1",
                track2: "track 2", track3: "track 3",
                identifier: "identifier", 0xDF28: "CVM status", 0xDF30: "contactless kernel", version: "version",
                0xDFA121: "JIS II track 1", 0xDFA122: "JIS II track 2", 0xDFA123: "JIS II track 3",
                typedPINDigit: "PIN digit", 0xDFA202: "PIN entry", 0xDFA203: "terminal risk management stage",
                0xDFA204: "application selection", typedKey: "key", 0xDFA206: "prompt", 0xDFA207: "number format",
                typedNumber: "number", batteryCharging: "charging", batteryPercent: "battery", 0xDFA20C: "language",
                0xDFA20E: "amount line", 0xDFA217: "tip", 0xDFA218: "tip", streamOffset: "stream offset",
                streamSize: "stream size", streamTimeout: "stream timeout", fileSum: "MD5",
                0xDFA401: "printer status", 0xDFAB01: "scanned bar code", 0xDFAB02: "USB serial data",
                0xDFAE01: "P2PE status", encryptedTracks: "SRED data", keySerialNumber: "SRED KSN",
                0xDFAE04: "online PIN", pinKeySerialNumber: "PIN KSN", 0xDFAE06: "MAC", 0xDFAE07: "MAC result",
                maskedTrack2: "masked track 2", 0xDFAE57: "masked track 2 of the chip",
                maskedNumber: "masked account number",
            ],
            shown: [fileSum, keySerialNumber, pinKeySerialNumber],
            texts: [statusText, identifier, version, serialNumber],
            hidden: [
                track1, track2, track3, 0xDFA121, 0xDFA122, 0xDFA123, typedPINDigit, typedKey, typedNumber,
                maskedTrack2, 0xDFAE57, maskedNumber,
            ]))

    private static let statusText: UInt32 = 0xC4
    private static let typedPINDigit: UInt32 = 0xDFA201
    private static let typedKey: UInt32 = 0xDFA205
    private static let typedNumber: UInt32 = 0xDFA208
    private static let pinKeySerialNumber: UInt32 = 0xDFAE05
}
