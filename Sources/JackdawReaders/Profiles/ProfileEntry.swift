/// A value of a profile, and how it is known.
public struct ProfileEntry: Sendable, Hashable {
    /// What it is, in a few words.
    public var title: String
    /// What kind of value it is, or has to be.
    public let kind: ProfileValue.Kind
    /// The value; nil where nobody has told it.
    public let value: ProfileValue?
    /// How it is known.
    public var provenance: Provenance
    /// Who has told it, or why nobody has.
    public var source: String

    /// A value that is known, or made up.
    /// - Parameters:
    ///   - title: what it is.
    ///   - value: the value.
    ///   - provenance: how it is known.
    ///   - source: who has told it.
    public init(_ title: String, _ value: ProfileValue, _ provenance: Provenance, _ source: String) {
        self.title = title
        kind = value.kind
        self.value = value
        self.provenance = provenance
        self.source = source
    }

    /// A value that nobody has told.
    /// - Parameters:
    ///   - title: what it is.
    ///   - kind: what kind of value it has to be.
    ///   - source: why nobody has.
    public init(_ title: String, missing kind: ProfileValue.Kind, _ source: String = "not published") {
        self.title = title
        self.kind = kind
        value = nil
        provenance = .unknown
        self.source = source
    }
}

/// What a value of a profile is for, by a name that programs and files share.
public struct ProfileKey: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Its name: words that dots part.
    public let rawValue: String

    /// Of a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Of a name.
    public init(stringLiteral name: String) { rawValue = name }

    /// Its name.
    public var description: String { rawValue }
}

/// What every profile has (``ReaderTimes``); durations are in milliseconds.
extension ProfileKey {
    /// How long the reader may take to tell that it is there.
    public static let powerUp: ProfileKey = "times.powerUp"
    /// How often it is given power before that is given up.
    public static let powerUpTries: ProfileKey = "times.powerUpTries"
    /// How long an answer may take.
    public static let answer: ProfileKey = "times.answer"
    /// How often something is sent before that is given up.
    public static let answerTries: ProfileKey = "times.answerTries"
    /// How long a wait for a card is at least.
    public static let shortestSwipe: ProfileKey = "times.shortestSwipe"
    /// How long a wait for a card is at most.
    public static let longestSwipe: ProfileKey = "times.longestSwipe"
    /// How long a frame may stand still.
    public static let silence: ProfileKey = "times.silence"
    /// How long late answers are waited for.
    public static let settling: ProfileKey = "times.settling"
    /// How often to ask whether the reader is there.
    public static let keepAlive: ProfileKey = "times.keepAlive"
}

/// How bytes go over Bluetooth Low Energy; UUIDs of 36 characters.
extension ProfileKey {
    /// The service.
    public static let lowEnergyService: ProfileKey = "lowEnergy.service"
    /// The characteristic that notifies of what the reader sends.
    public static let lowEnergyNotify: ProfileKey = "lowEnergy.notify"
    /// The characteristic that is written.
    public static let lowEnergyWrite: ProfileKey = "lowEnergy.write"
}

/// One value of a profile.
public enum ProfileValue: Sendable, Hashable, CustomStringConvertible {
    /// A number.
    case number(Double)
    /// A text.
    case text(String)
    /// Bytes, which files have as hexadecimal digits.
    case bytes([UInt8])
    /// Whether or not.
    case flag(Bool)

    /// What kind of value it is; files name it so.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A number.
        case number
        /// A text.
        case text
        /// Bytes.
        case bytes
        /// Whether or not.
        case flag
    }

    /// What kind of value it is.
    public var kind: Kind {
        switch self {
        case .number: .number
        case .text: .text
        case .bytes: .bytes
        case .flag: .flag
        }
    }

    /// The value as people read it.
    public var description: String {
        switch self {
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .text(let text): text
        case .bytes(let bytes): bytes.span.hexadecimal(first: bytes.count)
        case .flag(let flag): flag ? "yes" : "no"
        }
    }
}

/// How something about a reader is known.
public enum Provenance: String, Sendable, Hashable, CaseIterable {
    /// Its maker has published it.
    case documented
    /// Others have told of it.
    case reported
    /// It follows from what is known, and nobody has confirmed it.
    case inferred
    /// Nobody has told: who has such a reader has to supply it.
    case unknown
}
