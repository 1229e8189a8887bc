/// The state of an SPm20 terminal, from its notification `StatusEvent` or its answer to `Status`.
///
/// Source: programs in public repositories that use JSONPOS: the members, and the words of `transaction_status`. Their
/// meanings are inferred from the words.
package struct JSONPOSStatus: Sendable, Hashable {
    /// A step of a payment. A struct, as more words may exist.
    package struct Step: RawRepresentable, Sendable, Hashable {
        /// The word of `transaction_status`.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The terminal is at work.
        package static let processing = Step(rawValue: "PROCESSING")
        /// The cardholder must present the card.
        package static let cardAwaited = Step(rawValue: "WAIT_CARD_IN")
        /// The cardholder must remove the card.
        package static let removalAwaited = Step(rawValue: "WAIT_CARD_OUT")
        /// The terminal waits for the program.
        package static let programAwaited = Step(rawValue: "WAIT_POS")
    }

    /// The step of the payment under way; nil if there is none.
    package let step: Step?
    /// Whether a chip card is in the slot; nil if the terminal does not report it.
    package let isCardIn: Bool?
    /// Whether a payment may begin; nil if the terminal does not report it.
    package let isReady: Bool?
    /// The number of payments that the terminal has not delivered to its host yet; nil if it does not report it.
    package let pendingCount: Int?

    init(_ members: JSONValue) {
        func flag(_ name: String) -> Bool? {
            guard case .flag(let flag)? = members[name] else { return nil }
            return flag
        }
        step = members["transaction_status"]?.text.map { Step(rawValue: JSONPOSDialect.plain($0)) }
        isCardIn = flag("chip_card_in")
        isReady = flag("ready_for_transaction")
        pendingCount = members["pending_transaction_count"]?.number.flatMap { Int(exactly: $0) }
    }
}

/// The end of a payment at an SPm20 terminal, or what is known of it.
package enum JSONPOSResult: Sendable, Hashable {
    /// The terminal approved, and has taken the money. With the terminal's number of the transaction
    /// (`transaction_id`) without possible card data, if it sent one.
    case approved(transaction: String?)
    /// No money moves: the card, the issuer, the cardholder or the terminal refused. With the terminal's text, without
    /// possible card data.
    case declined(String)
    /// The terminal has not executed the request.
    case notExecuted

    /// Whether the terminal has taken the money.
    var isApproval: Bool { if case .approved = self { true } else { false } }
}

/// The end of a payment that an SPm20 terminal approved and the flow has given up.
package enum JSONPOSSettlement: Sendable, Hashable {
    /// The terminal has refunded it.
    case refunded
    /// The terminal has the money, and a person must deal with it. With the reason, without possible card data.
    case open(String)
}

extension JSONPOSPayment.Output {
    /// Whether the output is bytes for the terminal.
    var isBytes: Bool {
        if case .send = self { true } else { false }
    }
}
