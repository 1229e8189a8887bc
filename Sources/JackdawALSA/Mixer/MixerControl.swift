/// One thing that can be set on a sound card and that matters to a reader: a volume, a switch or a choice.
public struct MixerControl: Sendable, Hashable, CustomStringConvertible {
    /// What a control is for.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        /// How loud the input is, or whether it is on.
        case captureLevel
        /// An amplifier right behind the microphone socket, in a few coarse steps.
        case captureBoost
        /// Which input is captured.
        case captureSource
        /// The card's own automatic gain, which turns the level about in the middle of a swipe.
        case automaticGain
        /// The input's way straight to the output, which mixes a reader's answers into its own commands.
        case loopThrough
        /// How loud the output is, or whether it is on.
        case playbackLevel
    }

    /// Which way the sound goes.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// From the card.
        case capture
        /// To the card.
        case playback
    }

    /// What can be done with a control.
    public enum Kind: Sendable, Hashable {
        /// It is set to a share of its range, and to dB where the range of those is known.
        case volume(decibels: ClosedRange<Double>?)
        /// It is on or off.
        case toggle
        /// It is one of these items, by position.
        case choice([String])
    }

    /// What it is for.
    public let role: Role
    /// The name of its element, as the driver has it: `Capture`, `Mic Boost`.
    public let name: String
    /// Tells elements of one name apart: 0 for most.
    public let index: Int
    /// Under which direction the card has it; boosts may stand under playback.
    public let direction: Direction
    /// What can be done with it.
    public let kind: Kind

    let channels: [Int]

    var side: MixerSide { MixerSide(element: element, direction: direction) }
    var element: MixerElement.Name { MixerElement.Name(name: name, index: index) }

    /// Name, and what it is.
    public var description: String {
        let number = index == 0 ? "" : ",\(index)"
        return switch kind {
        case .volume: "\(name)\(number) \(direction.rawValue) volume"
        case .toggle: "\(name)\(number) \(direction.rawValue) switch"
        case .choice: "\(name)\(number) choice"
        }
    }
}

/// Where a volume stands.
public struct MixerVolume: Sendable, Hashable {
    /// Its place in the card's own range, 0...1; of the loudest channel.
    public let share: Double
    /// Its gain in dB, where the card tells; of the loudest channel.
    public let decibels: Double?
}
