import Glibc
import JackdawAudioFile
import JackdawDSP

/// What `inspect` prints of a recording.
struct InspectionReport {
    let file: String
    let outcome: SwipeScanner.Outcome

    private var seconds: Double { Double(outcome.frames) / outcome.format.sampleRate }

    /// What kind of recording it is.
    var heading: String {
        let format = outcome.format
        return "\(file): \(format.container), \(format.encoding), \(fixed(format.sampleRate, 0)) Hz, "
            + "\(counted(format.channels, "channel")), \(fixed(seconds, 3)) s"
    }

    /// A swipe's heading in the picture.
    func title(channel: Int, _ swipe: SwipeInspection) -> String {
        var parts = ["\(file), channel \(channel + 1), swipe \(swipe.swipe + 1)", swipe.title]
        if let track = swipe.track {
            parts.append("\(fixed(track.speed.mean, 1)) in/s")
            parts.append("\(track.tier.rawValue) tier, confidence \(fixed(track.confidence, 2))")
        }
        return parts.joined(separator: "   ")
    }

    /// What a person reads of a channel.
    func lines(channel: Int, _ swipes: [SwipeInspection]) -> [String] {
        guard !swipes.isEmpty else { return ["channel \(channel + 1)", "  swipes   none"] }
        var table = Table(
            .number("swipe"), .number("seconds"), .number("cells"), .number("ms a cell"), .number("in/s"),
            .number("jitter %"), .number("peak dBFS"), .text("result"))
        for swipe in swipes {
            let speed = swipe.track.map { "\(fixed($0.speed.slowest, 1)) to \(fixed($0.speed.fastest, 1))" }
            table.add(
                "\(swipe.swipe + 1)", "\(fixed(swipe.span.start, 3)) to \(fixed(swipe.span.end, 3))",
                "\(swipe.cellCount)", number(swipe.meanCell.map { 1_000 * $0 }, 3), speed ?? "-",
                number(swipe.flux.jitter, 1), number(swipe.peakLevel, 1), result(swipe))
        }
        return ["channel \(channel + 1)"] + table.lines.map { "  \($0)" }
    }

    /// The object of `--json`.
    func json(channel: Int, _ swipes: [SwipeInspection]) -> JSONObject {
        var object = JSONObject()
        object.add("file", file)
        object.add("channel", channel + 1)
        object.add("container", outcome.format.container.name)
        object.add("encoding", outcome.format.encoding.name)
        object.add("sample_rate", outcome.format.sampleRate, decimals: 0)
        object.add("seconds", seconds, decimals: 6)
        object.add("swipes", swipes.map(swipeObject))
        return object
    }

    private func swipeObject(_ swipe: SwipeInspection) -> JSONObject {
        var object = JSONObject()
        object.add("swipe", swipe.swipe + 1)
        object.add("start", swipe.span.start, decimals: 6)
        object.add("end", swipe.span.end, decimals: 6)
        if let track = swipe.track {
            object.add("track", track.track.rawValue)
            object.add("direction", track.direction.rawValue)
            object.add("text", swipe.text)
            object.add("speed", track.speed.mean, decimals: 2)
            object.add("slowest", track.speed.slowest, decimals: 2)
            object.add("fastest", track.speed.fastest, decimals: 2)
        }
        if let failure = swipe.failure {
            object.add("failure", failure.reason.name)
            object.add("message", failure.description)
        }
        object.add("cells", swipe.cellCount)
        object.add("mean_cell", swipe.meanCell, decimals: 7)
        object.add("jitter", swipe.flux.jitter, decimals: 2)
        object.add("peak", swipe.peakLevel, decimals: 2)
        return object
    }

    private func result(_ swipe: SwipeInspection) -> String {
        swipe.text.isEmpty ? swipe.title : "\(swipe.title)  \(swipe.text)"
    }

    private func number(_ value: Double?, _ decimals: Int) -> String { value.map { fixed($0, decimals) } ?? "-" }
}

extension SwipeInspection {
    /// Highest magnitude within the span in dBFS; nil where the sound is not at hand, or silent.
    var peakLevel: Double? { peak.flatMap { $0 > 0 ? 20 * log10($0) : nil } }
}
