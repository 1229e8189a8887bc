import JackdawCards
public import JackdawTransport

/// An event at a reader. Events are reported in the order in which they happen.
public enum ReaderEvent: Sendable, CustomStringConvertible {
    /// The reader is connected and has identified itself.
    case connected(ReaderIdentity)
    /// The reader is ready for a command. Follows the end of each command.
    case ready
    /// The reader is waiting for a card.
    case waitingForCard
    /// A card was swiped and the reader decoded it.
    case swipe(ReaderSwipe)
    /// The reader did not decode a card that was swiped; the wait goes on.
    case badSwipe(String)
    /// Another event at the reader with a card.
    case card(CardNotice)
    /// The wait ended without a card.
    case timedOut
    /// The program cancelled the wait for a card or the connection.
    case cancelled
    /// The reader answered a question.
    case answered(ReaderQuestion, [ReaderFact])
    /// The reader has accepted a setting.
    case set(ReaderSetting)
    /// The reader sent an unsolicited notification.
    case reported(ReaderFact)
    /// A command failed, or the reader restarted or did not answer a keep-alive request. In the last case the driver
    /// switches the reader off; otherwise a connected reader remains connected.
    case failed(ReaderError)
    /// Input from the reader was discarded. This alone makes no command fail.
    case dropped(DroppedInput)
    /// The program or the reader itself switched the reader off.
    case poweredDown
    /// The link was lost; the error is nil if the other end closed it in good order. The last event.
    case lost(LinkError?)

    /// One line of text, with card data masked.
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
        case .reported(let fact): "\(fact)"
        case .failed(let error): "failed: \(error)"
        case .dropped(let input): "dropped: \(input)"
        case .poweredDown: "powered down"
        case .lost(let error): error.map { "lost: \($0)" } ?? "lost"
        }
    }
}

/// An event with a card other than a swipe.
public enum CardNotice: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// A chip card was inserted into the reader.
    case inserted
    /// The card was removed from the reader.
    case removed
    /// A card was held near the contactless antenna.
    case tapped
    /// A card was inserted whose chip does not answer.
    case unreadable

    public var description: String { rawValue }
}

/// Input from a reader that was discarded.
public enum DroppedInput: Sendable, Hashable, CustomStringConvertible {
    /// Bytes that are not a frame, with the fault of the first of them.
    case noise(FrameFault, count: Int)
    /// A frame that answers no request: late, repeated, or not understood. The text has no card data.
    case frame(String, reason: DiscardReason)
    /// A swipe for which the driver was not waiting.
    case swipe
    /// Too many bytes without a frame: the device speaks another protocol. Reported once, until a frame is received.
    case foreign(ForeignBytes)

    public var description: String {
        switch self {
        case .noise(let fault, let count): "\(count == 1 ? "1 byte is" : "\(count) bytes are") no frame: \(fault)"
        case .frame(let meaning, _): meaning
        case .swipe: "a swipe without a wait for a card"
        case .foreign(let bytes): bytes.description
        }
    }
}

/// Why a frame from a reader, or the swipe in it, was discarded. More may be added.
public struct DiscardReason: RawRepresentable, Sendable, Hashable {
    /// The name of the reason, such as `unsolicitedAnswer`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// No reason of its own: the text alone explains it.
    public static let other = DiscardReason(rawValue: "other")
    /// An answer without a request.
    package static let unsolicitedAnswer = DiscardReason(rawValue: "unsolicitedAnswer")
    /// A part of an answer without a request.
    package static let unsolicitedPart = DiscardReason(rawValue: "unsolicitedPart")
    /// A refusal or an error without a request.
    package static let unsolicitedRefusal = DiscardReason(rawValue: "unsolicitedRefusal")
    /// The end of a wait for a card without such a wait.
    package static let unsolicitedTimeout = DiscardReason(rawValue: "unsolicitedTimeout")
    /// A bad swipe without a wait for a card.
    package static let unsolicitedSwipe = DiscardReason(rawValue: "unsolicitedSwipe")
    /// An event with a card at a reader that is not connected.
    package static let unsolicitedCard = DiscardReason(rawValue: "unsolicitedCard")
    /// A fact from a reader that is not connected.
    package static let unsolicitedFact = DiscardReason(rawValue: "unsolicitedFact")
    /// A power-up message that is not expected.
    package static let unsolicitedPowerUp = DiscardReason(rawValue: "unsolicitedPowerUp")
    /// The power-down message of a reader that is off.
    package static let unsolicitedPowerDown = DiscardReason(rawValue: "unsolicitedPowerDown")
    /// The bytes are not a frame of the protocol.
    package static let notAFrame = DiscardReason(rawValue: "notAFrame")
    /// The answer does not match the request.
    package static let badAnswer = DiscardReason(rawValue: "badAnswer")
    /// A message of several parts is incomplete.
    package static let lostMessage = DiscardReason(rawValue: "lostMessage")
    /// The fields of the message contradict each other.
    package static let badFields = DiscardReason(rawValue: "badFields")
    /// The reader's counter of encrypted swipes is exhausted.
    package static let expired = DiscardReason(rawValue: "expired")
}

