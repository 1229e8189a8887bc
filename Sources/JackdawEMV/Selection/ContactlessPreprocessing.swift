/// The limits of one application on a contactless reader (EMV Book A section 5.3).
public struct ContactlessLimits: Sendable, Hashable {
    /// The qualifiers of the reader (tag 9F66); nil for kernels without them.
    public var qualifiers: TerminalTransactionQualifiers?
    /// Whether a transaction of one major unit asks for the state of the account. Default: false.
    public var checksStatus = false
    /// Whether an amount of zero is allowed. Default: true.
    public var allowsZeroAmount = true
    /// The amount from which on contactless is not allowed, in minor units; nil without a limit.
    public var transactionLimit: UInt64?
    /// The amount above which the transaction goes online, in minor units; nil if the terminal's limit applies.
    public var contactlessFloorLimit: UInt64?
    /// The terminal's floor limit (tag 9F1B), in minor units; nil without one.
    public var terminalFloorLimit: UInt64?
    /// The amount from which on the cardholder must be verified, in minor units; nil without a limit.
    public var verificationLimit: UInt64?

    /// An application without limits.
    public init() {}
}

/// The result of pre-processing for one application (EMV Book B section 3.1.1). All rules
/// compare amounts in minor units.
public struct ContactlessPreprocessing: Sendable, Hashable {
    /// The amount is one major unit, and the state of the account is asked for.
    public let requestsStatus: Bool
    /// The amount is zero, which is allowed.
    public let isZeroAmount: Bool
    /// The amount reaches the limit for verification.
    public let exceedsVerificationLimit: Bool
    /// The amount is above the floor limit.
    public let exceedsFloorLimit: Bool
    /// The application must not be used contactless. If this holds for all applications, another interface is tried.
    public let isNotAllowed: Bool
    /// The qualifiers for the transaction, with the bits "online cryptogram required" and "CVM required" set as found.
    public let qualifiers: TerminalTransactionQualifiers?

    /// Pre-processes an amount.
    /// - Parameters:
    ///   - amount: the amount, in minor units.
    ///   - majorUnit: number of minor units in the major unit, for example 100.
    ///   - limits: the limits of the application.
    public init(amount: UInt64, majorUnit: UInt64, limits: ContactlessLimits) {
        requestsStatus = limits.checksStatus && amount == majorUnit
        isZeroAmount = amount == 0 && limits.allowsZeroAmount
        exceedsVerificationLimit = limits.verificationLimit.map { amount >= $0 } ?? false
        exceedsFloorLimit = (limits.contactlessFloorLimit ?? limits.terminalFloorLimit).map { amount > $0 } ?? false
        var isForbidden = amount == 0 && !limits.allowsZeroAmount
        if let limit = limits.transactionLimit, amount >= limit { isForbidden = true }
        if var qualifiers = limits.qualifiers {
            qualifiers.subtract([.onlineCryptogramRequired, .cvmRequired])
            if exceedsFloorLimit || requestsStatus { qualifiers.insert(.onlineCryptogramRequired) }
            if isZeroAmount {
                // A reader without a connection cannot ask the issuer.
                if qualifiers.contains(.offlineOnlyReader) {
                    isForbidden = true
                } else {
                    qualifiers.insert(.onlineCryptogramRequired)
                }
            }
            if exceedsVerificationLimit { qualifiers.insert(.cvmRequired) }
            self.qualifiers = qualifiers
        } else {
            qualifiers = nil
        }
        isNotAllowed = isForbidden
    }
}
