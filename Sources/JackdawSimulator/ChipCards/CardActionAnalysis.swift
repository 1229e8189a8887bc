import JackdawEMV

/// The limits of an application, by which the card decides on a cryptogram. A limit that is nil does not apply.
struct CardLimits: Sendable, Hashable {
    /// The amount, in minor units, above which the card goes online.
    var onlineAbove: UInt64?
    /// The amount, in minor units, above which the card declines.
    var declineAbove: UInt64?
    /// The number of transactions without the issuer after which the card goes online.
    var consecutiveOffline: Int?
    /// Whether a card that was never online goes online.
    var isNewCardOnline = false
    /// Whether the card approves after an online request only if the issuer was authenticated.
    var needsIssuer = false
    /// Whether the card may approve although the issuer's authentication failed.
    var allowsFailedIssuer = false

    /// - Parameter isIssuerAuthentic: the result of issuer authentication; nil if it was not performed.
    /// - Returns: whether the card trusts the issuer's answer.
    func trusts(_ isIssuerAuthentic: Bool?) -> Bool { isIssuerAuthentic ?? !needsIssuer }
}

/// The facts of a transaction, of which the card decides.
struct CardSituation: Sendable, Hashable {
    /// The amount in minor units; nil if the terminal sent no number.
    var amount: UInt64?
    /// Whether the limits are in the currency of the transaction.
    var isOwnCurrency = true
    /// The number of transactions since the last one that went online, with this one.
    var sinceOnline = 0
    /// Whether the card was never online.
    var isNew = false
    var isPINBlocked = false
    /// Whether the application or the card is blocked.
    var isBlocked = false
}

/// The card's decision on a cryptogram. EMV leaves it to the issuer; docs/virtual-card.md has the rules of this one.
struct CardActionAnalysis: Sendable, Hashable {
    /// The limit of transactions without the issuer is exceeded.
    let isVelocityExceeded: Bool
    private let mustDecline: Bool
    private let mustGoOnline: Bool
    private let limits: CardLimits

    init(_ situation: CardSituation, _ limits: CardLimits) {
        self.limits = limits
        isVelocityExceeded = limits.consecutiveOffline.map { situation.sinceOnline > $0 } ?? false
        let amount = situation.amount
        let isOver = { (limit: UInt64?) in limit.map { limit in amount.map { $0 > limit } ?? true } ?? false }
        // The amount of another currency cannot be compared.
        let hasAmountLimit = limits.onlineAbove != nil || limits.declineAbove != nil
        let isForeign = hasAmountLimit && !situation.isOwnCurrency
        mustDecline = situation.isBlocked || !isForeign && isOver(limits.declineAbove)
        mustGoOnline =
            isVelocityExceeded || isForeign || isOver(limits.onlineAbove) || situation.isPINBlocked
            || limits.isNewCardOnline && situation.isNew
    }

    /// The type of the first cryptogram: at most the type that the terminal requested.
    func first(_ requested: CryptogramType) -> CryptogramType {
        if mustDecline { return .aac }
        return requested == .tc && mustGoOnline ? .arqc : requested
    }

    /// Decides on the second cryptogram.
    /// - Parameters:
    ///   - requested: the type that the terminal requested.
    ///   - isOnline: whether the issuer has answered.
    ///   - isIssuerAuthentic: the result of issuer authentication; nil if it was not performed.
    ///   - isApproved: whether the issuer's card status update lets the card approve; nil if there is none.
    /// - Returns: a TC or an AAC.
    func second(
        _ requested: CryptogramType, isOnline: Bool, isIssuerAuthentic: Bool?, isApproved: Bool?
    ) -> CryptogramType {
        guard requested == .tc, !mustDecline, isApproved != false else { return .aac }
        // An authentication that failed counts, whatever the terminal reports about the issuer afterwards.
        if isIssuerAuthentic == false { return limits.allowsFailedIssuer ? .tc : .aac }
        return isOnline && !limits.trusts(isIssuerAuthentic) ? .aac : .tc
    }
}

/// The events of one transaction that the card verification results (CVR) report.
struct CardResults: Sendable, Hashable {
    var isPINPerformed = false
    var isPINEnciphered = false
    var isPINCorrect = false
    var isDDAReturned = false
    var isSigned = false
    /// The result of issuer authentication; nil if it was not performed.
    var isIssuerAuthentic: Bool?
    var isUnableToGoOnline = false
    var isVelocityExceeded = false

    /// Encodes the results for the issuer application data, in the layout of the scheme: bits
    /// as JackdawEMV explains them.
    /// - Parameters:
    ///   - scheme: the scheme of the card.
    ///   - first: the first cryptogram.
    ///   - second: the second one; nil if it is not requested yet.
    ///   - card: the state of the card.
    /// - Returns: the results, for Visa with their length before them.
    func octets(
        _ scheme: CryptogramScheme, first: CryptogramType, second: CryptogramType?, _ card: CardStatus
    ) -> [UInt8] {
        let types = (second?.rawValue ?? 0x80) | first.rawValue >> 2
        return scheme.isMChip ? mChip(types, isFirst: second == nil, card) : visa(types, card)
    }

    /// The state of the card that the results also report.
    struct CardStatus: Sendable, Hashable {
        /// The tries that the PIN has left; nil if the card has no PIN.
        var triesLeft: UInt8?
        var isNew: Bool
        var scripts: ApplicationState.ScriptRecord
        /// Whether the terminal is in the issuer's country; nil if that is not known.
        var isDomestic: Bool?
    }

    private func visa(_ types: UInt8, _ card: CardStatus) -> [UInt8] {
        let second = Self.bits([
            (isIssuerAuthentic == false, 0x08), (isPINPerformed, 0x04), (isPINPerformed && !isPINCorrect, 0x02),
            (isUnableToGoOnline, 0x01),
        ])
        let third = Self.bits([(card.triesLeft == 0, 0x40), (isVelocityExceeded, 0x20), (card.isNew, 0x10)])
        let fourth = Self.bits([(card.scripts.hasFailed, 0x08), (isDDAReturned, 0x02)])
        return [0x03, types | second, third, card.scripts.count << 4 | fourth]
    }

    private func mChip(_ types: UInt8, isFirst: Bool, _ card: CardStatus) -> [UInt8] {
        let first = Self.bits([
            (isPINPerformed, 0x04), (isPINEnciphered, 0x02), (isPINCorrect, 0x01),
        ])
        let second = Self.bits([
            (isDDAReturned, 0x80), (isSigned && isFirst, 0x40), (isSigned && !isFirst, 0x20),
            (isIssuerAuthentic != nil, 0x10),
        ])
        let fourth = Self.bits([
            (isUnableToGoOnline, 0x40), (!isPINPerformed, 0x20), (isPINPerformed && !isPINCorrect, 0x10),
            (card.triesLeft == 0, 0x08), (card.isDomestic == false, 0x04), (card.isDomestic == true, 0x02),
        ])
        let fifth = Self.bits([
            (isVelocityExceeded, 0x80), (isIssuerAuthentic == false, 0x04), (card.scripts.count > 0, 0x02),
            (card.scripts.hasFailed, 0x01),
        ])
        // A card without a PIN has no tries, and has not exceeded them.
        let tries = (card.triesLeft ?? 0) & 0x0F
        return [types | first, second, card.scripts.count << 4 | tries, fourth, fifth, 0]
    }

    private static func bits(_ bits: [(isSet: Bool, bit: UInt8)]) -> UInt8 {
        bits.reduce(0) { $1.isSet ? $0 | $1.bit : $0 }
    }
}
