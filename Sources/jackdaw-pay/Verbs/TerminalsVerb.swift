#if Payments
import Accept
import ArgumentParser
import JackdawConsole
import JackdawTransport

/// Lists the terminals that the command can sell at.
struct TerminalsVerb: PayVerb {
    static let configuration = CommandConfiguration(
        commandName: "terminals",
        abstract: "List the terminals that sell takes.",
        discussion: """
            Each is simulated under the link of its row, with a test card in it; a real one is at the link that --link of \
            sell names, with --reader for its kind. 'jackdaw devices' finds readers nearby. No real terminal has been tried. \
            A UniMag only swipes cards, and a payment at it needs --signature.

            EXAMPLES
              jackdaw-pay terminals
              jackdaw-pay terminals --json
            """)

    @Flag(help: "Print one JSON object for each terminal.")
    var json = false

    func work() throws(CommandError) -> ExitStatus {
        let printer = TillPrinter(.standard(name: Program.name), isJSON: json)
        Interruption.ignoreClosedPipes()
        return try printer.status { () throws(CommandError) in
            print(to: printer)
            return .done
        }
    }

    private func print(to printer: TillPrinter) {
        var table = Table(.text("terminal"), .text("vendor"), .text("family"), .text("simulated"))
        for kind in TillTerminal.Kind.all {
            table.add(kind.name, kind.vendor.displayName, kind.family, kind.simulatedLink.description)
        }
        guard json else {
            printer.print("terminals", table.lines) { _ in }
            return
        }
        for kind in TillTerminal.Kind.all {
            printer.print("terminal", []) { object in
                object.add("terminal", kind.name)
                object.add("vendor", kind.vendor.displayName)
                object.add("vendor_uuid", kind.vendor.uuid)
                object.add("family", kind.family)
                object.add("simulated", kind.simulatedLink.description)
            }
        }
    }
}
#endif
