import JackdawCards
import JackdawDSP
import JackdawSwipe

/// A decoded track as it is printed: masked, unless the user asked to see all.
struct TrackReport {
    /// File and channel (from 1) of the track.
    let file: String
    let channel: Int
    let track: DecodedTrack
    /// The text and fields as they are printed.
    private let shown: SingleTrackReport

    /// - Parameters:
    ///   - track: the track.
    ///   - file: the file or link of the sound.
    ///   - isRevealed: whether to show card data in clear.
    ///   - time: the time since the beginning of 1970 (UTC); nil for a recording.
    init(_ track: HeadTrack, file: String, isRevealed: Bool, time: Duration? = nil) {
        self.file = file
        channel = track.channel + 1
        self.track = track.decoded
        shown = SingleTrackReport(CardEvent(track, time: time), isRevealed: isRevealed)
    }

    init(_ track: DecodedTrack, file: String, channel: Int, isRevealed: Bool) {
        self.init(HeadTrack(track, channel: channel - 1), file: file, isRevealed: isRevealed)
    }

    /// The whole text, sentinels included.
    var text: String { shown.text }

    /// The object of `--json`: a contract with other programs, so the names and the order of its fields are fixed.
    var json: JSONObject {
        var object = JSONObject()
        object.add("file", file)
        object.add("channel", channel)
        object.add("swipe", track.swipe + 1)
        object.add("track", track.track.rawValue)
        object.add("direction", track.direction.rawValue)
        object.add("start", track.span.start, decimals: 6)
        object.add("end", track.span.end, decimals: 6)
        shown.addText(to: &object)
        object.add("parity", track.parity.rawValue)
        object.add("lrc", track.lrc.rawValue)
        object.add("repaired", track.repairedCharacters.count)
        object.add("confidence", track.confidence, decimals: 4)
        object.add("speed", track.speed.mean, decimals: 2)
        object.add("tier", track.tier.rawValue)
        shown.addFields(to: &object)
        return object
    }

    /// Two lines for a person: the text, and the properties of the reading.
    var lines: [String] {
        let span = "\(fixed(track.span.start, 3)) to \(fixed(track.span.end, 3)) s"
        let speed = track.speed
        let pace = "\(fixed(speed.mean, 1)) in/s (\(fixed(speed.slowest, 1)) to \(fixed(speed.fastest, 1)))"
        let sureness = "\(track.tier.rawValue) tier, confidence \(fixed(track.confidence, 2))"
        return [
            "  track \(track.track.rawValue)  \(text)",
            "           \(span), channel \(channel), \(track.direction.rawValue), \(pace), \(sureness)\(repairs)",
        ]
    }

    private var repairs: String {
        var notes = ""
        if !track.repairedCharacters.isEmpty {
            notes += ", \(counted(track.repairedCharacters.count, "character")) repaired"
        }
        if track.lrc != .ok { notes += ", LRC \(track.lrc.rawValue)" }
        return notes
    }
}

extension String {
    /// Text from ASCII bytes; a 0, which stands for an uncertain character, becomes a middle dot.
    init(ascii bytes: Span<UInt8>) {
        self = bytes.indices.reduce(into: "") { text, index in
            let scalar = Unicode.Scalar(bytes[index])
            text.unicodeScalars.append(scalar.value == 0 ? "\u{B7}" : scalar)
        }
    }
}

/// A swipe that could not be read, as it is printed.
struct FailureReport {
    /// File and channel (from 1) of the swipe.
    let file: String
    let channel: Int
    let failure: SwipeFailure
    /// Whether to print the bits and characters that were read, which are card data.
    let showsBits: Bool

    /// The object of `decode --json --failures`.
    var json: JSONObject {
        var object = JSONObject()
        object.add("file", file)
        object.add("channel", channel)
        object.add("swipe", failure.swipe + 1)
        object.add("failure", failure.reason.name)
        object.add("message", failure.description)
        object.add("start", failure.span.start, decimals: 6)
        object.add("end", failure.span.end, decimals: 6)
        if let character = failure.firstBadCharacter { object.add("character", character + 1) }
        if showsBits {
            object.add("bits", bits)
            object.add("partial", partialText)
        }
        return object
    }

    /// One line for a person; with ``showsBits`` also one for the bits and one for the characters.
    var lines: [String] {
        let span = "\(fixed(failure.span.start, 3)) to \(fixed(failure.span.end, 3)) s"
        var lines = [
            "\(file.hidingKeysAndNumbers): channel \(channel), swipe \(failure.swipe + 1), \(span): \(failure)"
        ]
        if showsBits {
            lines.append("  bits     \(bits.isEmpty ? "none" : bits)")
            lines.append("  partial  \(partialText.isEmpty ? "none" : partialText)")
        }
        return lines
    }

    private var bits: String {
        failure.bits.withElements { bits in
            bits.indices.reduce(into: "") { $0 += bits[$1] == 0 ? "0" : "1" }
        }
    }

    private var partialText: String { failure.partialCharacters.withElements { String(ascii: $0) } }
}
