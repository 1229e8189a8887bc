public import JackdawTransport

/// What a program wants of a reader.
public enum ReaderCommand: Sendable, Hashable {
    /// To give it power, where it needs that, and to learn who it is.
    case connect
    /// To have the next card within so long, which has to be in the range of the reader's profile (3 to 20 s for most).
    case requestSwipe(within: Duration)
    /// To wait for a card no more.
    case cancel
    /// To be told something.
    case ask(ReaderQuestion)
    /// To be set up.
    case set(ReaderSetting)
    /// To be switched off.
    case powerDown
}

/// What a reader can be asked. More may be added.
public struct ReaderQuestion: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// Its name.
    public let rawValue: String

    /// Of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// What software runs in the reader.
    public static let firmware = ReaderQuestion(rawValue: "firmware")
    /// The reader's own number.
    public static let serialNumber = ReaderQuestion(rawValue: "serial number")
    /// How full the battery is.
    public static let battery = ReaderQuestion(rawValue: "battery")
    /// Which key the next swipe is encrypted with (KSN).
    public static let keySerialNumber = ReaderQuestion(rawValue: "key serial number")
    /// How the reader is set up.
    public static let settings = ReaderQuestion(rawValue: "settings")
    /// The reader's capabilities.
    public static let capabilities = ReaderQuestion(rawValue: "capabilities")
    /// What the reader does.
    public static let status = ReaderQuestion(rawValue: "status")

    /// Its name.
    public var description: String { rawValue }
}

/// One setting of a reader: a function of ID TECH's readers, a property of MagTek's.
public struct ReaderSetting: Sendable, Hashable {
    /// Its number in the family's own protocol.
    public let number: Int
    /// What it is, or is to be, in the family's own form.
    public let value: [UInt8]

    /// - Parameters:
    ///   - number: its number in the family's own protocol.
    ///   - value: what it is, or is to be.
    public init(_ number: Int, _ value: [UInt8]) {
        self.number = number
        self.value = value
    }
}

/// What a driver wants done, and what it has to tell, in the order in which that has to happen.
public enum ReaderOutput: Sendable {
    /// Bytes for the reader.
    case send([UInt8])
    /// Power for a reader that lives on it.
    case power(ReaderPower)
    /// Something that happened.
    case event(ReaderEvent)
}
