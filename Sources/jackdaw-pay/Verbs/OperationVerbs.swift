#if Payments
import Accept
import ArgumentParser
import JackdawConsole
import JackdawPayments

/// The options of an operation on a payment.
struct OperationOptions: ParsableArguments {
    @Argument(help: ArgumentHelp("Identifier of the payment.", valueName: "payment"), transform: PaymentArgument.read)
    var payment: AttemptIdentifier

    @OptionGroup
    var options: TillOptions

    /// Carries an operation out.
    /// - Parameters:
    ///   - operation: the operation.
    ///   - parameters: its values.
    ///   - limit: the time for messages to the host after a refund or a capture. Default: none.
    /// - Returns: the status of the operation.
    /// - Throws: the error of the operation.
    func run(
        _ operation: AcceptOperationOnPayment, _ parameters: AcceptPaymentParameters, wait limit: Duration = .zero
    ) throws(CommandError) -> ExitStatus {
        let payment = payment.rawValue
        return try options.work { till, printer throws(CommandError) in
            try await Operating(
                till: till, payment: payment, operation: operation, parameters: parameters, wait: limit,
                printer: printer
            ).run()
        }
    }
}

/// The amount and the identifier of a refund or a capture, and the wait after it.
struct PartOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("Amount; by default all that is left.", valueName: "amount"),
        transform: AmountArgument.read)
    var amount: AcceptHundredths?

    @Option(
        help: ArgumentHelp(
            "Identifier of the operation, the same for a repetition; by default a new one.", valueName: "id"),
        transform: PaymentArgument.read)
    var operation: AttemptIdentifier?

    @OptionGroup
    var waiting: WaitOption

    var parameters: AcceptPaymentParameters {
        var parameters = AcceptPaymentParameters()
        parameters.amount = amount
        parameters.operationId = operation?.rawValue
        return parameters
    }
}

/// Returns money of a payment.
struct RefundVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Return money of a payment, in part or all that is left.",
        discussion: """
            The journal of the till must have the payment. The refund has an identifier of its own, which is printed first: \
            give it as --operation to repeat the refund, or to 'jackdaw-pay status'.

            EXIT CODES
              0   refunded
              1   the payment or the amount does not allow it; the identifier is that of another request
              75  the outcome is not known yet, or a person must look at it

            EXAMPLES
              jackdaw-pay refund sale-1 --amount 2.50
            """)

    @OptionGroup
    var part: PartOptions

    @OptionGroup
    var common: OperationOptions

    func work() throws(CommandError) -> ExitStatus {
        try common.run(.refund, part.parameters, wait: part.waiting.limit)
    }
}

/// Takes the money of an authorisation.
struct CaptureVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Take the money of an authorised payment, in part or all of it.",
        discussion: """
            The journal of the till must have the payment, which is of 'jackdaw-pay sell --kind authorize' or \
            preauthorize. The capture has an identifier of its own, as a refund has.

            EXIT CODES
              0   captured
              1   the payment or the amount does not allow it
              75  the outcome is not known yet, or a person must look at it

            EXAMPLES
              jackdaw-pay capture room-12 --amount 89.00
            """)

    @OptionGroup
    var part: PartOptions

    @OptionGroup
    var common: OperationOptions

    func work() throws(CommandError) -> ExitStatus {
        try common.run(.capture, part.parameters, wait: part.waiting.limit)
    }
}

/// Takes a payment back.
struct ReverseVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "reverse",
        abstract: "Take a whole payment back, within 24 hours of its approval.",
        discussion: """
            A repetition has the same result. After 24 hours, use refund. Without an answer of the host the till goes on with \
            the reversal, by each command that asks the host.

            EXIT CODES
              0   reversed
              1   the payment does not allow it
              75  the outcome is not known: repeat the command

            EXAMPLES
              jackdaw-pay reverse sale-1 --note "wrong amount"
            """)

    @Option(
        help: ArgumentHelp(
            "Note about the reversal for the host, at most \(AcceptBasketItem.maxNoteBytes) bytes.", valueName: "text"))
    var note = ""

    @OptionGroup
    var common: OperationOptions

    func validate() throws {
        guard note.utf8.count <= AcceptBasketItem.maxNoteBytes else {
            throw ValidationError("--note has at most \(AcceptBasketItem.maxNoteBytes) bytes.")
        }
    }

    func work() throws(CommandError) -> ExitStatus {
        var parameters = AcceptPaymentParameters()
        parameters.note = note
        return try common.run(.reverse, parameters)
    }
}

/// Has the host send a receipt of a payment.
struct ReceiptVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "receipt",
        abstract: "Have the host send a receipt by e-mail or SMS.",
        discussion: """
            EXAMPLES
              jackdaw-pay receipt sale-1 --email customer@example.com
              jackdaw-pay receipt sale-1 --phone +49301234567
            """)

    @Option(help: ArgumentHelp("Address of the customer for e-mail.", valueName: "address"))
    var email: String?

    @Option(help: ArgumentHelp("Number of the customer for SMS.", valueName: "number"))
    var phone: String?

    @OptionGroup
    var common: OperationOptions

    func validate() throws {
        guard (email == nil) != (phone == nil) else { throw ValidationError("Give either --email or --phone.") }
    }

    func work() throws(CommandError) -> ExitStatus {
        var parameters = AcceptPaymentParameters()
        parameters.receiptRequested = true
        parameters.customerEmail = email ?? ""
        parameters.customerPhone = phone ?? ""
        return try common.run(.receipt, parameters)
    }
}
#endif
