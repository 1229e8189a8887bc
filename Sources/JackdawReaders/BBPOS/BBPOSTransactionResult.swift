/// How a transaction with a chip ended.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSTransactionResult: String, Sendable, Hashable, CaseIterable {
    /// Approved.
    case approved = "APPROVED"
    /// Broken off.
    case terminated = "TERMINATED"
    /// Declined.
    case declined = "DECLINED"
    /// Cancelled.
    case cancelled = "CANCEL"
    /// A public key of the scheme is missing or wrong.
    case publicKeyFailed = "CAPK_FAIL"
    /// There was no chip.
    case notChip = "NOT_ICC"
    /// The card is blocked.
    case cardBlocked = "CARD_BLOCKED"
    /// The reader failed.
    case deviceError = "DEVICE_ERROR"
    /// Nothing on the card is taken.
    case cardNotSupported = "CARD_NOT_SUPPORTED"
    /// The card lacks data that it has to have.
    case missingMandatoryData = "MISSING_MANDATORY_DATA"
    /// The card has no application.
    case noApplications = "NO_EMV_APPS"
    /// The chip's data are wrong.
    case invalidChipData = "INVALID_ICC_DATA"
    /// The card refuses its use.
    case conditionNotSatisfied = "CONDITION_NOT_SATISFIED"
    /// The application is blocked.
    case applicationBlocked = "APPLICATION_BLOCKED"
    /// The card was removed.
    case cardRemoved = "ICC_CARD_REMOVED"
}
