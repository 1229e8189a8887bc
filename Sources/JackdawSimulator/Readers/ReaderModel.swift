public import JackdawReaders

/// How a family of readers behaves on the wire: what it answers and sends. It knows nothing of time and of faults;
/// ``SimulatedReader`` does.
public protocol ReaderModel: Sendable {
    /// The name of the family.
    var family: String { get }
    /// How what a program sends is cut into frames.
    var commandFormat: any FrameFormat { get }
    /// Whether the reader reads cards from the start, without being told to wait.
    var isAlwaysArmed: Bool { get }

    /// Whether the reader lives on power that it is given over the jack, and has none of its own.
    var livesOnJack: Bool { get }

    /// Tells that the reader has been given power.
    /// - Parameter device: the reader.
    /// - Returns: what is sent; nil where its family tells nothing.
    func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]?

    /// Answers a command, and does what it says.
    /// - Parameters:
    ///   - command: a whole frame.
    ///   - device: the reader.
    /// - Returns: what is sent, frame by frame; empty where nothing is.
    mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]]

    /// Bytes of the check that ends a command, in families whose readers answer one whose check is wrong; nil in others.
    var checkSize: Int? { get }

    /// Answers a command whose check is wrong, which is not carried out.
    /// - Parameter command: a frame that is right but for its check.
    /// - Returns: the answer; nil if there is none.
    func reject(_ command: Span<UInt8>) -> [UInt8]?

    /// Refuses a command.
    /// - Parameter command: a whole frame.
    /// - Returns: what is sent; nil where the family has no way to refuse.
    func refuse(_ command: Span<UInt8>) -> [UInt8]?

    /// Tells of a card.
    /// - Parameters:
    ///   - presentation: the card, and how it is presented.
    ///   - device: the reader.
    /// - Returns: what is sent, frame by frame; empty where the family tells nothing of it.
    mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]]
}

extension ReaderModel {
    /// It does not.
    public var isAlwaysArmed: Bool { false }
    /// It has power of its own.
    public var livesOnJack: Bool { false }
    /// They ignore it.
    public var checkSize: Int? { nil }
    /// Nothing is sent.
    public func reject(_ command: Span<UInt8>) -> [UInt8]? { nil }
    /// It tells nothing.
    public func powerUpMessage(_ device: SimulatedDevice) -> [UInt8]? { nil }
}

/// What a simulated reader is and how it stands.
public struct SimulatedDevice: Sendable, Hashable {
    /// What software runs in it.
    public var firmware = "JACKDAW SIMULATED 1.00"
    /// Its own number.
    public var serialNumber = "SIM0000001"
    /// How full its battery is, 0 to 100 %; what is beyond counts as the nearest.
    public var battery = 80 {
        didSet { battery = min(max(battery, 0), 100) }
    }
    /// Whether it is being charged.
    public var isCharging = false
    /// How long it takes to answer.
    public var answerDelay = Duration.milliseconds(10)
    /// Whether it waits for a card.
    public internal(set) var isArmed = false
    /// How it was set up, by the number of the setting.
    public var settings: [Int: [UInt8]] = [:]

    /// A reader as it comes out of its box, with a full battery.
    public init() {}
}

/// What can go wrong with a reader or on its link, by name.
public enum ReaderFault: String, Sendable, Hashable, CaseIterable {
    /// The message is not sent.
    case noAnswer = "no-answer"
    /// The reader refuses, where its family has a way to.
    case refusal = "nak"
    /// One bit in the middle is another, so that the check is wrong.
    case badCheck = "bad-check"
    /// The second half is missing.
    case truncated
    /// A byte too many in the middle.
    case wrongLength = "wrong-length"
    /// The link goes in the middle of the message.
    case disconnect
    /// The message comes five seconds late.
    case late
    /// The message comes twice.
    case duplicate
    /// Bytes of chance come before it.
    case garbage
    /// The battery is nearly empty.
    case lowBattery = "low-battery"
    /// An audio reader gets too little of its power tone to wake up. Links of bytes have no volume.
    case volumeTooLow = "volume-too-low"

    /// Whether it hits single messages, and not the reader as a whole.
    var hitsMessages: Bool { self != .lowBattery && self != .volumeTooLow }
}

/// A fault, and which of the reader's messages it hits.
public struct PlannedFault: Sendable, Hashable {
    /// The fault.
    public let fault: ReaderFault
    /// Messages of the reader that it hits, counted from its first one, which is 0.
    public let messages: Range<Int>

    /// - Parameters:
    ///   - fault: the fault.
    ///   - messages: which of the reader's messages it hits.
    public init(_ fault: ReaderFault, _ messages: Range<Int> = 0..<Int.max) {
        self.fault = fault
        self.messages = messages
    }
}
