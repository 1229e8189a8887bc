import JackdawReaders
import JackdawTransport

/// What autodetection has found and seen, for programs.
struct AutodetectReport {
    let link: LinkName
    let report: ReaderSearchReport
    /// Whether the reader that was found was powered up.
    let isActivated: Bool
    /// When it ended, since the beginning of 1970.
    let time: Duration

    var object: JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("found", report.found)
        object.add("activated", isActivated)
        object.add("seconds", report.duration / .seconds(1), decimals: 2)
        object.add("quiet_level", report.quietLevel, decimals: 1)
        object.add("attempts", report.attempts.map(Self.object))
        object.add(time: time)
        return object
    }

    private static func object(_ attempt: ReaderSearchReport.Attempt) -> JSONObject {
        var object = JSONObject()
        object.add("family", attempt.family)
        var (bytes, after, reason): (Int?, Duration?, String?)
        let outcome: String
        switch attempt.outcome {
        case .notTried(let text): (outcome, reason) = ("not_tried", text)
        case .notReached: outcome = "not_reached"
        case .silent: outcome = "silent"
        case .unknown(let count): (outcome, bytes) = ("unknown", count)
        case .answeredOnce(let time): (outcome, after) = ("answered_once", time)
        case .answered(let time): (outcome, after) = ("answered", time)
        case .heard: outcome = "heard"
        }
        object.add("outcome", outcome)
        object.add("tests", attempt.testCount)
        object.add("after", after.map { $0 / .seconds(1) }, decimals: 3)
        object.add("bytes", bytes)
        object.add("level", attempt.level, decimals: 1)
        object.add("reason", reason)
        return object
    }
}
