import JackdawEMV

/// The facts of a payment that its messages have in common. A message may lack some of them.
struct PaymentFacts: Sendable {
    let account: AccountNumber?
    /// The amount in minor units.
    let amount: UInt64?
    /// The currency (5F2A), two octets.
    let currency: [UInt8]?
    /// The card's counter (9F36).
    let counter: UInt16?

    /// The facts of a message's objects.
    init(_ objects: DataObjectStore) {
        account = AccountNumber(objects)
        amount = objects.authorisedAmount
        currency = objects[.currency]
        counter = objects.counter
    }

    /// Whether no fact of one message is another one in the other.
    func agrees(with other: PaymentFacts) -> Bool {
        func agree<Fact: Equatable>(_ own: Fact?, _ other: Fact?) -> Bool { own == nil || other == nil || own == other }
        return agree(account, other.account) && agree(amount, other.amount) && agree(currency, other.currency)
            && agree(counter, other.counter)
    }
}

extension DataObjectStore {
    /// The card's counter (9F36); nil if it is missing, or does not have two octets.
    var counter: UInt16? {
        guard let octets = self[.transactionCounter], octets.count == 2 else { return nil }
        return UInt16(octets[0]) << 8 | UInt16(octets[1])
    }
}
