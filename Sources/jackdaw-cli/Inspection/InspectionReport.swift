import JackdawAudioFile
import JackdawDSP
import JackdawSpectrum

/// The results of `inspect` for one channel of a recording.
struct InspectionReport {
    /// Share of samples at full scale above which the report mentions them. A sine that just fills the range reaches
    /// half of this share.
    private static let maxAtFullScale = 0.01

    let file: String
    let format: AudioFormat
    /// Number of the channel, from 1.
    let channel: Int
    let survey: RecordingReport
    let swipes: [SwipeSummary]
    /// The swipes that are drawn in a picture.
    let drawn: [SwipeInspection]
    let lineCodes: [LineInspection]
    /// Whether possible card data is printed in clear.
    let isRevealed: Bool

    /// The file and its format in one line.
    var heading: String {
        "\(file.hidingKeysAndNumbers): \(format.container), \(format.encoding), \(fixed(format.sampleRate, 0)) Hz, "
            + "\(counted(format.channels, "channel")), \(fixed(survey.duration, 3)) s"
    }

    /// A swipe's heading in the picture.
    func title(_ swipe: SwipeInspection) -> String {
        var parts = ["\(file.hidingKeysAndNumbers), channel \(channel), swipe \(swipe.swipe + 1)", swipe.title]
        if let track = swipe.track {
            parts.append("\(fixed(track.speed.mean, 1)) in/s")
            parts.append("\(track.tier.rawValue) tier, confidence \(fixed(track.confidence, 2))")
        }
        return parts.joined(separator: "   ")
    }

    /// A line code's headings in the picture: its mode and quality, and its bytes.
    func titles(_ line: LineInspection) -> (heading: String, summary: String) {
        let start = fixed(Double(line.guess.samples.lowerBound) / format.sampleRate, 3)
        let name = file.hidingKeysAndNumbers
        let heading = "\(name), channel \(channel), \(start) s   \(line.guess.title)   \(line.guess.quality)"
        return (heading, line.summary(isRevealed: isRevealed))
    }

    /// The lines for a person.
    var lines: [String] {
        let swipeLines = swipes.isEmpty ? ["  swipes    none"] : [""] + table.lines.map { "  \($0)" }
        return [
            "channel \(channel)",
            "  level     \(level(survey.peakLevel)) peak, \(level(survey.rmsLevel)) RMS, "
                + "DC \(fixed(100 * survey.dcOffset, 2)) % of full scale",
            "  noise     \(level(survey.noiseFloor)) in the quietest tenth",
            "  hum       \(humText)",
            "  clipping  \(clippingText)",
            "  carriers  \(carrierText)",
            "  band      \(bandText)",
        ] + lineCodeLines + swipeLines
    }

    private var lineCodeLines: [String] {
        guard !lineCodes.isEmpty else { return ["  modem     none"] }
        return lineCodes.map { line in
            let guess = line.guess
            let seconds = [guess.samples.lowerBound, guess.samples.upperBound].map {
                fixed(Double($0) / format.sampleRate, 2)
            }
            return "  modem     \(guess.title), \(seconds[0]) to \(seconds[1]) s, \(guess.quality)"
        }
    }

    private var humText: String {
        guard let hum = survey.hum else { return "none" }
        let harmonics = hum.lines.map { String($0.harmonic) }.joined(separator: ", ")
        return "\(fixed(hum.mainsFrequency, 0)) Hz mains at \(level(hum.level)), harmonics \(harmonics)"
    }

    private var clippingText: String {
        guard survey.clippedRuns > 0 else {
            let share = fixed(100 * survey.fullScaleShare, 1)
            return survey.fullScaleShare > Self.maxAtFullScale
                ? "no runs, \(share) % of the samples at full scale" : "none"
        }
        return "\(counted(survey.clippedRuns, "run")), \(fixed(100 * survey.clippedShare, 2)) % of the samples"
    }

    private var carrierText: String {
        let carriers = survey.carriers.map {
            "\(fixed($0.frequency, 0)) Hz (\(fixed($0.width, 0)) wide) at \(level($0.level))"
        }
        return carriers.isEmpty ? "none" : carriers.joined(separator: ", ")
    }

    private var bandText: String {
        guard let band = survey.usableBand else { return "no signal above the noise" }
        return "\(fixed(band.lowerBound, 0)) to \(fixed(band.upperBound, 0)) Hz"
    }

