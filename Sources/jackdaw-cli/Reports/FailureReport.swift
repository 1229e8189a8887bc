import JackdawDSP

/// A swipe that could not be read, as it is printed.
struct FailureReport {
    /// File and channel (from 1) that the swipe came from.
    let file: String
    let channel: Int
    let failure: SwipeFailure
    /// Whether to show the bits and characters that were read: card data.
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

    /// One line for a person, and one each for bits and characters where they are wanted.
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
