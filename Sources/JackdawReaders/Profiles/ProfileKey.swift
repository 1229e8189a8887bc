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