    private var table: Table {
        var table = Table(
            .number("swipe"), .number("seconds"), .number("cells"), .number("ms a cell"), .number("in/s"),
            .number("jitter %"), .number("peak dBFS"), .text("result"))
        for swipe in swipes {
            let speed = swipe.track.map { "\(fixed($0.speed.slowest, 1)) to \(fixed($0.speed.fastest, 1))" }
            let result = swipe.text.isEmpty ? "\(swipe.title)" : "\(swipe.title)  \(swipe.text)"
            table.add(
                "\(swipe.swipe + 1)", "\(fixed(swipe.span.start, 3)) to \(fixed(swipe.span.end, 3))",
                "\(swipe.cellCount)", number(swipe.meanCell.map { 1_000 * $0 }, 3), speed ?? "-",
                number(swipe.jitter, 1), number(swipe.peakLevel, 1), result)
        }
        return table
    }

    private func level(_ level: Double) -> String {
        level > Decibels.silence ? "\(fixed(level, 1)) dBFS" : "digital silence"
    }

    private func number(_ value: Double?, _ decimals: Int) -> String { value.map { fixed($0, decimals) } ?? "-" }

    // MARK: JSON

    /// The object of `--json`.
    var json: JSONObject {
        var object = JSONObject()
        object.add("file", file)
        object.add("channel", channel)
        object.add("container", format.container.name)
        object.add("encoding", format.encoding.name)
        object.add("sample_rate", format.sampleRate, decimals: 0)
        object.add("seconds", survey.duration, decimals: 6)
        object.add("peak", survey.peakLevel, decimals: 2)
        object.add("rms", survey.rmsLevel, decimals: 2)
        object.add("dc", survey.dcOffset, decimals: 6)
        object.add("noise", survey.noiseFloor, decimals: 2)
        object.add("hum_frequency", survey.hum?.mainsFrequency, decimals: 0)
        object.add("hum", survey.hum?.level, decimals: 2)
        object.add("clipped_runs", survey.clippedRuns)
        object.add("clipped_share", survey.clippedShare, decimals: 6)
        object.add("full_scale_share", survey.fullScaleShare, decimals: 6)
        object.add("carriers", survey.carriers.map(carrierObject))
        object.add("band_from", survey.usableBand?.lowerBound, decimals: 0)
        object.add("band_to", survey.usableBand?.upperBound, decimals: 0)
        object.add("modems", lineCodes.map(lineCodeObject))
        object.add("swipes", swipes.map(swipeObject))
        return object
    }

    private func lineCodeObject(_ line: LineInspection) -> JSONObject {
        let guess = line.guess
        var object = JSONObject()
        object.add("mode", guess.modeName)
        object.add("start", Double(guess.samples.lowerBound) / format.sampleRate, decimals: 3)
        object.add("end", Double(guess.samples.upperBound) / format.sampleRate, decimals: 3)
        object.add("baud", guess.baud, decimals: 2)
        if case .tones(let tones) = guess.carrier {
            object.add("mark", tones.mark, decimals: 1)
            object.add("space", tones.space, decimals: 1)
        }
        object.add("fit", guess.fit, decimals: 3)
        object.add("regularity", guess.regularity, decimals: 3)
        return object
    }

    private func carrierObject(_ carrier: Carrier) -> JSONObject {
        var object = JSONObject()
        object.add("frequency", carrier.frequency, decimals: 1)
        object.add("level", carrier.level, decimals: 2)
        object.add("width", carrier.width, decimals: 1)
        return object
    }

    private func swipeObject(_ swipe: SwipeSummary) -> JSONObject {
        var object = JSONObject()
        object.add("swipe", swipe.swipe + 1)
        object.add("start", swipe.span.start, decimals: 6)
        object.add("end", swipe.span.end, decimals: 6)
        if let track = swipe.track {
            object.add("track", track.track.rawValue)
            object.add("direction", track.direction.rawValue)
            object.add("text", swipe.text.description)
            object.add("speed", track.speed.mean, decimals: 2)
            object.add("slowest", track.speed.slowest, decimals: 2)
            object.add("fastest", track.speed.fastest, decimals: 2)
        }
        if let failure = swipe.failure {
            object.add("failure", failure.reason.name)
            object.add("message", failure.description.description)
        }
        object.add("cells", swipe.cellCount)
        object.add("mean_cell", swipe.meanCell, decimals: 7)
        object.add("jitter", swipe.jitter, decimals: 2)
        object.add("peak", swipe.peakLevel, decimals: 2)
        return object
    }
}

extension SwipeInspection {
    /// Highest magnitude within the span in dBFS; nil if the sound is not at hand.
    var peakLevel: Double? { peak.map(Decibels.level(ofAmplitude:)) }
}
