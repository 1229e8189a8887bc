import JackdawBytes
import JackdawCards
import JackdawReaders
import JackdawTransport

/// An event of a reader, as it is printed.
struct ReaderEventReport {
    let link: LinkName
    let event: ReaderEvent
    /// The time at which it was received, since the beginning of 1970 (UTC).
    let time: Duration
    /// Whether card data shows in clear.
    let isRevealed: Bool

    /// Whether each event is printed even if it equals the last one.
    var isData: Bool {
        switch event {
        case .swipe, .badSwipe: true
        case .reported(.bytes): isRevealed
        default: false
        }
    }

    /// One line for a person; for a swipe also the lines of the card, with ``isRevealed``
    /// those of its other parts, too.
    var lines: [String] {
        var lines = ["\(link.shown): \(event)"]
        if case .swipe(let swipe) = event {
            let card = report(on: swipe)
            lines += [card.factsLine] + card.trackLines + card.warnings
            for part in swipe.orderedParts where isRevealed && !part.isTrackText {
                lines.append("  \(part.words.padded(to: 18))  \(swipe.text(of: part) ?? swipe.digits(of: part))")
            }
        }
        if case .reported(.bytes(let bytes)) = event, isRevealed { lines.append("  \(bytes.digits)") }
        return lines
    }

    private func report(on swipe: ReaderSwipe) -> CardReport {
        CardReport(event: CardEvent(swipe, source: link.cardSource, time: time), isRevealed: isRevealed)
    }

    /// The object for a program, without the time.
    var json: JSONObject {
        var object = JSONObject()
        object.add("link", link.description)
        object.add("event", name)
        switch event {
        case .connected(let identity):
            object.add("family", identity.family)
            object.add("facts", identity.facts.map { $0.json(isRevealed: isRevealed) })
        case .swipe(let swipe): add(swipe, to: &object)
        case .badSwipe(let reason): object.add("reason", reason)
        case .card(let notice): object.add("card", notice.rawValue)
        case .answered(let question, let facts):
            object.add("question", question.rawValue)
            object.add("facts", facts.map { $0.json(isRevealed: isRevealed) })
        case .set(let setting): object.add("setting", setting.number)
        case .reported(let fact): object.add("facts", [fact.json(isRevealed: isRevealed)])
        case .failed(let error):
            object.add("reason", error.code.rawValue)
            object.add("message", error.description)
        case .dropped(let input):
            object.add("message", input.description)
            if case .foreign(let bytes) = input {
                object.add("family", bytes.family)
                object.add("count", bytes.count)
                object.add("first", bytes.digits)
            }
        case .lost(let error): object.add("reason", error?.code.name)
        case .ready, .waitingForCard, .timedOut, .cancelled, .poweredDown: break
        }
        return object
    }

    private var name: String {
        switch event {
        // `connected` is the event of the link.
        case .connected: "identified"
        case .ready: "ready"
        case .waitingForCard: "waiting_for_card"
        case .swipe: "swipe"
        case .badSwipe: "bad_swipe"
        case .card: "card"
        case .timedOut: "timed_out"
        case .cancelled: "cancelled"
        case .answered: "answered"
        case .set: "set"
        case .reported: "told"
        case .failed: "failed"
        case .dropped: "dropped"
        case .poweredDown: "powered_down"
        case .lost: "lost"
        }
    }

    private func add(_ swipe: ReaderSwipe, to object: inout JSONObject) {
        object.add("family", swipe.family)
        object.add("cipher", swipe.cipher?.rawValue)
        addParts(of: swipe, to: &object)
        report(on: swipe).add(to: &object)
    }

    private func addParts(of swipe: ReaderSwipe, to object: inout JSONObject) {
        let parts = swipe.orderedParts
        guard isRevealed else { return object.add("parts", parts.map(\.words)) }
        object.add(
            "parts",
            parts.map { part in
                var shown = JSONObject()
                shown.add("part", part.words)
                if let text = swipe.text(of: part) {
                    shown.add("text", text)
                } else {
                    shown.add("bytes", swipe.digits(of: part))
                }
                return shown
            })
    }
}

extension ReaderFact {
    /// The object of a fact, with its name and its value.
    /// - Parameter isRevealed: whether to include bytes that may be card data.
    /// - Returns: the object.
    func json(isRevealed: Bool) -> JSONObject {
        var object = JSONObject()
        func add(_ name: String, _ value: String) {
            object.add("fact", name)
            object.add("value", value)
        }
        switch self {
        case .model: add("model", text ?? "")
        case .firmware: add("firmware", text ?? "")
        case .serialNumber: add("serial_number", text ?? "")
        case .keySerialNumber(let bytes): add("key_serial_number", bytes.map(\.lowercaseHexadecimal).joined())
        case .capability: add("capability", text ?? "")
        case .status: add("status", text ?? "")
        case .battery(let report):
            object.add("fact", "battery")
            object.add("percent", report.percent)
            object.add("charging", report.isCharging)
        case .setting(let setting):
            object.add("fact", "setting")
            object.add("number", setting.number)
        case .bytes(let bytes):
            object.add("fact", "bytes")
            object.add("count", bytes.count)
            if isRevealed { object.add("bytes", bytes.digits) }
        }
        return object
    }
}

extension ReaderSwipe {
    /// The parts of the swipe, always in the same order.
    fileprivate var orderedParts: [Part] { parts.sorted { $0.words < $1.words } }

    /// A part as the reader sent it; nil if the part is not text.
    fileprivate func text(of part: Part) -> String? {
        switch part {
        case .track, .maskedTrack, .maskedNumber, .cardholderName, .serialNumber: break
        case .encryptedTrack, .encryptedTracks, .packedTracks, .hash, .keySerialNumber, .session, .magnePrint,
            .magnePrintStatus, .expiry, .frame:
            return nil
        }
        return withPart(part) { bytes in
            String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
    }

    /// A part's bytes, in hexadecimal digits.
    fileprivate func digits(of part: Part) -> String {
        withPart(part) { bytes in bytes.indices.map { bytes[$0].lowercaseHexadecimal }.joined() } ?? ""
    }
}

extension LinkName {
    /// The source of the cards that a reader at the link reads.
    fileprivate var cardSource: CardEvent.Source {
        switch scheme {
        case .alsa, .wav: .audioReader
        case .rfcomm, .ble: .bluetoothReader
        case .record: recording?.link.cardSource ?? .reader
        case .tcp, .pty, .pcsc, .sim, .replay: .reader
        }
    }
}

extension ReaderSwipe.Part {
    /// Whether the lines of the card show the part.
    fileprivate var isTrackText: Bool {
        switch self {
        case .track, .maskedTrack: true
        default: false
        }
    }

    fileprivate var words: String {
        switch self {
        case .track(let number): "track \(number)"
        case .maskedTrack(let number): "masked track \(number)"
        case .encryptedTrack(let number): "encrypted track \(number)"
        case .encryptedTracks: "encrypted tracks"
        case .packedTracks: "packed tracks"
        case .hash(let number): "hash of track \(number)"
        case .keySerialNumber: "key serial number"
        case .session: "session"
        case .serialNumber: "serial number"
        case .magnePrint: "fingerprint"
        case .magnePrintStatus: "fingerprint status"
        case .maskedNumber: "masked number"
        case .expiry: "expiry"
        case .cardholderName: "cardholder name"
        case .frame: "frame"
        }
    }
}

extension ReaderBytes {
    /// Two hexadecimal digits for each byte.
    fileprivate var digits: String {
        withBytes { bytes in bytes.indices.map { bytes[$0].lowercaseHexadecimal }.joined() }
    }
}
