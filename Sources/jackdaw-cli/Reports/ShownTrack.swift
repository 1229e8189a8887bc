import JackdawCards

/// What is shown of a track's text: masked, unless the user asked to see all.
struct ShownTrack {
    /// The fields, where the text has the form of a track.
    let content: Track?
    /// The whole text, sentinels included.
    let text: String
    let pan: String?
    let name: String?
    let isMasked: Bool

    init(_ characters: Span<UInt8>, isRevealed: Bool) {
        isMasked = !isRevealed
        let content = try? Track(parsing: characters)
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

    /// What the text was recognised as, by name.
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
