import JackdawCards
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

/// Something that a reader tells about itself.
public enum ReaderFact: Sendable, Hashable, CustomStringConvertible {
    /// What kind of reader it is.
    case model(String)
    /// What software runs in it.
    case firmware(String)
    /// Its own number.
    case serialNumber(String)
    /// The serial number of the key that encrypts the next swipe (KSN), 8 to 12 bytes.
    case keySerialNumber([UInt8])
    /// Its battery.
    case battery(BatteryReport)
    /// Something that it can do, in the words of its protocol, with a value if it has one.
    case capability(String)
    /// How it is set up.
    case setting(ReaderSetting)
    /// What it does, in the words of its protocol.
    case status(String)
    /// Bytes whose meaning nobody has published, or that have none of their own; they may be card data.
    case bytes(ReaderBytes)

    /// Name and value.
    public var description: String {
        switch self {
        case .model: "model \(text ?? "")"
        case .firmware: "firmware \(text ?? "")"
        case .serialNumber: "serial number \(text ?? "")"
        case .keySerialNumber(let bytes): "key serial number \(bytes.span.hexadecimal())"
        case .battery(let report):
            "battery \(report.percent.map { "\($0) %" } ?? "unknown")\(report.isCharging == true ? ", charging" : "")"
        case .capability: "capability \(text ?? "")"
        case .setting(let setting): "setting \(setting.number) of \(setting.value.count) bytes"
        case .status: "status \(text ?? "")"
        case .bytes(let bytes): bytes.description
        }
    }

    /// What it tells in words, without what may be an account number; nil where it is none.
    package var text: String? {
        switch self {
        case .model(let text), .firmware(let text), .serialNumber(let text), .capability(let text), .status(let text):
            CardHiding.shown(text)
        case .keySerialNumber, .battery, .setting, .bytes: nil
        }
    }
}

/// Who a reader is, as far as it has told.
public struct ReaderIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The name of its family.
    public let family: String
    /// What it has told, in that order.
    public let facts: [ReaderFact]

    /// - Parameters:
    ///   - family: the name of its family.
    ///   - facts: what it has told.
    public init(family: String, facts: [ReaderFact]) {
        self.family = family
        self.facts = facts
    }

    /// Family and facts.
    public var description: String { ([family] + facts.map { "\($0)" }).joined(separator: ", ") }
}

/// Where the conversation with a reader stands.
public enum ReaderState: String, Sendable, Hashable, CaseIterable {
    /// Nothing was begun, or the reader was switched off.
    case off
    /// The reader is given power and has not told that it is there.
    case poweringUp
    /// The reader is asked who it is.
    case identifying
    /// The reader waits to be told something.
    case ready
    /// The reader is asked or set something.
    case asking
    /// The reader is told to wait for a card.
    case arming
    /// The reader waits for a card.
    case armed
    /// The reader is told to wait no more.
    case disarming
    /// The reader is told to switch itself off.
    case poweringDown
    /// The link has gone; nothing follows.
    case lost
}
