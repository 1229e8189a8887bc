public import JackdawTransport

/// What happens at a reader, in the order in which it happens.
public enum ReaderEvent: Sendable, CustomStringConvertible {
    /// The reader is there and has told who it is.
    case connected(ReaderIdentity)
    /// The reader waits to be told something. Follows whatever it was busy with before.
    case ready
    /// The reader waits for a card.
    case waitingForCard
    /// A card was swiped.
    case swipe(ReaderSwipe)
    /// A card was swiped and not read; the reader goes on waiting.
    case badSwipe(String)
    /// Something else was done with a card.
    case card(CardNotice)
    /// No card came in time.
    case timedOut
    /// The wait for a card was ended, as it was wanted.
    case cancelled
    /// The reader has answered a question.
    case answered(ReaderQuestion, [ReaderFact])
    /// The reader was set up.
    case set(ReaderSetting)
    /// The reader tells something unasked.
    case told(ReaderFact)
    /// What was wanted was not done; where the reader is connected it stays so.
    case failed(ReaderError)
    /// Something came from the reader that was not to be used: nothing that was wanted fails by it alone.
    case dropped(DroppedInput)
    /// The reader was switched off, by the program or by itself.
    case poweredDown
    /// The link has gone, in good order where there is no error. The last event.
    case lost(LinkError?)

    /// One line for a person, card data masked.
    public var description: String {
        switch self {
        case .connected(let identity): "connected: \(identity)"
        case .ready: "ready"
        case .waitingForCard: "waiting for a card"
        case .swipe(let swipe): "swipe: \(swipe)"
        case .badSwipe(let reason): "bad swipe: \(reason)"
        case .card(let notice): "card: \(notice)"
        case .timedOut: "no card came in time"
        case .cancelled: "cancelled"
        case .answered(let question, let facts): "\(question): \(facts.map { "\($0)" }.joined(separator: ", "))"
        case .set(let setting): "setting \(setting.number) was set"
        case .told(let fact): "\(fact)"
        case .failed(let error): "failed: \(error)"
        case .dropped(let input): "dropped: \(input)"
        case .poweredDown: "powered down"
        case .lost(let error): error.map { "lost: \($0)" } ?? "lost"
        }
    }
}

/// What was done with a card beside swiping it.
public enum CardNotice: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A card with a chip was put in.
    case inserted
    /// The card was taken out.
    case removed
    /// A card was held near.
    case tapped
    /// A card was put in whose chip does not answer.
    case unreadable

    /// Its name.
    public var description: String { rawValue }
}

/// What came from a reader and was not to be used.
public enum DroppedInput: Sendable, Hashable, CustomStringConvertible {
    /// Bytes that are no frame, and why the first of them begin none.
    case noise(FrameFault, count: Int)
    /// A frame that answers nothing that was asked: late, twice, or not understood. Its meaning, without card data.
    case frame(String)
    /// A swipe that nobody waited for.
    case swipe
    /// So many bytes without a frame that the device speaks another protocol. Reported once, until a frame comes.
    case foreign(ForeignBytes)

    /// What it was.
    public var description: String {
        switch self {
        case .noise(let fault, let count): "\(count == 1 ? "1 byte is" : "\(count) bytes are") no frame: \(fault)"
        case .frame(let meaning): meaning
        case .swipe: "a swipe that nobody waited for"
        case .foreign(let bytes): bytes.description
        }
    }
}
