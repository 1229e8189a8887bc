public import JackdawCards

/// A request for the cardholder's signature (`AcceptSignatureRequest`).
public struct AcceptSignatureRequest: Sendable {
    /// The name on the card; empty if it is not known.
    public let cardHolderName: String
    /// The card number with the first six and the last four digits; empty if it is not known.
    public let maskedPAN: String
    /// The brand of the card; empty if it is not known.
    public let cardType: String
    /// The sum of the tips.
    public let gratuityAmount: AcceptHundredths
    /// Answers with the image of the signature, 1 to 32,768 bytes, or nil if there is none. Only the first call counts.
    public let signatureCallback: @Sendable ([UInt8]?, AcceptError?) -> Void

    /// The card number under the SDK's other name. It is masked, too.
    public var cardNumber: String { maskedPAN }
}

extension AcceptSignatureRequest: RedactedDescription {
    /// The brand alone: a name is personal.
    public var description: String { "signature for a card of \(cardType)" }
}

/// A request for the choice of an application, if a chip has more than one (`AcceptAppSelectionRequest`).
public struct AcceptAppSelectionRequest: Sendable {
    /// The names of the applications.
    public let appsArray: [String]
    /// Answers with the index of an application in the list. Only the first call counts. With an error, or an index outside
    /// of the list, the payment goes on as after an invalid choice.
    public let appSelectionCallback: @Sendable (Int, AcceptError?) -> Void
}

/// Answers with the merchant's decision on a signature. Only the first call with a decision counts.
public typealias AcceptSignatureVerificationResultCallback = @Sendable (AcceptSignatureVerificationResult) -> Void

/// The program's part of a payment: display, signature and choices. Each closure must return at once.
public struct AcceptPaymentHandlers: Sendable {
    /// Receives the steps for the user's display.
    public var progress: @Sendable (AcceptStateUpdate) -> Void
    /// Receives a request for a signature.
    public var signature: @Sendable (AcceptSignatureRequest) -> Void
    /// Receives the payment, nil if the host does not show it, and the callback for the merchant's comparison of the
    /// signature.
    public var signatureVerification:
        @Sendable (AcceptTransaction?, @escaping AcceptSignatureVerificationResultCallback) -> Void
    /// Receives a request for the choice of an application.
    public var appSelection: @Sendable (AcceptAppSelectionRequest) -> Void

    /// Handlers. By default nothing is displayed, no signature is given, a signature is not decided on, and the first
    /// application is chosen, as in the guide's demo.
    public init(
        progress: @escaping @Sendable (AcceptStateUpdate) -> Void = { _ in },
        signature: @escaping @Sendable (AcceptSignatureRequest) -> Void = { $0.signatureCallback(nil, nil) },
        signatureVerification:
            @escaping @Sendable (
                AcceptTransaction?, @escaping AcceptSignatureVerificationResultCallback
            ) -> Void = { _, _ in },
        appSelection: @escaping @Sendable (AcceptAppSelectionRequest) -> Void = { $0.appSelectionCallback(0, nil) }
    ) {
        self.progress = progress
        self.signature = signature
        self.signatureVerification = signatureVerification
        self.appSelection = appSelection
    }
}
