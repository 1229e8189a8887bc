// The end of a contactless transaction: EMV Book A, section 6.2, and Book B, section 3.5.

/// The end of a contactless transaction, with its parameters. Experimental.
///
/// The card takes no part in anything that follows: it may be removed.
public struct ContactlessOutcome: Sendable {
    /// The kind of outcome.
    public enum Disposition: String, Sendable, Hashable {
        /// The card approved offline.
        case approved
        /// The card or the reader declined.
        case declined
        /// The issuer decides: ``ContactlessOutcome/online`` has the data of the message.
        case onlineRequest = "online_request"
        /// The transaction is possible with contacts or by magnetic stripe.
        case tryAnotherInterface = "try_another_interface"
        /// Another application of the card may be selected.
        case selectNext = "select_next"
        /// The application cannot be used.
        case endApplication = "end_application"
        /// The card must be presented again.
        case tryAgain = "try_again"
    }

    /// The step of the entry point from which the transaction goes on (Book B).
    public enum Start: String, Sendable, Hashable {
        /// B: the card is presented again.
        case protocolActivation = "B"
        /// C: the next application is selected.
        case combinationSelection = "C"
    }

    /// The verification of the cardholder.
    public enum Verification: String, Sendable, Hashable {
        /// No verification is required.
        case notRequired = "not_required"
        /// The cardholder must sign.
        case signature
        /// The cardholder must enter a PIN for the issuer.
        case onlinePIN = "online_pin"
        /// The cardholder's own device has verified.
        case onDevice = "on_device"
    }

    /// Another interface that the card prefers.
    public enum AlternativeInterface: String, Sendable, Hashable {
        /// The chip with contacts.
        case contact
    }

    /// The kind of outcome.
    public let disposition: Disposition
    /// The reason, unless the card's cryptogram alone decided; then nil.
    public internal(set) var reason: ContactlessReason?
    /// The step from which the transaction goes on; nil if it does not.
    public internal(set) var start: Start?
    /// The verification of the cardholder; nil if the outcome has none.
    public internal(set) var verification: Verification?
    /// The request to the display with the outcome; nil without one.
    public internal(set) var display: DisplayRequest?
    /// The request to the display when the card is presented again; nil without one.
    public internal(set) var restartDisplay: DisplayRequest?
    /// Whether a receipt must be printed.
    public internal(set) var isReceiptRequired = false
    /// The interface that is preferred; nil without a preference.
    public internal(set) var alternativeInterface: AlternativeInterface?
    /// The time for which the field is switched off before the card is presented again, in units of 100 ms; nil if it
    /// stays on.
    public internal(set) var fieldOffTime: Int?
    /// The objects for clearing; nil if the outcome has none. Card data is in clear in wiped memory.
    public internal(set) var dataRecord: DataObjectStore?
    /// Further objects for the acquirer.
    public internal(set) var discretionaryData = DataObjectStore()
    /// The data of the message to the issuer; nil if the outcome is no online request.
    public internal(set) var online: OnlineRequest?
    /// The results of the checks; none with a Visa-style card.
    public internal(set) var tvr: TerminalVerificationResults = []

    init(_ disposition: Disposition, _ reason: ContactlessReason? = nil) {
        self.disposition = disposition
        self.reason = reason
    }
}

/// A request to the display (Book A, sections 9.2 and 9.4).
public struct DisplayRequest: Sendable, Hashable {
    /// A message, with its identifier as the raw value.
    public enum Message: UInt8, Sendable, Hashable {
        /// The display shows "Approved".
        case approved = 0x03
        /// The display shows "Not authorised".
        case notAuthorised = 0x07
        /// The display shows "Insert or swipe card".
        case insertOrSwipe = 0x18
        /// The display shows "Approved, please sign".
        case approvedPleaseSign = 0x1A
        /// The display shows "Authorising, please wait".
        case authorising = 0x1B
        /// The display shows "Insert, swipe or try another card".
        case insertSwipeOrTryAnother = 0x1C
        /// The display shows "Insert card".
        case insertCard = 0x1D
        /// The display is cleared.
        case noMessage = 0x1E
        /// The display shows "See phone for instructions".
        case seePhone = 0x20
        /// The display shows "Present card again".
        case tryAgain = 0x21
    }

    /// The state of the reader, with its code as the raw value.
    public enum Status: UInt8, Sendable, Hashable {
        /// The reader is not ready.
        case notReady = 0x00
        /// The reader is ready for a card.
        case readyToRead = 0x02
        /// The processing of a card failed.
        case processingError = 0x05
    }

    /// The message that is shown.
    public let message: Message
    /// The state of the reader; nil without a change.
    public let status: Status?
    /// The time for which the message stays, in units of 100 ms.
    public internal(set) var holdTime: Int
    /// The amount that the card can spend offline, in minor units of the transaction's currency; nil if it is not
    /// shown.
    public internal(set) var balance: UInt64?

    package init(_ message: Message, _ status: Status? = nil, holdTime: Int = 0) {
        self.message = message
        self.status = status
        self.holdTime = holdTime
    }
}

/// The reason of an outcome that the card's cryptogram alone did not decide.
public enum ContactlessReason: Sendable, Hashable {
    /// Pre-processing does not allow the amount.
    case amountNotAllowed
    /// The amount is above the limit of the reader for this card.
    case transactionLimit
    /// The transaction needs a function that this kernel does not have.
    case notCovered(UncoveredFunction)
    /// The card refused the transaction with this status word of GET PROCESSING OPTIONS.
    case refused(StatusWord)
    /// The card wants the cardholder to use the device, and to present it again.
    case deviceInteraction
    /// The signature of the card is wrong.
    case authentication(AuthenticationFailure)
    /// The rules of the reader decided.
    case rule(ContactlessRule)
    /// The transaction was broken off.
    case terminated(KernelTermination)

    /// One line for a person.
    public var text: String {
        switch self {
        case .amountNotAllowed: "the amount is not allowed contactless"
        case .transactionLimit: "the amount is above the limit of the reader for this card"
        case .notCovered(let function): function.text
        case .refused(let status): "the card refused the transaction with status \(status)"
        case .deviceInteraction: "the cardholder must use the device, and present it again"
        case .authentication(let failure): "\(failure)"
        case .rule(let rule): rule.text
        case .terminated(let reason): "\(reason)"
        }
    }
}

/// A function of contactless transactions that this kernel does not have.
public enum UncoveredFunction: Sendable, Hashable {
    /// A kernel of another scheme, with its number; nil if card and directory name none.
    case kernel(Int?)
    /// Magnetic stripe mode: the card or the reader does not support EMV mode.
    case magneticStripeMode
    /// The relay resistance protocol, which the card supports.
    case relayResistance
    /// The recovery of a transaction that was torn during GENERATE AC.
    case tornTransaction

    /// One line for a person.
    public var text: String {
        switch self {
        case .kernel(let number?): "contactless kernel \(number) is not supported"
        case .kernel(nil): "the card's application names no contactless kernel"
        case .magneticStripeMode: "magnetic stripe mode is not supported"
        case .relayResistance: "the relay resistance protocol of the card is not supported"
        case .tornTransaction: "the card was removed during its cryptogram, and its recovery is not supported"
        }
    }
}
