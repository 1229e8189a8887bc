public import JackdawReaders

/// The protocol of a simulated reader family: its answers and its messages. It has no notion of time and of faults,
/// which ``SimulatedReader`` adds.
public protocol ReaderModel: Sendable {
    /// The name of the family.
    var family: String { get }
    /// The format that divides a program's bytes into commands.
    var commandFormat: any FrameFormat { get }
    /// Whether the reader reads cards from the start, without a request. Default: false.
    var isAlwaysArmed: Bool { get }

    /// Whether the reader draws its power from the jack and has none of its own. Default: false.
    var livesOnJack: Bool { get }

    /// The message that the reader sends when it gets power. Default: nil.
    /// - Parameter device: the reader.
    /// - Returns: the message; nil if the family sends none.
    func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]?

    /// Executes a command and answers it.
    /// - Parameters:
    ///   - command: a whole frame.
    ///   - device: the reader.
    /// - Returns: the messages to send, frame by frame; empty if there is no answer.
    mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]]

    /// Bytes of the check that ends a command, in families whose readers answer a command with a wrong check; nil in
    /// others. Default: nil.
    var checkSize: Int? { get }

    /// The answer to a command with a wrong check, which is not executed. Default: nil.
    /// - Parameter command: a frame that is valid except for its check.
    /// - Returns: the answer; nil if there is none.
    func reject(_ command: Span<UInt8>) -> [UInt8]?

    /// The message that refuses a command.
    /// - Parameter command: a whole frame.
    /// - Returns: the message; nil if the family has no refusal.
    func refuse(_ command: Span<UInt8>) -> [UInt8]?

    /// The messages that report a card.
    /// - Parameters:
    ///   - presentation: the card, and how it is presented.
    ///   - device: the reader.
    /// - Returns: the messages to send, frame by frame; empty if the family does not report it.
    mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]]
}

extension ReaderModel {
    /// Default: false, the reader waits for a request.
    public var isAlwaysArmed: Bool { false }
    /// Default: false, the reader has its own power.
    public var livesOnJack: Bool { false }
    /// Default: nil, readers ignore a wrong check.
    public var checkSize: Int? { nil }
    /// Default: nil, no answer is sent.
    public func reject(_ command: Span<UInt8>) -> [UInt8]? { nil }
    /// Default: nil, no message is sent.
    public func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]? { nil }
}

/// A model that acts in time by itself, as a terminal does that runs a payment. A machine without a clock.
package protocol TimedReaderModel: ReaderModel {
    /// The time at which ``advance(to:_:)`` has an action; nil if none is planned.
    var nextDeadline: Duration? { get }

    /// Executes a command and answers it, now or later.
    /// - Parameters:
    ///   - command: a whole frame.
    ///   - device: the reader.
    ///   - now: the present time.
    /// - Returns: the messages to send, frame by frame; empty if there is no answer yet.
    mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice, at now: Duration) -> [[UInt8]]

    /// Acts at ``nextDeadline``.
    /// - Returns: the messages to send, frame by frame.
    mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]]
}

/// The properties and the state of a simulated reader.
public struct SimulatedDevice: Sendable, Hashable {
    /// The name and version of its firmware.
    public var firmware = "JACKDAW SIMULATED 1.00"
    /// The serial number of the reader.
    public var serialNumber = "SIM0000001"
    /// The charge of its battery, 0 to 100 %; a value out of range is clamped.
    public var battery = 80 {
        didSet { battery = min(max(battery, 0), 100) }
    }
    /// Whether the battery is being charged.
    public var isCharging = false
    /// Whether it has the keys that payments need.
    public var hasKeys = true
    /// Whether it has the settings that payments need.
    public var hasSettings = true
    /// Whether its hardware fails in payments.
    public var isDamaged = false
    /// The time from a command to its answer.
    public var answerDelay = Duration.milliseconds(10)
    /// Whether the reader waits for a card.
    public var isArmed = false
    /// The values of its settings, by the number of the setting.
    public var settings: [Int: [UInt8]] = [:]

    /// A reader in factory state, with a battery at 80 %.
    public init() {}
}

/// A fault of a reader or of its link, by name.
public enum ReaderFault: String, Sendable, Hashable, CaseIterable {
    /// The message is not sent.
    case noAnswer = "no-answer"
    /// The reader refuses the command, if its family has a refusal.
    case refusal = "nak"
    /// One bit in the middle is inverted, so that the check is wrong.
    case badCheck = "bad-check"
    /// The second half is missing.
    case truncated
    /// An additional byte is inserted in the middle.
    case wrongLength = "wrong-length"
    /// The link breaks in the middle of the message.
    case disconnect
    /// The message comes five seconds late.
    case late
    /// The message is sent twice.
    case duplicate
    /// Random bytes precede the message.
    case garbage
    /// The battery is nearly empty.
    case lowBattery = "low-battery"
    /// An audio reader gets too little of its power tone to wake up. Byte links have no volume.
    case volumeTooLow = "volume-too-low"
    /// A terminal has no keys, so that it takes no payment.
    case noKeys = "no-keys"
    /// A terminal has no settings, so that it takes no payment.
    case noSettings = "no-settings"
    /// The hardware of a terminal fails in each payment.
    case damaged

    /// Whether it affects single messages, and not the reader as a whole.
    var hitsMessages: Bool { self != .lowBattery && self != .volumeTooLow && !Self.conditions.contains(self) }

    /// The faults with which a terminal takes no payment.
    package static let conditions: Set<ReaderFault> = [.noKeys, .noSettings, .damaged]
}

/// A fault, with the messages of the reader that it affects.
public struct PlannedFault: Sendable, Hashable {
    /// The kind of fault.
    public let fault: ReaderFault
    /// The messages that it affects, counted from the reader's first one, which is 0.
    public let messages: Range<Int>

    /// - Parameters:
    ///   - fault: the kind of fault.
    ///   - messages: the messages that it affects, counted from 0. Default: all.
    public init(_ fault: ReaderFault, _ messages: Range<Int> = 0..<Int.max) {
        self.fault = fault
        self.messages = messages
    }
}
