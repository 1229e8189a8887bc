import JackdawPayments

// Payments in cash: the guide 1.6.182, revision history (135), without a call. `Accept.h` has
// `startCashPayment:completion:progress:` from 1.6.177. No source shows the request, which is this project's.

extension Accept {
    /// Books a basket that was paid in cash. No terminal is used, and no card is read.
    ///
    /// The payment is in the journal before anything is sent, and its sale is paid once, in cash or by card. It can be reversed
    /// and refunded. The host must be there: without it the payment fails.
    /// - Parameters:
    ///   - config: the basket, the connection to the host and the token. Vendor and terminal do not count, and
    ///     `transactionType` must be `purchase`.
    ///   - progress: the step for the user's display: `onlineProcessingData` before the host is asked. Default: nothing is
    ///     shown.
    /// - Returns: the booked payment.
    /// - Throws: the errors of ``AcceptPaymentConfig/validate()``, `pay(.tokenExpired)`, `common(.unsupportedFeature)`,
    ///   `operationNotAllowed` if the sale is paid, `saleInProgress`, `identifierUsed`, `journalFailed`, `notRunning`,
    ///   `pay(.transactionNotApproved)` if it is not booked, and `needsAttention`. After `pay(.responseLost)` the outcome is not
    ///   known: the till goes on to ask for it, see ``status(of:)``.
    public func startCashPayment(
        _ config: AcceptPaymentConfig, progress: @escaping @Sendable (AcceptStateUpdate) -> Void = { _ in }
    ) async throws(AcceptError) -> AcceptTransaction {
        let attempt = config.basket.transactionUniqueId.flatMap { AttemptIdentifier(rawValue: $0) } ?? .random()
        let name = config.saleIdentifier.isEmpty ? attempt.rawValue : config.saleIdentifier
        guard let sale = SaleIdentifier(rawValue: name), AcceptWire.isUsable(attempt) else {
            throw AcceptError(.basketInvalid, "An identifier has 1 to 64 characters of ASCII without spaces.")
        }
        let request = try config.attemptRequest(for: sale, isCash: true)
        guard let token = config.accessToken, isValid(token) else {
            throw AcceptError(.pay(.tokenExpired), "The user must log in before a payment.")
        }
        let context = OperationContext(
            name: attempt, token: token, config: config.backendConfig, parameters: AcceptPaymentParameters())
        let service = try paymentService(at: config.backendConfig)
        callbacks { progress(.onlineProcessingData) }
        return try await carryOut(.cash(config, request), context, service)
    }

    /// ``startCashPayment(_:progress:)`` with a completion: the payment or the error, once, last.
    public func startCashPayment(
        _ config: AcceptPaymentConfig, completion: @escaping @Sendable (AcceptTransaction?, AcceptError?) -> Void,
        progress: @escaping @Sendable (AcceptStateUpdate) -> Void
    ) {
        complete(completion) { () async throws(AcceptError) in
            try await self.startCashPayment(config, progress: progress)
        }
    }
}
