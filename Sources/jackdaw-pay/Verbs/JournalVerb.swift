#if Payments
import ArgumentParser
import JackdawConsole
import JackdawPayments

/// The journal of a till.
struct JournalVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal",
        abstract: "List the payments that are not over, and deliver their messages.",
        discussion: """
            Without a verb it lists the payments of the journal that are not over, whose messages the host does not have \
            yet, or that a person must look at.

            EXAMPLES
              jackdaw-pay journal
              jackdaw-pay journal flush --wait 60
              jackdaw-pay journal settle sale-1 unpaid --note "reversed by phone"
            """,
        subcommands: [List.self, Flush.self, Settle.self], defaultSubcommand: List.self)

    /// Lists the payments that are not over.
    struct List: PayVerb {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the payments that are not over.",
            discussion: """
                Ends with 0, whatever the list has.

                EXAMPLES
                  jackdaw-pay journal list --json
                """)

        @OptionGroup
        var options: TillOptions

        func work() throws(CommandError) -> ExitStatus {
            let (folder, printer) = (try options.folder(), options.printer)
            return try TillWork.run(printer) { () async throws(CommandError) in
                try await JournalReading(folder: folder, printer: printer).list()
            }
        }
    }

    /// Notes a person's work on a payment.
    struct Settle: PayVerb {
        static let configuration = CommandConfiguration(
            commandName: "settle", abstract: "Note that a person has dealt with a payment in state needsAttention.",
            discussion: """
                The host refused a reversal or a delivery, so that no program can clear the payment up. Ask the host's \
                operator whether money moved, and note the result: paid, unpaid, or again to send the message once more \
                after its reason has been removed.

                EXIT CODES
                  0   approved
                  1   no money moved; or the payment needs no attention
                  75  the outcome is not known yet, or a person must look at it

                EXAMPLES
                  jackdaw-pay journal settle sale-1 unpaid --note "reversed by phone"
                """)

        /// The result of the person's work.
        enum Outcome: String, ExpressibleByArgument, CaseIterable {
            case paid, unpaid, again

            var result: AttentionResult {
                switch self {
                case .paid: .paid
                case .unpaid: .unpaid
                case .again: .sendAgain
                }
            }
        }

        @Argument(
            help: ArgumentHelp("Identifier of the payment.", valueName: "payment"), transform: PaymentArgument.read)
        var payment: AttemptIdentifier

        @Argument(help: "paid, unpaid or again.")
        var outcome: Outcome

        @Option(help: ArgumentHelp("Text for the journal.", valueName: "text"))
        var note: String

        @OptionGroup
        var waiting: WaitOption

        @OptionGroup
        var options: TillOptions

        func work() throws(CommandError) -> ExitStatus {
            let (payment, result, note, limit) = (payment, outcome.result, note, waiting.limit)
            return try options.work { till, printer throws(CommandError) in
                try await JournalFlush(till: till, wait: limit, printer: printer).settle(payment, result, note: note)
            }
        }
    }

    /// Delivers the messages of the journal.
    struct Flush: PayVerb {
        static let configuration = CommandConfiguration(
            commandName: "flush", abstract: "Deliver the messages for the host.",
            discussion: """
                Goes on with all payments of the journal, as each command does that asks the host, and waits until the \
                host has all messages.

                EXIT CODES
                  0   the host has all messages
                  69  no login; the host cannot be reached; journal in use
                  75  a message is left, or a person must look at a payment

                EXAMPLES
                  jackdaw-pay journal flush --wait 60
                """)

        @OptionGroup
        var waiting: WaitOption

        @OptionGroup
        var options: TillOptions

        func work() throws(CommandError) -> ExitStatus {
            let limit = waiting.limit
            return try options.work { till, printer throws(CommandError) in
                try await JournalFlush(till: till, wait: limit, printer: printer).run()
            }
        }
    }
}
#endif
