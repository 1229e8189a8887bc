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
        public init(_ entry: CardEntry) {
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

    init(_ file: CardFileObject) throws(VirtualCardError) {
        guard let amount = try file.number("amount", 0...999_999_999_999) else {
            throw VirtualCardError(.member, at: file.place, "it lacks a member \"amount\"")
        }
        self.amount = UInt64(amount)
        currency = file.has("currency") ? try file.octets("currency", 2...2) : [0x09, 0x78]
        guard let outcome = PaymentOutcome(rawValue: try file.text("outcome")) else {
            let known = PaymentOutcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw VirtualCardError(.value, at: file.place(of: "outcome"), "it must be one of \(known)")
        }
        self.outcome = outcome
        interface = try file.choice("interface", Interface.allCases.map(\.rawValue)).flatMap {
            Interface(rawValue: $0)
        }
        results = file.has("tvr") ? TerminalVerificationResults(try file.octets("tvr", 5...5)) : nil
        reasons = try file.texts("reasons")
        rule = try file.text("why")
    }

    static let members = [
        "amount", "currency", "payer", "issuer", "outcome", "interface", "tvr", "reasons", "why",
    ]
}
