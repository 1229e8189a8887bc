import JackdawCards
import JackdawDSP

/// A decoded track as it is printed: masked, unless the user asked to see all.
struct TrackReport {
    /// File and channel (from 1) that the track came from.
    let file: String
    let channel: Int
    let track: DecodedTrack
    /// What is shown of it.
    private let shown: ShownTrack

    init(_ track: DecodedTrack, file: String, channel: Int, isRevealed: Bool) {
        self.file = file
        self.channel = channel
        self.track = track
        shown = track.characters.withElements { ShownTrack($0, isRevealed: isRevealed) }
    }

    /// The fields, where the text has the form of a track.
    var content: Track? { shown.content }
    /// The whole text, sentinels included.
    var text: String { shown.text }
    var pan: String? { shown.pan }
    var name: String? { shown.name }
    /// What the text was recognised as, by name.
    var format: String { shown.format }

    /// The object of `--json`: the contract with other programs, so its fields neither change nor move.
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

    /// Two lines for a person: the text, and how it was read.
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
    /// Text from ASCII bytes; a 0, which stands for a character that is not certain, becomes a middle dot.
    init(ascii bytes: Span<UInt8>) {
        self = bytes.indices.reduce(into: "") { text, index in
            let scalar = Unicode.Scalar(bytes[index])
            text.unicodeScalars.append(scalar.value == 0 ? "\u{B7}" : scalar)
        }
    }
}
