// Terminal risk management: EMV Book 3, section 10.6.

/// A transaction that the terminal has approved, for the floor limit of later ones.
public struct ApprovedTransaction: Sendable, Equatable {
    /// The account number, as in tag 5A; its padding does not matter.
    public let account: SecretOctets
    /// The amount in minor units of the currency.
    public let amount: UInt64

    /// An approved transaction of an account (as in tag 5A) and an amount (minor units).
    public init(account: SecretOctets, amount: UInt64) {
        self.account = account
        self.amount = amount
    }
}

/// The limits of a terminal for one application, by which it selects transactions for the issuer.
public struct RiskLimits: Sendable, Hashable {
    /// Transactions of this amount and above exceed the limit. Minor units.
    public var floorLimit: UInt64
    /// Below this amount, transactions are selected with ``targetPercentage``. Minor units, at most the floor limit.
    public var selectionThreshold: UInt64
    /// The share of transactions below the threshold that are selected, 0 to 99.
    public var targetPercentage: UInt8
    /// The share of transactions just below the floor limit that are selected, ``targetPercentage`` to 99.
    public var maximumTargetPercentage: UInt8

    /// - Parameters:
    ///   - floorLimit: minor units.
    ///   - selectionThreshold: minor units. Default: 0.
    ///   - targetPercentage: 0 to 99. Default: 0, no transaction is selected below the threshold.
    ///   - maximumTargetPercentage: 0 to 99. Default: 0.
    public init(
        floorLimit: UInt64, selectionThreshold: UInt64 = 0, targetPercentage: UInt8 = 0,
        maximumTargetPercentage: UInt8 = 0
    ) {
        self.floorLimit = floorLimit
        self.selectionThreshold = selectionThreshold
        self.targetPercentage = targetPercentage
        self.maximumTargetPercentage = maximumTargetPercentage
    }
}

/// The result of terminal risk management, with the reason for each bit.
public struct TerminalRiskReport: Sendable, Hashable {
    /// The rules that selected the transaction for the issuer, in the order of the book.
    public var findings: [Finding] = []

    /// A rule that selected the transaction.
    public enum Finding: Sendable, Hashable {
        /// The amount, with the last approved amount of the same account, reaches the floor limit. All in minor units.
        case floorLimitExceeded(amount: UInt64, logged: UInt64, limit: UInt64)
        /// The random number, 1 to 99, was at most the share of transactions that are selected, in percent.
        case randomlySelected(number: UInt8, percentage: UInt8)
        /// The card did not return both counters, or the last online transaction is not before this one.
        case countersUnusable
        /// More transactions since the last online one than the Lower Consecutive Offline Limit.
        case lowerLimitExceeded(count: UInt32, limit: UInt8)
        /// More transactions since the last online one than the Upper Consecutive Offline Limit.
        case upperLimitExceeded(count: UInt32, limit: UInt8)
        /// The card has never been online.
        case newCard
        /// The merchant asked for an online transaction.
        case merchantForcedOnline
        /// The account is on the terminal's exception file.
        case onExceptionFile
    }

    /// A report without findings.
    public init() {}

    /// The bits that the findings set.
    public var tvr: TerminalVerificationResults {
        var tvr: TerminalVerificationResults = []
        for finding in findings {
            switch finding {
            case .floorLimitExceeded: tvr.insert(.floorLimitExceeded)
            case .randomlySelected: tvr.insert(.randomSelectedOnline)
            case .countersUnusable: tvr.formUnion([.lowerConsecutiveLimitExceeded, .upperConsecutiveLimitExceeded])
            case .lowerLimitExceeded: tvr.insert(.lowerConsecutiveLimitExceeded)
            case .upperLimitExceeded: tvr.insert(.upperConsecutiveLimitExceeded)
            case .newCard: tvr.insert(.newCard)
            case .merchantForcedOnline: tvr.insert(.merchantForcedOnline)
            case .onExceptionFile: tvr.insert(.cardOnExceptionFile)
            }
        }
        return tvr
    }
}

/// The rules of terminal risk management, as functions of values.
public enum TerminalRiskManagement {
    /// Checks the floor limit (10.6.1): the amount and the last approved amount of the same account.
    /// - Parameters:
    ///   - amount: minor units.
    ///   - account: the account number, as in tag 5A; nil if the card has none.
    ///   - log: the approved transactions, oldest first.
    ///   - limit: minor units.
    /// - Returns: the finding; nil if the sum is below the limit.
    public static func floorLimit(
        amount: UInt64, account: SecretOctets?, log: [ApprovedTransaction], limit: UInt64
    ) -> TerminalRiskReport.Finding? {
        let logged = log.last { account?.isSameNumber(as: $0.account) == true }?.amount ?? 0
        let (sum, isAbove) = amount.addingReportingOverflow(logged)
        guard isAbove || sum >= limit else { return nil }
        return .floorLimitExceeded(amount: amount, logged: logged, limit: limit)
    }

    /// Selects transactions at random (10.6.2); the share grows from the threshold to the floor limit.
    /// - Parameters:
    ///   - amount: minor units.
    ///   - limits: the terminal's limits.
    ///   - number: a random number, 1 to 99.
    /// - Returns: the finding; nil if the transaction is not selected.
    public static func randomSelection(
        amount: UInt64, limits: RiskLimits, number: UInt8
    ) -> TerminalRiskReport.Finding? {
        guard amount < limits.floorLimit else { return nil }
        var percentage = limits.targetPercentage
        if amount >= limits.selectionThreshold, limits.maximumTargetPercentage > percentage {
            let range = limits.floorLimit - limits.selectionThreshold
            let part = (amount - limits.selectionThreshold).multipliedFullWidth(
                by: UInt64(limits.maximumTargetPercentage - percentage))
            percentage += UInt8(range.dividingFullWidth(part).quotient)
        }
        guard number <= percentage else { return nil }
        return .randomlySelected(number: number, percentage: percentage)
    }

    /// Whether the card asks for velocity checking (10.6.3): it has both limits.
    public static func asksForVelocityChecking(lower: UInt8?, upper: UInt8?) -> Bool { lower != nil && upper != nil }

    /// Checks the number of consecutive offline transactions and whether the card is new (10.6.3).
    /// - Parameters:
    ///   - counter: the Application Transaction Counter (9F36) that GET DATA returned; nil if it returned none.
    ///   - lastOnline: the Last Online ATC Register (9F13); nil if the card returned none.
    ///   - lower: the Lower Consecutive Offline Limit (9F14).
    ///   - upper: the Upper Consecutive Offline Limit (9F23).
    /// - Returns: the rules that selected the transaction.
    public static func velocity(
        counter: UInt16?, lastOnline: UInt16?, lower: UInt8, upper: UInt8
    ) -> [TerminalRiskReport.Finding] {
        var findings: [TerminalRiskReport.Finding] = []
        if let counter, let lastOnline, counter > lastOnline {
            let count = UInt32(counter) - UInt32(lastOnline)
            if count > UInt32(lower) { findings.append(.lowerLimitExceeded(count: count, limit: lower)) }
            if count > UInt32(upper) { findings.append(.upperLimitExceeded(count: count, limit: upper)) }
        } else {
            findings.append(.countersUnusable)
        }
        if lastOnline == 0 { findings.append(.newCard) }
        return findings
    }
}
