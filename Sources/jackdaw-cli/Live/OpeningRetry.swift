import JackdawTransport

// After a failed attempt to open a link: whether to try again, when, and which failures are reported.

/// Limits the reports of why a link cannot be opened: each reason at once, and then once a minute while it occurs
/// again.
struct OpeningFailures {
    static let pause = Duration.seconds(60)

    /// The total wait between attempts so far.
    private var waited = Duration.zero
    /// For each reason, the total wait at its last report, and the number of failures since then.
    private var reports: [LinkError.Code: (time: Duration, unreported: Int)] = [:]

    /// Counts a failure.
    /// - Parameters:
    ///   - error: the reason.
    ///   - wait: the time until the next attempt.
    /// - Returns: the number of failed attempts since the last report if this one must be reported; nil if not.
    mutating func receive(_ error: LinkError, wait: Duration) -> Int? {
        defer { waited += wait }
        let last = reports[error.code]
        let unreported = (last?.unreported ?? 0) + 1
        if let last, waited - last.time < Self.pause {
            reports[error.code]?.unreported = unreported
            return nil
        }
        reports[error.code] = (waited, 0)
        return unreported
    }

    /// Resets the limit once the link is open: the next failure is reported at once.
    mutating func succeed() { reports = [:] }
}

/// Decides whether and when to retry a link that could not be opened.
struct OpeningRetry {
    let link: LinkName
    /// Whether to retry, if the link can be opened again.
    let isWanted: Bool
    private var failures = OpeningFailures()
    private var wait: Duration?

    init(_ link: LinkName, isWanted: Bool) {
        self.link = link
        self.isWanted = isWanted
    }

    /// Decides after a failed attempt.
    /// - Parameter error: the reason of the failure.
    /// - Returns: the wait until the next attempt, and the report of this one if it is due; nil if there is no next
    ///   attempt.
    mutating func next(after error: LinkError) -> (wait: Duration, report: WaitingReport?)? {
        guard isWanted, link.canComeBack, KeptLink.Persistence.always.tries(again: error.code, wasOpen: false) else {
            return nil
        }
        let next = BackOff().wait(after: wait)
        wait = next
        let tries = failures.receive(error, wait: next)
        return (next, tries.map { WaitingReport(link: link, error: error, wait: next, tries: $0) })
    }
}

/// A link that could not be opened, or was lost, and will be tried again.
struct WaitingReport {
    let link: LinkName
    let error: LinkError
    /// The time until the next attempt.
    let wait: Duration
    /// The number of failed attempts since the last report.
    let tries: Int

    /// The line for a person.
    var message: String {
        let often = tries > 1 ? ", \(tries) times since the last report" : ""
        return "\(error)\(often); trying again in \(fixed(wait / .seconds(1), 1)) s"
    }

    /// The object for a program, without the time.
    var json: JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", "waiting")
        object.add("reason", error.code.name)
        object.add("seconds", wait / .seconds(1), decimals: 1)
        return object
    }
}
