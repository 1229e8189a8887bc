/// A value of a profile, with its provenance and source.
public struct ProfileEntry: Sendable, Hashable {
    /// The meaning of the value, in a few words.
    public var title: String
    /// The type that the value has or must have.
    public let kind: ProfileValue.Kind
    /// The value; nil if it is unknown.
    public let value: ProfileValue?
    /// How reliable the value is.
    public var provenance: Provenance
    /// The source of the value, or the reason why it is unknown.
    public var source: String

    /// Creates an entry with a value.
    /// - Parameters:
    ///   - title: the meaning of the value.
    ///   - value: the value.
    ///   - provenance: how reliable the value is.
    ///   - source: the source of the value.
    public init(_ title: String, _ value: ProfileValue, _ provenance: Provenance, _ source: String) {
        self.title = title
        kind = value.kind
        self.value = value
        self.provenance = provenance
        self.source = source
    }

    /// Creates an entry whose value is unknown.
    /// - Parameters:
    ///   - title: the meaning of the value.
    ///   - kind: the type that the value must have.
    ///   - source: the reason why the value is unknown.
    public init(_ title: String, missing kind: ProfileValue.Kind, _ source: String = "not published") {
        self.title = title
        self.kind = kind
        value = nil
        provenance = .unknown
        self.source = source
    }
}

/// The name of a value in a profile, the same in programs and files.
public struct ProfileKey: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Words separated by dots, such as `times.powerUp`.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public init(stringLiteral name: String) { rawValue = name }

    public var description: String { rawValue }
}

/// The values of ``ReaderTimes``, which each profile has; durations are in milliseconds.
extension ProfileKey {
    /// Timeout of the power-up message.
    public static let powerUp: ProfileKey = "times.powerUp"
    /// Attempts to power the reader up before the driver reports an error.
    public static let powerUpTries: ProfileKey = "times.powerUpTries"
    /// Timeout of an answer.
    public static let answer: ProfileKey = "times.answer"
    /// Attempts to send a request before the driver reports an error.
    public static let answerTries: ProfileKey = "times.answerTries"
    /// The shortest wait for a card that a program may request.
    public static let shortestSwipe: ProfileKey = "times.shortestSwipe"
    /// The longest wait for a card that a program may request.
    public static let longestSwipe: ProfileKey = "times.longestSwipe"
    /// The longest pause in a frame.
    public static let silence: ProfileKey = "times.silence"
    /// The wait for late answers.
    public static let settling: ProfileKey = "times.settling"
    /// The interval of keep-alive requests.
    public static let keepAlive: ProfileKey = "times.keepAlive"
}

/// The service and characteristics of Bluetooth Low Energy, as UUIDs of 36 characters.
extension ProfileKey {
    /// The GATT service that carries the bytes.
    public static let lowEnergyService: ProfileKey = "lowEnergy.service"
    /// The characteristic whose notifications carry the bytes from the reader.
    public static let lowEnergyNotify: ProfileKey = "lowEnergy.notify"
    /// The characteristic to which the program writes.
    public static let lowEnergyWrite: ProfileKey = "lowEnergy.write"
}

/// A value in a profile, of one of four types.
public enum ProfileValue: Sendable, Hashable, CustomStringConvertible {
    /// A number, whole or not.
    case number(Double)
    /// A text without a fixed form.
    case text(String)
    /// Bytes; in files, hexadecimal digits.
    case bytes([UInt8])
    /// A flag, true or false.
    case flag(Bool)

    /// The type of a value, by its name in files.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A number in the unit of its key.
        case number
        /// A text without a fixed form.
        case text
        /// Bytes, as hexadecimal digits in files.
        case bytes
        /// A flag, true or false.
        case flag
    }

    /// The type of the value, for errors and files.
    public var kind: Kind {
        switch self {
        case .number: .number
        case .text: .text
        case .bytes: .bytes
        case .flag: .flag
        }
    }

    public var description: String {
        switch self {
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): text
        case .bytes(let bytes): bytes.span.spacedHexadecimal(first: bytes.count)
        case .flag(let flag): flag ? "yes" : "no"
        }
    }
}

/// How reliable a fact about a reader is.
public enum Provenance: String, Sendable, Hashable, CaseIterable {
    /// The reader's maker has published it.
    case documented
    /// Other sources have reported it.
    case reported
    /// It follows from known facts, and is not confirmed.
    case inferred
    /// It is not known: the owner of such a reader must supply it.
    case unknown
}
