// The enumerations of the Accept SDK. Source of names and numbers: the headers of its public releases 1.6.177 to 1.6.219
// (WirecardMobileServices/acceptSDK), which the guide 1.6.182 points to in chapter 3.4.

/// A step of a payment, for the user's display alone (`AcceptStateUpdate`).
public enum AcceptStateUpdate: Int, Sendable, Hashable, CaseIterable {
    /// No terminal is attached to the audio jack.
    case waitingForPlugIn = 0
    /// The terminal waits for a swipe.
    case waitingForSwipe = 1
    /// The chip cannot be read, or no application of it: the terminal waits for a swipe.
    case damagedChipAndWaitingForSwipe = 2
    /// The data of the card is processed.
    case processingData = 3
    /// The host is asked.
    case onlineProcessingData = 4
    /// The user must follow the display of the terminal.
    case followTerminalInstructions = 5
    /// The terminal is prepared.
    case initialize = 6
    /// A configuration is transferred to the terminal.
    case terminalConfigOngoing = 7
    /// The terminal waits for a chip or a swipe.
    case insertOrSwipeCard = 8
    /// The terminal waits for a tap, a chip or a swipe.
    case tapOrInsertOrSwipeCard = 9
    /// The terminal waits for a chip.
    case waitingForInsertCard = 10
    /// The terminal reads the card.
    case checkingCard = 11
    /// The cardholder must remove the card.
    case removeCard = 12
    /// The card was removed.
    case cardRemoved = 13
    /// The cardholder must confirm the amount at the terminal.
    case confirmAmount = 14
    /// The cardholder confirmed the amount.
    case amountConfirmed = 15
    /// The cardholder entered a PIN.
    case pinEntered = 16
    /// The PIN is correct. The SDK declares it deprecated.
    case correctPIN = 17
    /// One try for the PIN is left.
    case pinEntryLastTry = 18
    /// The terminal asks for the PIN.
    case askingForPIN = 19
    /// The PIN is wrong. The SDK declares it deprecated.
    case pinEntryWrong = 20
    /// The merchant must compare the signature.
    case cardholderSignatureCheck = 21
    /// The terminal restarts, and is ready again after that.
    case terminalRestarting = 22
    /// The terminal asks for a tip.
    case gratuityEntryStarted = 23
    /// The cardholder must choose an application.
    case applicationSelectionStarted = 24
    /// An application was chosen.
    case applicationSelectionFinished = 25
    /// The cardholder must confirm on a telephone.
    case followInstructionsOnConsumerDevice = 26
    /// The service A-Trust, for Austria, is awaited.
    case onlineATrustWait = 27
}

/// The reason of a reversal that the till made by itself (`AcceptReversalReason`). The numbers 3, 5, 8 and 9 are not in
/// the headers.
public enum AcceptReversalReason: Int, Sendable, Hashable, CaseIterable {
    /// No other reason fits.
    case undefined = -1
    /// The merchant rejected the signature.
    case signatureDeclined = 0
    /// The host takes no advice.
    case adviceUnsupported = 1
    /// The card declined after the host's approval.
    case cardDeclined = 2
    /// The host takes no capture.
    case captureUnsupported = 4
    /// The terminal gave no answer to its transaction.
    case noEFTResponse = 6
    /// The terminal ended the transaction, or was disconnected.
    case terminalTerminated = 7
    /// The merchant did not compare the signature within the time limit.
    case signatureVerificationTimeout = 10
    /// The card declined without the host.
    case offlineDeclined = 11
}

/// An operation on a payment that exists (`AcceptOperationOnPayment`). The number 2 is not in the headers.
public enum AcceptOperationOnPayment: Int, Sendable, Hashable, CaseIterable {
    /// Returns money of a payment, with a cost for the merchant.
    case refund = 0
    /// Takes a payment back, within 24 hours of its approval.
    case reverse = 1
    /// Asks for a receipt by e-mail or SMS; the payment is not changed.
    case receipt = 3
    /// Confirms to the host that its answer was received.
    case confirmResponseReceived = 4
    /// Adds the signature of a contactless payment after its completion.
    case signatureUpdate = 5
    /// Takes the money of an authorised or pre-authorised payment.
    case capture = 6
}

/// The kind of a card payment (`AcceptTransactionType`).
public enum AcceptTransactionType: Int, Sendable, Hashable, CaseIterable {
    /// The host books the amount.
    case purchase = 0
    /// The host reserves the amount; a capture books it.
    case authorize = 1
    /// The host reserves an estimate; a capture books an amount up to it.
    case preauthorize = 2
    /// The host debits the bank account of the card, at once as for a purchase.
    case sepa = 3
}

/// The result of a payment as the SDK's receipts have it (`AcceptTransactionState`).
public enum AcceptTransactionState: Int, Sendable, Hashable, CaseIterable {
    /// The payment is approved.
    case approved = 0
    /// The host or the card declined it.
    case declined = 1
    /// It was approved and taken back.
    case reversed = 2
    /// It was approved and returned.
    case refunded = 3
    /// It is not decided.
    case pending = 4
    /// The amount is reserved.
    case authorized = 5
    /// An estimate is reserved.
    case preauthorized = 6
}

