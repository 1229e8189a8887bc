import JackdawReaders

/// What frames mean, a line each.
func words(_ meanings: [ReaderMeaning]) -> [String] {
    meanings.map { meaning in
        switch meaning {
        case .poweredUp: "powered up"
        case .done(let facts): facts.isEmpty ? "done" : "done: \(facts.map { "\($0)" }.joined(separator: ", "))"
        case .refused(let words): "refused: \(words)"
        case .more: "more"
        case .swipe(let swipe): "swipe: \(swipe)"
        case .badSwipe(let reason): "bad swipe: \(reason)"
        case .gaveUp: "gave up"
        case .card(let notice): "card: \(notice)"
        case .told(let fact): "told: \(fact)"
        case .poweringDown: "powering down"
        case .reply(let bytes): "reply of \(bytes.count) bytes"
        case .unknown(let words): "unknown: \(words)"
        }
    }
}

/// A part of a swipe as text; nil where it has none.
func text(_ part: ReaderSwipe.Part, of swipe: ReaderSwipe) -> String? {
    swipe.withPart(part) { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
