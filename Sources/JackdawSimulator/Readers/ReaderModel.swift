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
