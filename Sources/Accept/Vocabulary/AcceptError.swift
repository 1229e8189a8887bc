/// The error of a call. It has no card data, password or token.
public struct AcceptError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error: a number of the SDK's enumerations, or a name of this project.
    public struct Code: Sendable, Hashable {
        /// The enumeration: `AcceptPayErrorCode`, `AcceptCommonErrorCode` or `AcceptConfigFilesInfoErrorCode`; `Jackdaw`
        /// for this project's own codes.
        public let domain: String
        /// The name of the case, such as `tokenExpired`.
        public let name: String
        /// The SDK's number; nil for this project's own codes.
        public let number: Int?

        /// The code of an error of a payment.
        public static func pay(_ code: AcceptPayErrorCode) -> Code {
            Code(domain: "AcceptPayErrorCode", name: "\(code)", number: code.rawValue)
        }

        /// The code of an error of a request or of discovery.
        public static func common(_ code: AcceptCommonErrorCode) -> Code {
            Code(domain: "AcceptCommonErrorCode", name: "\(code)", number: code.rawValue)
        }

        /// The code of an error of a terminal's configuration.
        public static func config(_ code: AcceptConfigFilesInfoErrorCode) -> Code {
            Code(domain: "AcceptConfigFilesInfoErrorCode", name: "\(code)", number: code.rawValue)
        }

        private static func own(_ name: String) -> Code { Code(domain: "Jackdaw", name: name, number: nil) }

        /// A sum or a product exceeds the greatest amount.
        public static let amountOverflow = own("amountOverflow")
        /// The amount has more decimals than the currency, is zero, or is too large.
        public static let amountInvalid = own("amountInvalid")
        /// The basket is empty, or an item has a value out of range.
        public static let basketInvalid = own("basketInvalid")
        /// The basket has a tip, and the configuration allows none.
        public static let gratuityNotAllowed = own("gratuityNotAllowed")
        /// A value of a call is too long, or is none that the host or a card takes.
        public static let configurationInvalid = own("configurationInvalid")
        /// The host's certificate is wrong, has expired, or is not of a trusted authority.
        public static let hostNotTrusted = own("hostNotTrusted")
        /// The host refuses the program's identifier or secret.
        public static let programRefused = own("programRefused")
        /// The host takes no login for a while, after too many that failed.
        public static let tooManyRequests = own("tooManyRequests")
        /// The host refuses the request, or reports an error of its own.
        public static let hostError = own("hostError")
        /// The answer of the host cannot be read.
        public static let answerUnreadable = own("answerUnreadable")
        /// The task was cancelled.
        public static let cancelled = own("cancelled")
        /// An address for e-mail or a phone number is malformed.
        public static let contactInvalid = own("contactInvalid")
        /// The host or the journal has no payment with this identifier.
        public static let paymentNotFound = own("paymentNotFound")
        /// The state of the payment does not allow the operation.
        public static let operationNotAllowed = own("operationNotAllowed")
        /// The payment was approved more than 24 hours ago.
        public static let reversalTooLate = own("reversalTooLate")
        /// The amount, with the operations before, exceeds that of the payment.
        public static let amountExceeded = own("amountExceeded")
        /// Another payment or operation of the sale is not over.
        public static let saleInProgress = own("saleInProgress")
        /// The identifier belongs to another request.
        public static let identifierUsed = own("identifierUsed")
        /// The host refuses to clear the outcome up: a person must ask the host's operator.
        public static let needsAttention = own("needsAttention")
        /// The journal could not be read or written. Nothing was sent.
        public static let journalFailed = own("journalFailed")
        /// The payment service was not handed in, not started, or was shut down.
        public static let notRunning = own("notRunning")
        /// The merchant does not take the currency of the basket.
        public static let currencyNotAccepted = own("currencyNotAccepted")
        /// The amount is below the merchant's lower limit, or above the upper one.
        public static let amountLimit = own("amountLimit")
    }

    /// The SDK's domain of errors: `AcceptErrorDomain`.
    public var domain: String { AcceptErrorDomain }
    /// The kind of error.
    public let code: Code
    /// A sentence for a person, which says how to go on if that is known.
    public let message: String

    /// The reason of a payment that was not approved, with advice; nil for other errors.
    public let decline: AcceptDecline?
    /// The identifier of the refund or the capture whose outcome is not known, for ``Accept/status(of:)``; nil for other
    /// errors.
    public internal(set) var attempt: String?

    /// An error with a sentence for a person.
    public init(_ code: Code, _ message: String) { self.init(code, message, nil) }

    init(_ code: Code, _ message: String, _ decline: AcceptDecline?) {
        self.code = code
        self.message = message
        self.decline = decline
    }

    /// Whether the user must log in again. A basket can be kept until then.
    public var isTokenExpired: Bool {
        [
            Code.pay(.tokenExpired), .common(.transactionsQueryTokenExpired), .common(.requestMerchantInfoTokenExpired),
            .common(.queryStatsTokenExpired), .config(.tokenExpired),
        ].contains(code)
    }

    public var description: String { "\(code.name): \(message)" }
}
