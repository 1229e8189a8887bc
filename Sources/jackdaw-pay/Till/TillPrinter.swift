#if Payments
import JackdawConsole
import JackdawTransport

/// Prints the events of a till: lines for people, or one JSON object a line. Card numbers come masked.
final class TillPrinter: Sendable {
    private let console: Lock<Console>
    let isJSON: Bool

    /// - Parameters:
    ///   - console: prints the lines.
    ///   - isJSON: whether events are JSON objects.
    init(_ console: sending Console, isJSON: Bool) {
        self.console = Lock(console)
        self.isJSON = isJSON
    }

    /// Whether results cannot be written any more.
    var hasFailed: Bool { console.withLock { $0.hasFailed } }

    /// Runs the work of a verb whose results it prints.
    /// - Returns: the status of the work, or `inputOutput` if a result could not be written, which a message reports.
    /// - Throws: the error of the work, if all results were written.
    func status(of work: () throws(CommandError) -> ExitStatus) throws(CommandError) -> ExitStatus {
        let status: ExitStatus
        do throws(CommandError) { status = try work() } catch {
            guard hasFailed else { throw error }
            if error.status != .interrupted { message(error.message) }
            status = error.status
        }
        guard console.withLock({ $0.reportFailure() }) else { return status }
        return status == .interrupted && Interruption.isRequested ? status : .inputOutput
    }

    /// Prints an event at once, as an object or as lines.
    func print(_ event: String, _ lines: [String], _ fill: (inout JSONObject) -> Void) {
        var object = JSONObject()
        object.add("event", event)
        fill(&object)
        console.withLock { [object] console in
            if isJSON {
                console.result(object)
            } else {
                for line in lines { console.result(line) }
            }
            console.flush()
        }
    }

    /// Writes a line to standard error.
    func message(_ line: String) { console.withLock { $0.message(line) } }
}
#endif
