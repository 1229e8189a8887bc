#if Payments
import ArgumentParser
import JackdawConsole
import JackdawPayments

/// Prints a payment as the journal has it.
struct StatusVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the state of a payment, a refund or a capture.",
        discussion: """
            Reads the journal of the till, without the host and without a login. docs/payments.md has the states.

            EXIT CODES
              0   approved
              1   declined, cancelled, failed or reversed; or not in the journal
              75  the outcome is not known yet, or a person must look at it

            EXAMPLES
              jackdaw-pay status sale-1
            """)

    @Argument(help: ArgumentHelp("Identifier of the payment.", valueName: "payment"), transform: PaymentArgument.read)
    var payment: AttemptIdentifier

    @OptionGroup
    var options: TillOptions

    func work() throws(CommandError) -> ExitStatus {
        let (folder, printer, payment) = (try options.folder(), options.printer, payment)
        return try TillWork.run(printer) { () async throws(CommandError) in
            try await JournalReading(folder: folder, printer: printer).status(of: payment)
        }
    }
}
#endif
