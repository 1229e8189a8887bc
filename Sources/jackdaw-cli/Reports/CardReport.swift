import JackdawCards

/// A card event as every verb prints it, with the same fields whatever read the card: masked, unless the user asked for
/// card data in clear.
struct CardReport {
    let event: CardEvent
    /// Whether card data shows in clear.
    let isRevealed: Bool

    /// The account number; with ``isRevealed`` whole, unless the reader itself has masked it.
    var pan: String? {
        guard isRevealed, let pan = event.pan else { return event.maskedNumber }
        return pan.withRevealedDigits { String(ascii: $0) }
    }

    /// The cardholder's name without blanks at its end.
    var name: String? {
        guard isRevealed, let name = event.name else { return event.name?.masked }
        return name.text.revealedText().trimmingBlanksAtEnd
    }

    /// The characters of a track; nil if it is encrypted.
    func text(of track: CardEvent.TrackText) -> String? {
        guard isRevealed else { return track.maskedText }
        return track.text.map { text in text.withRevealedText { String(ascii: $0) } }
    }

    // MARK: Text

    /// The fields in one line.
    var facts: String {
        var facts = [pan ?? "no account number"]
        if event.brand != .unknown { facts.append(event.brand.rawValue) }
        if let name, !name.isEmpty { facts.append(name) }
        if let expiry = event.expiry { facts.append("expires \(expiry.text.suffix(2))/\(expiry.text.prefix(2))") }
        if let code = event.serviceCode { facts.append("service code \(code.text)") }
        facts.append("source \(event.source.rawValue)")
        if let time = event.time { facts.append("time \(WallClock.text(time))") }
        return facts.joined(separator: ", ")
    }

    /// The line of the fields below the heading of an event.
    var factsLine: String { "  card     \(facts)" }

    /// A line for each track.
    var trackLines: [String] {
        event.tracks.map { track in
            let name = track.number.map { "track \($0)" } ?? "tracks "
            switch track.form {
            case .clear: return "  \(name)  \(text(of: track) ?? "")"
            case .masked: return "  \(name)  \(text(of: track) ?? "")  masked by the reader"
            case .encrypted: return "  \(name)  encrypted"
            }
        }
    }

    /// A line for each field that differs between tracks.
    var warnings: [String] { event.conflicts.map { "  warning  \($0)" } }

    // MARK: JSON

    /// Adds all fields except the time, which is the last field of an object.
    func add(to object: inout JSONObject) {
        object.add("masked", !isRevealed)
        addFields(to: &object)
        addOrigin(to: &object)
    }

    /// Adds number, name, expiry and service code.
    func addFields(to object: inout JSONObject) {
        object.add("pan", pan ?? "")
        object.add("name", name)
        object.add("expiry", event.expiry?.text)
        object.add("service_code", event.serviceCode?.text)
    }

    /// Adds brand, source and tracks.
    func addOrigin(to object: inout JSONObject) {
        object.add("brand", event.brand == .unknown ? nil : event.brand.rawValue)
        object.add("source", event.source.rawValue)
        object.add("tracks", event.tracks.map(trackObject))
    }

    /// Adds the time of the event; null if it is not known.
    func addTime(to object: inout JSONObject) { object.add("time", event.time.map { WallClock.text($0) }) }

    private func trackObject(_ track: CardEvent.TrackText) -> JSONObject {
        var object = JSONObject()
        object.add("track", track.number)
        object.add("form", track.form.rawValue)
        object.add("text", text(of: track))
        object.add("format", track.form == .clear ? (track.content?.format ?? .unknown).rawValue : nil)
        return object
    }
}

/// A card event of a single track, as the verbs print it that report each track by itself.
struct SingleTrackReport {
    let card: CardReport

    init(_ event: CardEvent, isRevealed: Bool) { card = CardReport(event: event, isRevealed: isRevealed) }

    /// The whole text, sentinels included.
    var text: String { card.event.tracks.first.flatMap { card.text(of: $0) } ?? "" }

    /// The name of the format that the text has.
    var format: String { (card.event.tracks.first?.content?.format ?? .unknown).rawValue }

    /// Adds the text to an object of `--json`.
    func addText(to object: inout JSONObject) {
        object.add("text", text)
        object.add("masked", !card.isRevealed)
    }

    /// Adds the fields to an object of `--json`, which they end.
    func addFields(to object: inout JSONObject) {
        card.addFields(to: &object)
        object.add("format", format)
        card.addOrigin(to: &object)
        card.addTime(to: &object)
    }
}
