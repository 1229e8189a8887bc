import JackdawReaders
import JackdawTestSupport
import Testing

/// The meanings of frames, a line each; of a frame that is discarded for a reason that has a code, the code and the
/// numbers in the text.
func words(_ meanings: [ReaderMeaning]) -> [String] {
    meanings.map { meaning in
        switch meaning {
        case .poweredUp: "powered up"
        case .done(let facts): facts.isEmpty ? "done" : "done: \(facts.map { "\($0)" }.joined(separator: ", "))"
        case .refused(let words): "refused: \(words)"
        case .more: "more"
        case .swipe(let swipe): "swipe: \(swipe)"
        case .badSwipe(let words, let reason): "bad swipe: \(values(of: words, reason))"
        case .gaveUp: "gave up"
        case .card(let notice): "card: \(notice)"
        case .reported(let fact): "reported: \(fact)"
        case .poweringDown: "powering down"
        case .reply(let bytes): "reply of \(bytes.count) bytes"
        case .unknown(let words, let reason): "unknown: \(values(of: words, reason))"
        }
    }
}

/// The code and the numbers of a text, or the text if it has no code.
func values(of words: String, _ reason: DiscardReason) -> String {
    reason == .other ? words : ([reason.rawValue] + numbers(in: words)).joined(separator: " ")
}

/// Expects an error with this code, at this byte, with these numbers in its message.
func expectFault<Result>(
    _ code: FrameFault.Code, at offset: Int, _ values: String..., sourceLocation: SourceLocation = #_sourceLocation,
    _ body: () throws -> Result
) {
    do {
        _ = try body()
        Issue.record("no error", sourceLocation: sourceLocation)
    } catch {
        guard let fault = error as? FrameFault else {
            Issue.record("\(error)", sourceLocation: sourceLocation)
            return
        }
        #expect(fault.code == code, sourceLocation: sourceLocation)
        #expect(fault.offset == offset, sourceLocation: sourceLocation)
        #expect(numbers(in: fault.message) == values, "\(fault)", sourceLocation: sourceLocation)
    }
}

/// A part of a swipe as text; nil where it has none.
func text(_ part: ReaderSwipe.Part, of swipe: ReaderSwipe) -> String? {
    swipe.withPart(part) { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
}
