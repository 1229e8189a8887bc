#if Payments
import Accept

extension AcceptStateUpdate {
    /// The text for the person at the till; nil for a step that needs none.
    var text: String? {
        switch self {
        case .waitingForPlugIn: "plug the terminal in"
        case .waitingForSwipe: "swipe the card"
        case .damagedChipAndWaitingForSwipe: "the chip cannot be read: swipe the card"
        case .processingData, .terminalRestarting, .initialize, .cardRemoved, .amountConfirmed: nil
        case .onlineProcessingData: "asking the host"
        case .followTerminalInstructions: "follow the terminal"
        case .terminalConfigOngoing: "the terminal is configured"
        case .insertOrSwipeCard: "insert or swipe the card"
        case .tapOrInsertOrSwipeCard: "tap, insert or swipe the card"
        case .waitingForInsertCard: "insert the card"
        case .checkingCard: "reading the card"
        case .removeCard: "remove the card"
        case .confirmAmount: "confirm the amount at the terminal"
        case .pinEntered, .correctPIN: nil
        case .pinEntryLastTry: "one try for the PIN is left"
        case .askingForPIN: "enter the PIN at the terminal"
        case .pinEntryWrong: "the PIN is wrong"
        case .cardholderSignatureCheck: "compare the signature"
        case .gratuityEntryStarted: "enter the tip at the terminal"
        case .applicationSelectionStarted: "choose the application"
        case .applicationSelectionFinished: nil
        case .followInstructionsOnConsumerDevice: "confirm on the telephone"
        case .onlineATrustWait: "waiting for A-Trust"
        }
    }
}
#endif
