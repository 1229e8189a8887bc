/// What is paid.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSTransactionKind: String, Sendable, Hashable, CaseIterable {
    /// Goods.
    case goods = "GOODS"
    /// Services.
    case services = "SERVICES"
    /// Goods, with cash handed out.
    case cashback = "CASHBACK"
    /// Nothing: the balance is asked for.
    case inquiry = "INQUIRY"
    /// A transfer.
    case transfer = "TRANSFER"
    /// A payment.
    case payment = "PAYMENT"
    /// What was paid is given back.
    case refund = "REFUND"
}
