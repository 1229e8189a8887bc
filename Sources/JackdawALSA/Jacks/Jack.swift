/// A socket of a sound card that knows whether something is plugged into it.
public struct Jack: Sendable, Hashable, CustomStringConvertible {
    /// What belongs into it.
    public enum Kind: String, Sendable, Hashable {
        /// A microphone, or what passes for one: a magnetic head.
        case microphone
        /// Headphones.
        case headphone
        /// Headphones with a microphone, or a card reader that passes for them.
        case headset
        /// A line input or output.
        case line
        /// A display with sound, loudspeakers, a dock.
        case other
    }

    /// Its name without the word that it is a jack: `Mic`, `Front Headphone`.
    public let name: String
    /// What belongs into it.
    public let kind: Kind
    /// Where its state comes from.
    let origin: Origin

    /// What the state of a jack is read from.
    enum Origin: Sendable, Hashable {
        /// A control element by its number.
        case element(UInt32)
        /// A switch of an input device by its number, and the device's file.
        case inputSwitch(UInt16, file: String)
    }

    /// Its name.
    public var description: String { name }
}

/// What has happened to a jack, or to the card that has it.
public enum JackEvent: Sendable, Hashable {
    /// Something was plugged in; when that was, in nanoseconds of the monotonic clock.
    case attached(Jack, time: Int64)
    /// What was plugged in was pulled out; when that was, in nanoseconds of the monotonic clock.
    case detached(Jack, time: Int64)
    /// The card has gone with all its jacks. Nothing comes after that.
    case gone
}

/// A jack and whether something is plugged into it.
public struct JackState: Sendable, Hashable {
    /// The jack.
    public let jack: Jack
    /// Whether something is plugged into it.
    public let isPlugged: Bool
}

extension Jack.Kind {
    /// What belongs into a jack by its name, as Linux drivers name them: `Mic`, `Headphone`, `Headset Mic`, `Line Out`.
    init(naming name: String) {
        let words = name.lowercased().split { !$0.isLetter }
        func has(_ beginning: String) -> Bool { words.contains { $0.hasPrefix(beginning) } }
        let isMicrophone = has("mic")
        let isHeadphone = has("headphone") || words.contains("hp")
        if isMicrophone && isHeadphone || has("headset") && !isMicrophone {
            self = .headset
        } else if isMicrophone {
            self = .microphone
        } else if isHeadphone {
            self = .headphone
        } else if has("line") {
            self = .line
        } else {
            self = .other
        }
    }
}