/// A fact that a reader reports about itself.
public enum ReaderFact: Sendable, Hashable, CustomStringConvertible {
    /// The reader's model, as it reports it.
    case model(String)
    /// The version of the reader's firmware.
    case firmware(String)
    /// The reader's own serial number.
    case serialNumber(String)
    /// The serial number of the key that encrypts the next swipe (KSN), 8 to 12 bytes.
    case keySerialNumber([UInt8])
    /// The state of the reader's battery.
    case battery(BatteryReport)
    /// A capability, in the words of its protocol, with a value if it has one.
    case capability(String)
    /// A setting and its current value.
    case setting(ReaderSetting)
    /// The reader's activity or condition, in the words of its protocol.
    case status(String)
    /// Bytes whose meaning is not published, or that have no case of their own; they may be card data.
    case bytes(ReaderBytes)

    public var description: String {
        switch self {
        case .model: "model \(text ?? "")"
        case .firmware: "firmware \(text ?? "")"
        case .serialNumber: "serial number \(text ?? "")"
        case .keySerialNumber(let bytes): "key serial number \(bytes.span.spacedHexadecimal())"
        case .battery(let report):
            "battery \(report.percent.map { "\($0) %" } ?? "unknown")\(report.isCharging == true ? ", charging" : "")"
        case .capability: "capability \(text ?? "")"
        case .setting(let setting): "setting \(setting.number) of \(setting.value.count) bytes"
        case .status: "status \(text ?? "")"
        case .bytes(let bytes): bytes.description
        }
    }

    /// The fact's text, with possible account numbers hidden; nil if the fact is not text.
    package var text: String? {
        switch self {
        case .model(let text), .firmware(let text), .serialNumber(let text), .capability(let text), .status(let text):
            CardHiding.shown(text)
        case .keySerialNumber, .battery, .setting, .bytes: nil
        }
    }
}

/// The identity of a reader, as far as the reader has reported it.
public struct ReaderIdentity: Sendable, Hashable, CustomStringConvertible {
    /// The name of the reader's family.
    public let family: String
    /// The facts, in the order in which the reader reported them.
    public let facts: [ReaderFact]

    /// - Parameters:
    ///   - family: the name of the reader's family.
    ///   - facts: the facts that the reader reported.
    public init(family: String, facts: [ReaderFact]) {
        self.family = family
        self.facts = facts
    }

    public var description: String { ([family] + facts.map { "\($0)" }).joined(separator: ", ") }
}

/// The state of the conversation with a reader.
public enum ReaderState: String, Sendable, Hashable, CaseIterable {
    /// The reader has not been connected, or was switched off.
    case off
    /// The reader gets power and has not sent its power-up message.
    case poweringUp
    /// The driver is identifying the reader.
    case identifying
    /// The reader is ready for a command.
    case ready
    /// The driver is asking a question or changing a setting.
    case asking
    /// The driver has sent the request to wait for a card, and the reader has not confirmed it.
    case arming
    /// The reader is waiting for a card.
    case armed
    /// The driver has requested the end of the wait.
    case disarming
    /// The driver is switching the reader off.
    case poweringDown
    /// The link was lost; no other state follows.
    case lost
}
