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
            sell names, with --reader for its kind. No real terminal has been tried. A UniMag only swipes cards, and a \
            payment at it needs --signature.

            --near lists real ones instead: devices that are paired over Bluetooth and have the name of a reader, and \
            sound cards, whose jacks do not show which reader is in them. 'jackdaw devices --scan' finds a reader, and \
            'jackdaw pair' pairs it. Spire and BBPOS do not publish the names of their readers: sell takes one that is \
            missing by its link all the same.

            EXIT CODES
              0   listed
              1   --near found no reader
              69  --near could not search at all

            EXAMPLES
              jackdaw-pay terminals
              jackdaw-pay terminals --near --json
            """)

    @Flag(help: "List the readers that are paired with this computer, and its sound cards.")
    var near = false

    @Flag(help: "Print one JSON object for each terminal.")
    var json = false

    func work() throws(CommandError) -> ExitStatus {
        let printer = TillPrinter(.standard(name: Program.name), isJSON: json)
        guard !near else {
            return try TillWork.run(printer) { () async throws(CommandError) in
                try await Self.listNearby(.ofComputer, on: printer)
            }
        }
        Interruption.ignoreClosedPipes()
        return try printer.status { () throws(CommandError) in
            print(to: printer)
            return .done
        }
    }

    /// Lists the readers that are near.
    /// - Throws: the error of the search if all searches failed.
    static func listNearby(
        _ readers: NearbyReaders, on printer: TillPrinter
    ) async throws(CommandError) -> ExitStatus {
        let (found, errors) = await readers.find()
        if found.isEmpty, let error = errors.first { throw CommandError(error) }
        for error in errors { printer.message(error.description) }
        guard !found.isEmpty else {
            printer.message("no reader found: pair one with jackdaw pair, or connect a sound card with a jack")
            return .nothingFound
        }
        var table = Table(.text("link"), .text("terminal"), .text("vendor"), .text("name"))
        for finding in found {
            table.add(finding.link, finding.kind.name, finding.kind.vendor.displayName, finding.name)
        }
        guard printer.isJSON else {
            printer.print("terminals", table.lines) { _ in }
            return .done
        }
        for finding in found {
            printer.print("terminal", []) { object in
                object.add("terminal", finding.kind.name)
                object.add("vendor", finding.kind.vendor.displayName)
                object.add("vendor_uuid", finding.kind.vendor.uuid)
                object.add("family", finding.kind.family)
                object.add("link", finding.link)
                object.add("name", finding.name)
            }
        }
        return .done
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
