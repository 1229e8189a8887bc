public import JackdawEMV

/// The end of a payment with a card of a deck, as the card's file says: the member `ends`.
public struct CardEnding: Sendable, Hashable {
    /// The interface by which a payment ends. The raw value is the name in the file.
    public enum Interface: String, Sendable, Hashable, CaseIterable {
        /// The chip with contacts.
        case contact
        /// The card is tapped.
        case tap
        /// The stripe is swiped.
        case stripe

        /// The interface of a card that was read so.
        package init(_ entry: CardEntry) {
            switch entry {
            case .chip: self = .contact
            case .tap: self = .tap
            case .swipe, .fallback: self = .stripe
            }
        }
    }

    /// The amount, in minor units.
    public let amount: UInt64
    /// The currency, ISO 4217 numeric, two octets.
    public let currency: [UInt8]
    /// The outcome of the payment.
    public let outcome: PaymentOutcome
    /// The interface by which it ends; nil if there is no card at the end.
    public let interface: Interface?
    /// The TVR of the kernel; nil if no kernel comes to its end.
    public let results: TerminalVerificationResults?
    /// The codes of ``PaymentReason``, in their order.
    public let reasons: [String]
    /// The rule from which the end follows, with its section.
    public let rule: String

    init(_ file: DescriptionObject) throws(SimulationFileError) {
        amount = try file.amount("amount")
        currency = try file.optionalOctets("currency", 2...2) ?? [0x09, 0x78]
        outcome = try file.choice("outcome")
        interface = try file.optionalChoice("interface")
        results = try file.optionalOctets("tvr", 5...5).flatMap { TerminalVerificationResults($0) }
        reasons = try file.texts("reasons")
        rule = try file.text("why")
    }

    static let members = [
        "amount", "currency", "payer", "issuer", "outcome", "interface", "tvr", "reasons", "why",
    ]
}
