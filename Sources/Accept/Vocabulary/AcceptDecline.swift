public import JackdawEMV

/// The reason of a payment that was not approved, for the display of a till. Beyond the seed.
public struct AcceptDecline: Sendable, Hashable {
    /// The side that ended the payment.
    public enum Group: String, Sendable, Hashable, CaseIterable {
        /// The host or the issuer.
        case host
        /// The card, or its application.
        case card
        /// The cardholder or the merchant.
        case person
        /// The terminal or its link.
        case terminal
        /// The connection to the host.
        case connection
    }

    /// The recommended next step.
    public enum Advice: String, Sendable, Hashable, CaseIterable {
        /// Begin another payment with the same or another card.
        case tryAgain
        /// Begin another payment with another card, or take cash.
        case useOtherCard
        /// Check the terminal, its battery and its link.
        case checkTerminal
        /// Check the connection to the host.
        case checkConnection
        /// Do not sell yet: the outcome is not known, and the till goes on to clear it up.
        case waitForOutcome
    }

    /// The side that ended the payment.
    public let group: Group
    /// The end of the payment flow.
    public let outcome: PaymentOutcome
    /// The host's code and text, or the till's own reason: that of a lost link to the terminal, or that the card is excluded;
    /// empty without them.
    public let text: String
    /// The recommended next step.
    public let advice: Advice
    /// The reason of the reversal that the till makes by itself; nil without one.
    public let reversalReason: AcceptReversalReason?
}
