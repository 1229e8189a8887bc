/// What became of a payment that was taken offline.
///
/// Names of Clover's SDK for Go readers (remote-pay-ios-go); what goes over the wire is not published.
public enum CloverGoPendingPaymentState: String, Sendable, Hashable, CaseIterable {
    /// It is not known.
    case unknown = "UNKNOWN"
    /// It waits.
    case pending = "PENDING"
    /// It failed.
    case failed = "FAILED"
    /// It is being sent.
    case processing = "PROCESSING"
}
