public import JackdawCards
package import JackdawPayments

/// The content of a payment (`AcceptPaymentConfig`).
public struct AcceptPaymentConfig: Sendable {
    /// The identifier of the terminal's vendor.
    public var vendorUUID: String
    /// The identifier of the terminal.
    public var terminalUUID: String
    /// The connection to the host.
    public var backendConfig: AcceptDataServiceConfig
    /// The things that the payment is for.
    public var basket: AcceptBasket
    /// The token of the user's login; nil before it.
    public var accessToken: SecretText?
    /// Whether the basket may have a tip. Default: false.
    public var allowGratuity: Bool
    /// The kind of the payment. Default: `purchase`.
    public var transactionType: AcceptTransactionType

    /// The sale that is paid, of which one payment alone can be approved: 1 to 64 characters of printable ASCII without
    /// spaces. Beyond the seed. Default: empty, for a sale of its own with the payment's identifier.
    public var saleIdentifier = ""

    /// A configuration; ``validate()`` checks it.
    public init(
        vendorUUID: String, terminalUUID: String, backendConfig: AcceptDataServiceConfig, basket: AcceptBasket,
        accessToken: SecretText? = nil, allowGratuity: Bool = false, transactionType: AcceptTransactionType = .purchase
    ) {
        self.vendorUUID = vendorUUID
        self.terminalUUID = terminalUUID
        self.backendConfig = backendConfig
        self.basket = basket
        self.accessToken = accessToken
        self.allowGratuity = allowGratuity
        self.transactionType = transactionType
    }

    /// Checks the connection and the basket, and that a tip is allowed if there is one.
    /// - Throws: `common(.applicationConfigurationInvalid)`, `gratuityNotAllowed`, and the errors of ``AcceptBasket/validate()``.
    public func validate() throws(AcceptError) {
        try backendConfig.validate()
        try basket.validate()
        guard allowGratuity || !basket.items.contains(where: { $0.itemType == .tip }) else {
            throw AcceptError(.gratuityNotAllowed, "The basket has a tip, and allowGratuity is false.")
        }
    }

    /// The request of the payment for a payment desk.
    /// - Parameter sale: the sale that is paid.
    /// - Returns: a purchase or an authorisation with the basket in its details.
    /// - Throws: the errors of ``validate()``; `basketInvalid` if all texts together are too long for one request.
    package func attemptRequest(for sale: SaleIdentifier) throws(AcceptError) -> AttemptRequest {
        try attemptRequest(for: sale, isCash: false)
    }

    /// The request of a payment by card, or of one in cash, which is always a purchase.
    func attemptRequest(for sale: SaleIdentifier, isCash: Bool) throws(AcceptError) -> AttemptRequest {
        try validate()
        guard !isCash || transactionType == .purchase else {
            throw AcceptError(.common(.unsupportedFeature), "Cash is not authorised first.")
        }
        var details = try basket.details()
        if !backendConfig.callbackURL.isEmpty {
            details.append(AttemptDetail("callback_url", backendConfig.callbackURL))
        }
        let kind: AttemptKind
        switch transactionType {
        case .purchase: kind = isCash ? .cash : .purchase
        case .authorize: kind = .authorisation
        case .preauthorize:
            kind = .authorisation
            details.append(AttemptDetail(AcceptWire.transactionTypeDetail, AcceptWire.preauthorize))
        case .sepa:
            kind = .purchase
            details.append(AttemptDetail(AcceptWire.transactionTypeDetail, AcceptWire.directDebit))
        }
        let amount = try basket.amount()
        do throws(RequestError) {
            return try AttemptRequest(sale: sale, kind: kind, amount: amount, details: details)
        } catch {
            throw AcceptError(.basketInvalid, error.message)
        }
    }
}

extension AcceptPaymentConfig: RedactedDescription {
    /// The kind and the terminal.
    public var description: String { "\(transactionType) at \(vendorUUID) \(terminalUUID)" }
}