/// The state of a payment at the host (`kAcceptTransactionStatus_...`). Raw values are the host's words. A struct, because
/// a host may have more.
public struct AcceptTransactionStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The host's word in its answers.
    public let rawValue: String

    /// A state with a word of the host.
    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// The payment is approved.
    public static let approved = AcceptTransactionStatus(rawValue: "approved")
    /// The payment is not decided.
    public static let pending = AcceptTransactionStatus(rawValue: "pending")
    /// The payment was returned.
    public static let refunded = AcceptTransactionStatus(rawValue: "refunded")
    /// The payment is declined.
    public static let rejected = AcceptTransactionStatus(rawValue: "rejected")
    /// The payment was taken back.
    public static let reversed = AcceptTransactionStatus(rawValue: "reversed")
    /// The payment was begun.
    public static let new = AcceptTransactionStatus(rawValue: "new")
    /// The amount is reserved.
    public static let authorized = AcceptTransactionStatus(rawValue: "authorized")
    /// An estimate is reserved.
    public static let preauthorized = AcceptTransactionStatus(rawValue: "preauthorized")
    /// The headers have this word without an explanation.
    public static let bookbacked = AcceptTransactionStatus(rawValue: "bookbacked")
    /// The cardholder's bank took the money back.
    public static let chargebacked = AcceptTransactionStatus(rawValue: "chargebacked")
    /// The payment was cancelled.
    public static let canceled = AcceptTransactionStatus(rawValue: "canceled")
    /// A part of the payment is missing. Source: the guide 1.6.206.
    public static let incomplete = AcceptTransactionStatus(rawValue: "incomplete")

    /// All states that published sources name.
    public static let allKnown: [AcceptTransactionStatus] = [
        .approved, .pending, .refunded, .rejected, .reversed, .new, .authorized, .preauthorized, .bookbacked,
        .chargebacked, .canceled, .incomplete,
    ]

    /// Whether the customer has paid: for ``approved`` alone.
    public var isAccepted: Bool { self == .approved }

    /// The state on a receipt; nil for words that the SDK's enumeration has no case for.
    public var transactionState: AcceptTransactionState? {
        switch self {
        case .approved: .approved
        case .rejected: .declined
        case .reversed: .reversed
        case .refunded: .refunded
        case .pending: .pending
        case .authorized: .authorized
        case .preauthorized: .preauthorized
        default: nil
        }
    }
}

/// Whether prices have their tax in them (`AcceptTaxationType`).
public enum AcceptTaxationType: Int, Sendable, Hashable, CaseIterable {
    /// The price has the tax in it.
    case gross = 0
    /// The tax is added to the price.
    case net = 1
}

/// The kind of an item in a basket (`AcceptBasketItemType`).
public enum AcceptBasketItemType: Int, Sendable, Hashable, CaseIterable {
    /// Goods or a service: `ACCEPT_ITEM_CHARGE_TYPE_NORMAL`.
    case normal = 0
    /// A tip for the staff: `ACCEPT_ITEM_CHARGE_TYPE_TIP`.
    case tip = 1
    /// A charge for service: `ACCEPT_ITEM_CHARGE_TYPE_SERVICE_CHARGE`.
    case serviceCharge = 2
}

/// The merchant's decision on a signature (`AcceptSignatureVerificationResult`).
public enum AcceptSignatureVerificationResult: Int, Sendable, Hashable, CaseIterable {
    /// No decision. The time limit goes on.
    case notDefined = 0
    /// The signature is that of the card.
    case approved = 1
    /// It is not: the payment is reversed.
    case rejected = 2
}

/// Whether a terminal is connected (`AcceptExtensionConnectionStatus`).
public enum AcceptExtensionConnectionStatus: Int, Sendable, Hashable, CaseIterable {
    /// The terminal answers on its link.
    case connected = 0
    /// The terminal is off, away, or not attached.
    case disconnected = 1
    /// The terminal cannot say.
    case unknown = 2
}

// The identifiers of vendors. The SDK declares these names and keeps their values in its library. The values here are
// the identifiers that `paymentmethods.xml` has for the vendors, which is a choice of this project: a program that
// compares with the names needs no change.

/// Spire: the terminals PosMate and SPm2.
public let AcceptSpireVendorUUID = "ENABLE_SPIRE"  // swift-format-ignore
/// BBPOS: the terminals EMVSwiper and WisePad.
public let AcceptbbPOSVendorUUID = "ENABLE_BBPOS"  // swift-format-ignore
/// ID TECH: the readers UniMag and UniMag Pro.
public let AcceptIDTECHVendorUUID = "ENABLE_IDTECH"  // swift-format-ignore
/// Datecs: the reader MRD-10 and the printers.
public let AcceptDatecsVendorUUID = "ENABLE_DATECS"  // swift-format-ignore
/// VeriFone: E105. The SDK declares it deprecated.
@available(*, deprecated, message: "the SDK no longer supports VeriFone's terminals")
public let AcceptVeriFoneVendorUUID = "ENABLE_VERIFONE"  // swift-format-ignore

/// The domain of each ``AcceptError``. The SDK declares the name and keeps the value in its library; this value is a choice of
/// this project.
public let AcceptErrorDomain = "AcceptErrorDomain"  // swift-format-ignore
