// The phases of a payment.

/// A phase of a payment. Raw values are the names in traces and tables.
public enum PaymentPhase: String, Sendable, Hashable, CaseIterable {
    /// The payment has not started.
    case idle = "Idle"
    /// The reader receives amount, currency, date and counter.
    case preparing = "Preparing"
    /// The reader waits for a card.
    case awaitingCard = "AwaitCard"
    /// The cardholder chooses one of several applications.
    case choosingApplication = "AppSelect"
    /// The kernel and the card run up to the first cryptogram.
    case processingCard = "Kernel1"
    /// The cardholder enters a PIN at the reader.
    case enteringPIN = "PinEntry"
    /// The host was asked, and has not answered.
    case awaitingHost = "AwaitHost"
    /// The kernel and the card run from the host's answer to the second cryptogram.
    case completingCard = "Kernel2"
    /// The merchant compares the signature, and confirms it at the reader.
    case verifyingSignatureOnReader = "DeviceSigVerify"
    /// The cardholder signs in the app.
    case capturingSignature = "SigCapture"
    /// The merchant compares the signature, and confirms it in the app.
    case verifyingSignature = "AppSigVerify"
    /// The approved payment is being stored for settlement.
    case finalising = "Finalising"
    /// The program was killed. The journal decides.
    case crashed = "Crashed"
    /// Ended, with an outcome.
    case done = "Done"
}

/// The ways in which a card is read.
public enum CardEntry: String, Sendable, Hashable, CaseIterable {
    /// Inserted, and read by contact.
    case chip
    /// Tapped, and read without contact.
    case tap
    /// Swiped, a card without a chip.
    case swipe
    /// Swiped, a card whose chip cannot be read.
    case fallback
}

/// The end of a payment. Raw values are the names in traces and tables.
public enum PaymentOutcome: String, Sendable, Hashable, CaseIterable {
    /// The host approved, and the record is stored.
    case approved
    /// The card approved without the host, and the record is stored.
    case approvedOffline = "approved_offline"
    /// The merchant or the cardholder cancelled.
    case cancelled
    /// The host approved, and the card declined.
    case declinedByCard = "declined_by_card"
    /// The card declined without the host.
    case declinedOffline = "declined_offline"
    /// The host declined the payment.
    case declinedOnline = "declined_online"
    /// The signature was refused, rejected, or not given in time.
    case declinedSignature = "declined_signature"
    /// The card or its application is blocked, or the terminal has no application for it.
    case notAccepted = "not_accepted"
    /// The reader could not be prepared.
    case failedPreparation = "failed_prepare"
    /// The link to the reader was lost before the host was asked.
    case failedLink = "failed_link"
    /// The card was removed before the host was asked.
    case failedCardRemoved = "failed_card_removed"
    /// A time limit passed before the host was asked.
    case failedTimeout = "failed_timeout"
    /// The kernel or the reader failed before the host was asked.
    case failedKernel = "failed_kernel"
    /// The host could not be reached, and the card could not decide.
    case failedUnableOnline = "failed_unable_online"
    /// The host was asked, and no usable answer came in time.
    case failedHostTimeout = "failed_host_timeout"
    /// The host approved, and the card or the reader was lost before the second cryptogram.
    case failedAutoReversed = "failed_auto_reversed"
    /// The program was killed during the payment.
    case failedRecovered = "failed_recovered"

    /// Whether money moves: ``approved`` and ``approvedOffline``.
    public var isApproved: Bool { self == .approved || self == .approvedOffline }
}

/// The till's knowledge of the host's decision.
public enum HostKnowledge: String, Sendable, Hashable, CaseIterable {
    /// The host was not asked.
    case notAsked = "not_asked"
    /// The request was handed over for sending, and no answer has come.
    case asked
    /// The host approved the payment.
    case approved
    /// The host declined, or referred to the issuer by telephone.
    case declined
    /// The request was not sent.
    case unreachable
    /// The request was sent. The answer did not come in time, or cannot be read.
    case unknown

    /// Whether the request may have reached the host.
    public var isRequestSent: Bool { self != .notAsked && self != .unreachable }
}
