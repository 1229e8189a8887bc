package import JackdawEMV

/// The result of a payment with a virtual card, for people and programs. It has no card data but a masked account number.
package struct PaymentResult: Sendable {
    /// The result in one word.
    package enum Verdict: String, Sendable, Hashable, CaseIterable {
        /// The card or the issuer approved, and the payment is captured.
        case approved
        /// The card, the terminal or the issuer declined.
        case declined
        /// The issuer approved or may have approved, and the payment is taken back.
        case reversed
        /// The merchant or the cardholder cancelled.
        case cancelled
        /// The payment could not be carried out, and no money moved.
        case failed
        /// The payment has no end.
        case unknown
    }

    /// The end of the payment; nil if it has none.
    package let outcome: PaymentOutcome?
    /// The way in which the card was read; nil without a card, or if the reader does not report it.
    package let entry: CardEntry?
    /// Whether the payment was taken back.
    package let isReversed: Bool
    /// The account number, masked, as the issuer knows it; nil if it was not asked.
    package let account: String?
    /// Six digits of the issuer (89); nil without an approval.
    package let authorisationCode: String?
    /// The money that the cardholder owes, in minor units.
    package let captured: UInt64
    /// The reasons for the course of the payment, in their order.
    package let reasons: [PaymentReason]
    /// Whether the issuer has answered all messages, and the reader has no money that it must give back: till and issuer
    /// agree.
    package let isSettled: Bool

    init(
        outcome: PaymentOutcome?, isReversed: Bool, cardEntry: CardEntry?, issuerEntry: IssuerLedger.Entry?,
        authorisationCode: String?, reasons: [PaymentReason], isSettled: Bool
    ) {
        self.outcome = outcome
        entry = cardEntry
        self.isReversed = isReversed
        account = issuerEntry?.account
        self.authorisationCode = outcome?.isApproved == true ? authorisationCode : nil
        captured = issuerEntry?.captured ?? 0
        self.reasons = reasons
        self.isSettled = isSettled
    }

    /// The result in one word.
    package var verdict: Verdict {
        guard let outcome else { return .unknown }
        guard !isReversed else { return .reversed }
        switch outcome {
        case .approved, .approvedOffline: return .approved
        case .declinedByCard, .declinedOffline, .declinedOnline, .declinedSignature, .notAccepted: return .declined
        case .cancelled: return .cancelled
        case .failedPreparation, .failedLink, .failedCardRemoved, .failedTimeout, .failedKernel, .failedUnableOnline,
            .failedHostTimeout, .failedAutoReversed, .failedRecovered:
            return .failed
        }
    }
}
