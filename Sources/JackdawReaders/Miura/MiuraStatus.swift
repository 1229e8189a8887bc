/// The result of a command to a Miura reader: the last two bytes of an answer (SW1 SW2).
///
/// Source: sources of Miura's SDKs in public repositories. Values that begin with 9F answer the commands of a payment.
package struct MiuraStatus: NamedNumber {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let done = MiuraStatus(rawValue: 0x9000)
    /// The data of a command has an invalid form.
    package static let invalidData = MiuraStatus(rawValue: 0x9F21)
    /// A command came before the one that must precede it, such as CONTINUE before START.
    package static let notReady = MiuraStatus(rawValue: 0x9F22)
    /// No card is in the slot.
    package static let noCard = MiuraStatus(rawValue: 0x9F23)
    /// The card answered with an error, and must not be swiped instead.
    package static let invalidCard = MiuraStatus(rawValue: 0x9F25)
    /// The command is not allowed in this state.
    package static let notAllowed = MiuraStatus(rawValue: 0x9F26)
    /// The data of a command lacks mandatory objects.
    package static let missingData = MiuraStatus(rawValue: 0x9F27)
    /// The reader lacks a file of its configuration.
    package static let missingFile = MiuraStatus(rawValue: 0x9F2A)
    /// The reader has no application for the card, which may be swiped instead.
    package static let unsupportedCard = MiuraStatus(rawValue: 0x9F28)
    /// The chip cannot be read; the card may be swiped instead.
    package static let chipUnreadable = MiuraStatus(rawValue: 0x9F30)
    /// The cardholder pressed the cancel key, or ABORT was sent.
    package static let cancelled = MiuraStatus(rawValue: 0x9F41)
    /// No card was tapped in time.
    package static let tapTimedOut = MiuraStatus(rawValue: 0x9F42)
    /// A card was inserted during the wait for a tap.
    package static let abortedByInsertion = MiuraStatus(rawValue: 0x9F43)
    /// A card was swiped during the wait for a tap.
    package static let abortedBySwipe = MiuraStatus(rawValue: 0x9F44)
    /// The payment is not possible by a tap: insert or swipe the card.
    package static let insertOrSwipe = MiuraStatus(rawValue: 0x9FC1)
    /// The payment is not possible by a tap of this card: insert or swipe it, or use another card.
    package static let useOtherCard = MiuraStatus(rawValue: 0x9FC2)
    /// The card asks for a payment by its chip: insert it.
    package static let insertCard = MiuraStatus(rawValue: 0x9FC3)
    /// The hardware of the reader fails.
    package static let hardwareError = MiuraStatus(rawValue: 0x9FCF)
    /// An object of ONLINE PIN is invalid.
    package static let invalidParameter = MiuraStatus(rawValue: 0x9F0F)
    /// The reader has no key for PINs, or for card data.
    package static let noKey = MiuraStatus(rawValue: 0x9FE0)
    /// The instruction is not known (ISO/IEC 7816-4).
    package static let unknownInstruction = MiuraStatus(rawValue: 0x6D00)
    /// The length of the command is wrong (ISO/IEC 7816-4).
    package static let wrongLength = MiuraStatus(rawValue: 0x6700)
    package static let names: [UInt16: String] = [
        0x9000: "done", 0x9F21: "invalid data", 0x9F22: "not ready", 0x9F23: "no card", 0x9F25: "invalid card",
        0x9F26: "in progress", 0x9F27: "missing data", 0x9F28: "card not supported", 0x9F2A: "missing file",
        0x9F30: "chip read error", 0x9F40: "issuer key", 0x9F41: "cancelled", 0x9F42: "timed out",
        0x9F43: "aborted by a card inserted", 0x9F44: "aborted by a card swiped", 0x9FC1: "no application",
        0x9FC2: "impossible", 0x9FC3: "use the chip", 0x9FCF: "hardware error", 0x9FE0: "not ready for SRED",
        0x9F0F: "invalid parameter", 0x9F88: "missing parameters",
    ]
}

extension ReaderTrouble {
    /// The cause that a status of a Miura reader names; nil if it names none of these.
    init?(_ status: MiuraStatus) {
        switch status {
        case .invalidData, .missingData: self = .dataRefused
        case .notAllowed: self = .busy
        case .missingFile: self = .fileMissing
        case .noKey: self = .keyMissing
        case .hardwareError: self = .damaged
        default: return nil
        }
    }
}
