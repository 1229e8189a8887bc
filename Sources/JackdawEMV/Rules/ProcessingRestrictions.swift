// Processing restrictions: EMV Book 3, section 10.4.

/// The result of the processing restrictions, with the reason for each bit.
public struct ProcessingRestrictionsReport: Sendable, Hashable {
    /// A restriction that the transaction does not meet.
    public enum Finding: Sendable, Hashable {
        /// The card's application has another version (9F08) than the terminal's (9F09).
        case versionsDiffer(card: [UInt8], terminal: [UInt8])
        /// The card is not valid at ATMs, or at no other terminal.
        case terminalNotAllowed(isATM: Bool)
        /// The card is not valid for the kind of transaction, in its own country or abroad.
        case transactionNotAllowed(TransactionType, isDomestic: Bool)
        /// The card does not allow cashback, in its own country or abroad.
        case cashbackNotAllowed(isDomestic: Bool)
        /// The card is not valid yet; its first day is object 5F25.
        case notYetEffective
        /// The card has expired; its last day is object 5F24, which is card data.
        case expired
    }

    /// The restrictions that are not met, in the order of the book.
    public var findings: [Finding] = []

    /// The bits that the findings set.
    public var tvr: TerminalVerificationResults {
        var tvr: TerminalVerificationResults = []
        for finding in findings {
            switch finding {
            case .versionsDiffer: tvr.insert(.versionsDiffer)
            case .terminalNotAllowed, .transactionNotAllowed, .cashbackNotAllowed: tvr.insert(.serviceNotAllowed)
            case .notYetEffective: tvr.insert(.applicationNotYetEffective)
            case .expired: tvr.insert(.expiredApplication)
            }
        }
        return tvr
    }
}

/// The facts of a terminal and a transaction on which the processing restrictions depend.
public struct RestrictionSituation: Sendable, Hashable {
    /// The version of the application that the terminal supports (9F09), two octets.
    public var applicationVersion: [UInt8]
    /// Whether the terminal is an automated teller machine.
    public var isATM: Bool
    /// The country of the terminal (9F1A), two octets.
    public var country: [UInt8]
    /// The kind of transaction.
    public var type: TransactionType
    /// The part of the amount that is cashback (9F03), in minor units.
    public var otherAmount: UInt64
    /// The day of the transaction.
    public var date: CardDate

    /// The facts, each as its property says.
    public init(
        applicationVersion: [UInt8], isATM: Bool, country: [UInt8], type: TransactionType, otherAmount: UInt64,
        date: CardDate
    ) {
        self.applicationVersion = applicationVersion
        self.isATM = isATM
        self.country = country
        self.type = type
        self.otherAmount = otherAmount
        self.date = date
    }
}

/// The processing restrictions, as functions of values.
public enum ProcessingRestrictions {
    /// Checks all restrictions. A card without an object has no restriction by it.
    /// - Parameters:
    ///   - situation: the facts of terminal and transaction.
    ///   - version: the version of the card's application (9F08), two octets.
    ///   - usage: the Application Usage Control (9F07).
    ///   - issuerCountry: the country of the issuer (5F28), two octets.
    ///   - effective: the first day on which the card is valid (5F25).
    ///   - expiration: the last day (5F24).
    /// - Returns: the restrictions that the transaction does not meet.
    public static func check(
        _ situation: RestrictionSituation, version: [UInt8]?, usage: ApplicationUsageControl?, issuerCountry: [UInt8]?,
        effective: CardDate?, expiration: CardDate?
    ) -> ProcessingRestrictionsReport {
        var findings: [ProcessingRestrictionsReport.Finding] = []
        if let version, version != situation.applicationVersion {
            findings.append(.versionsDiffer(card: version, terminal: situation.applicationVersion))
        }
        if let usage {
            if !usage.contains(situation.isATM ? .atm : .nonATM) {
                findings.append(.terminalNotAllowed(isATM: situation.isATM))
            }
            if let issuerCountry {
                let isDomestic = issuerCountry == situation.country
                if !isAllowed(situation.type, isDomestic: isDomestic, by: usage) {
                    findings.append(.transactionNotAllowed(situation.type, isDomestic: isDomestic))
                }
                let hasCashback = situation.type.hasCashback(situation.otherAmount)
                if hasCashback, !usage.contains(isDomestic ? .domesticCashback : .internationalCashback) {
                    findings.append(.cashbackNotAllowed(isDomestic: isDomestic))
                }
            }
        }
        if let effective, situation.date < effective { findings.append(.notYetEffective) }
        if let expiration, expiration < situation.date { findings.append(.expired) }
        return ProcessingRestrictionsReport(findings: findings)
    }

    /// Whether the usage control allows a kind of transaction, apart from its cashback (Book 3, 10.4.2). A purchase is
    /// of goods or of services, which the transaction type does not distinguish: one of both suffices. The book has no
    /// refund, and type 09 is checked for cashback only.
    private static func isAllowed(
        _ type: TransactionType, isDomestic: Bool, by usage: ApplicationUsageControl
    ) -> Bool {
        switch type {
        case .cash, .cashDisbursement: usage.contains(isDomestic ? .domesticCash : .internationalCash)
        case .purchase:
            !usage.isDisjoint(
                with: isDomestic ? [.domesticGoods, .domesticServices] : [.internationalGoods, .internationalServices])
        default: true
        }
    }
}
