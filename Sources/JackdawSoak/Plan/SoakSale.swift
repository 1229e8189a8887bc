package import JackdawSimulator

/// A sale, as a customer and a merchant want it.
package struct SoakSale: Sendable, Hashable {
    /// The way in which the customer pays.
    package enum Way: Sendable, Hashable, CaseIterable {
        /// A chip card at a simulated reader of this family.
        case miura, posmate, emvswiper
        /// The stripe of a card.
        case swipe
        /// Cash, which the till reports to the host.
        case cash
    }

    /// The number of the sale, from 0.
    package let number: Int
    /// The time of its begin, since the start.
    package let time: Duration
    /// The amount, in minor units of EUR.
    package let amount: UInt64
    package let way: Way
    /// Whether the amount is reserved first, and captured later.
    package let isAuthorisation: Bool
    /// Whether a part is returned later.
    package let isRefunded: Bool
    /// Whether the merchant takes the whole payment back, before or after the other operations.
    package let isTakenBack: Bool
    /// Whether the merchant's program makes the identifiers of attempts.
    package let isNamed: Bool
    /// The attempts after the first one.
    package let retries: Int
    /// Whether the merchant begins again while an attempt is under way.
    package let isImpatient: Bool
    /// Whether the merchant's program uses an identifier again, for another amount.
    package let reusesIdentifier: Bool
    /// The number of the card's answer after which the customer removes the card; nil if it stays.
    package let removal: Int?
    /// The fault of the reader, and the number of the message that it affects; nil without one.
    package let readerFault: PlannedFault?
    /// Whether the customer refuses to sign, or signs wrongly.
    package let signsWrongly: Bool
    /// The seed of everything else about it.
    package let seed: UInt64
}
