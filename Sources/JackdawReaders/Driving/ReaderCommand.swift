public import JackdawTransport

/// A command from the program to a reader.
public enum ReaderCommand: Sendable, Hashable {
    /// Power the reader up, if it needs that, and identify it.
    case connect
    /// Return the next card that is swiped within this time. The range is in the reader's profile, 3 to 20 s for most.
    case requestSwipe(within: Duration)
    /// Stop waiting for a card.
    case cancel
    /// Request information from the reader.
    case ask(ReaderQuestion)
    /// Change a setting of the reader.
    case set(ReaderSetting)
    /// Switch the reader off.
    case powerDown
}

/// A question that a reader can be asked. More may be added.
public struct ReaderQuestion: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name of the question, in lower case words.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The version of the reader's firmware.
    public static let firmware = ReaderQuestion(rawValue: "firmware")
    /// The reader's own serial number.
    public static let serialNumber = ReaderQuestion(rawValue: "serial number")
    /// The battery's charge in per cent, if the reader reports it.
    public static let battery = ReaderQuestion(rawValue: "battery")
    /// The serial number of the key (KSN) that encrypts the next swipe.
    public static let keySerialNumber = ReaderQuestion(rawValue: "key serial number")
    /// The reader's current settings.
    public static let settings = ReaderQuestion(rawValue: "settings")
    /// The reader's capabilities, in the words of its protocol.
    public static let capabilities = ReaderQuestion(rawValue: "capabilities")
    /// The reader's current activity or condition.
    public static let status = ReaderQuestion(rawValue: "status")

    public var description: String { rawValue }
}

/// A setting of a reader: a function of ID TECH's readers, a property of MagTek's.
public struct ReaderSetting: Sendable, Hashable {
    /// The setting's number in the family's own protocol.
    public let number: Int
    /// The current or new value, in the family's own form.
    public let value: [UInt8]

    /// - Parameters:
    ///   - number: the setting's number in the family's own protocol.
    ///   - value: the current or new value.
    public init(_ number: Int, _ value: [UInt8]) {
        self.number = number
        self.value = value
    }
}

/// An action that the driver requests, or an event that it reports. The caller must handle them in order.
public enum ReaderOutput: Sendable {
    /// Send these bytes to the reader.
    case send([UInt8])
    /// Change the power that the link supplies to the reader.
    case power(ReaderPower)
    /// An event to report to the program.
    case event(ReaderEvent)
}
