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
    private let shown: ShownTrack

    init(_ track: HeadTrack, file: String, isRevealed: Bool) {
        self.file = file
        channel = track.channel + 1
        self.track = track.decoded
        shown = track.decoded.characters.withElements {
            ShownTrack($0, content: track.content, isRevealed: isRevealed)
        }
    }

    init(_ track: DecodedTrack, file: String, channel: Int, isRevealed: Bool) {
        self.init(HeadTrack(track, channel: channel - 1), file: file, isRevealed: isRevealed)
    }

    /// The fields, if the text has the form of a track.
    var content: Track? { shown.content }
    /// The whole text, sentinels included.
    var text: String { shown.text }
    var pan: String? { shown.pan }
    var name: String? { shown.name }
    /// The name of the format that the text has.
    var format: String { shown.format }

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

/// A track's text as it is printed: masked, unless the user asked for it in clear.
struct ShownTrack {
    /// The fields, if the text has the form of a track.
    let content: Track?
    /// The whole text, sentinels included.
    let text: String
    let pan: String?
    let name: String?
    let isMasked: Bool

    init(_ characters: Span<UInt8>, isRevealed: Bool) {
        self.init(characters, content: try? Track(parsing: characters), isRevealed: isRevealed)
    }

    /// - Parameters:
    ///   - characters: the whole text, sentinels included.
    ///   - content: its fields; nil if it does not have the form of a track.
    ///   - isRevealed: whether to show card data in clear.
    init(_ characters: Span<UInt8>, content: Track?, isRevealed: Bool) {
        isMasked = !isRevealed
        self.content = content
        guard isRevealed else {
            text = content?.maskedText ?? Masking.mask(characters)
            pan = content?.pan?.masked
            name = content?.name?.masked
            return
        }
        text = String(ascii: characters)
        pan = content?.pan?.withRevealedDigits { String(ascii: $0) }
        name = content?.name?.text.revealedText().trimmingBlanksAtEnd
    }

    /// The name of the format that the text has.
    var format: String { (content?.format ?? .unknown).rawValue }

    /// Adds the text to an object of `--json`.
    func addText(to object: inout JSONObject) {
        object.add("text", text)
        object.add("masked", isMasked)
    }

    /// Adds the fields to an object of `--json`.
    func addFields(to object: inout JSONObject) {
        object.add("pan", pan ?? "")
        object.add("name", name)
        object.add("expiry", content?.expiry?.text)
        object.add("service_code", content?.serviceCode?.text)
        object.add("format", format)
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
