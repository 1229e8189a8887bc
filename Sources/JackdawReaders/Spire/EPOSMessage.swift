/// Messages of the native protocol of Spire's (Thyron's) terminals, such as PosMate and SPm2.
///
/// Names only are published, in headers of an SDK (PaynetEasyReader). How they are framed is not: a profile has to
/// supply it (``FrameLayout``).
public enum EPOSMessage: String, Sendable, Hashable, CaseIterable {
    /// A transaction begins.
    case initTransaction = "InitTransaction"
    /// The terminal asks for the amount.
    case getAmount = "GetAmount"
    /// What was swiped is asked for.
    case getSwipedData = "GetSwipedData"
    /// What was swiped is to be used.
    case processSwipedData = "ProcessSwipedData"
    /// What the terminal knows of the transaction is asked for.
    case getTransactionData = "GetTransactionData"
    /// The issuer is to be asked.
    case goOnline = "GoOnline"
    /// How far the terminal is (``EPOSStatus``).
    case statusReport = "StatusReport"
    /// The transaction is done.
    case completeTransaction = "CompleteTransaction"
    /// The transaction is given up.
    case terminateTransaction = "TerminateTransaction"

    /// The number that a frame has for it; of one message only it is published.
    public var identifier: UInt8? { self == .statusReport ? 0x49 : nil }
}
