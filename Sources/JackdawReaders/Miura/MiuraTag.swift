/// Data objects of MPI and EMV that are read or made here.
///
/// Source: Description.java of Miura's SDK for Android, in public repositories.
enum MiuraTag {
    static let cardStatus: UInt32 = 0x48
    static let authorisationResponse: UInt32 = 0x8A
    static let date: UInt32 = 0x9A
    static let transactionKind: UInt32 = 0x9C
    static let deviceStatus: UInt32 = 0xC3
    static let commandData: UInt32 = 0xE0
    static let currency: UInt32 = 0x5F2A
    static let amount: UInt32 = 0x9F02
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
}
