/// A control of a sound card that matters to a reader: a volume, a switch or a choice.
public struct MixerControl: Sendable, Hashable, CustomStringConvertible {
    /// The purpose of a control.
    public enum Role: String, Sendable, Hashable, CaseIterable {
        /// The level of the input, or whether it is on.
        case captureLevel
        /// An amplifier directly after the microphone socket, in a few coarse steps.
        case captureBoost
        /// The choice of the captured input.
        case captureSource
        /// The card's own automatic gain, which changes the level during a swipe.
        case automaticGain
        /// The input's direct path to the output, which mixes a reader's answers into its own commands.
        case loopThrough
        /// The level of the output, or whether it is on.
        case playbackLevel
    }

    /// The direction of the sound.
    public enum Direction: String, Sendable, Hashable, CaseIterable {
        /// From the card to the program.
        case capture
        /// From the program to the card.
        case playback
    }

    /// The kind of a control, with the range or the items of its values.
    public enum Kind: Sendable, Hashable {
        /// A share of its range, and a gain in dB if that range is known.
        case volume(decibels: ClosedRange<Double>?)
        /// A switch, on or off.
        case toggle
        /// One of these items, by position.
        case choice([String])
    }

    /// The purpose of the control.
    public let role: Role
    /// The driver's name for the control's element: `Capture`, `Mic Boost`.
    public let name: String
    /// Distinguishes elements with the same name; 0 for most.
    public let index: Int
    /// The direction under which the card lists it; boosts may be under playback.
    public let direction: Direction
    /// Volume, switch or choice, with its range or items.
    public let kind: Kind

    let channels: [Int]

    var side: MixerSide { MixerSide(element: element, direction: direction) }
    var element: MixerElement.Name { MixerElement.Name(name: name, index: index) }

    /// The control's name, direction and kind.
    public var description: String {
        let number = index == 0 ? "" : ",\(index)"
        return switch kind {
        case .volume: "\(name)\(number) \(direction.rawValue) volume"
        case .toggle: "\(name)\(number) \(direction.rawValue) switch"
        case .choice: "\(name)\(number) choice"
        }
    }
}

/// The level of a volume.
public struct MixerVolume: Sendable, Hashable {
    /// Position in the card's own range, 0...1; of the loudest channel.
    public let share: Double
    /// Gain in dB, nil if the card does not report it; of the loudest channel.
    public let decibels: Double?
}

/// The drivers' names for the elements that matter to a reader. Elements with other names are never changed.
///
/// The names are from the kernel's drivers for HDA, USB and AC'97 (`Documentation/sound/designs/control-names.rst` has
/// the rules, the drivers the rest). The order is of preference.
enum MixerControlNames {
    private static let inputs = [
        "Mic", "Microphone", "Headset Mic", "Front Mic", "Rear Mic", "Internal Mic", "Dock Mic", "Line", "Line In",
    ]
    private static let captureLevels = ["Capture"] + inputs + ["Headset", "ADC", "Input"]
    private static let boosts =
        ["Mic Boost", "Capture Boost", "Mic Boost (+20dB)"] + inputs.dropFirst().map { "\($0) Boost" }
    private static let sources = ["Input Source", "Capture Source", "Mic Select"]
    private static let automaticGains = [
        "Auto Gain Control", "Mic Auto Gain Control", "Mic AGC", "AGC", "Auto Gain", "Capture AGC",
    ]
    private static let loopThroughs = inputs + ["Sidetone", "Mic Sidetone"]
    private static let playbackLevels = [
        "Headphone", "Headphone+LO", "Master", "PCM", "Speaker", "Headset", "Front", "Line Out",
    ]

    /// A role that an element may have, with the position of its name in the order of preference.
    struct Match {
        let role: MixerControl.Role
        let direction: MixerControl.Direction
        let isVolume: Bool
        let preference: Int
    }

    /// The roles of an element's volumes and switches.
    static func matches(_ element: MixerElement) -> [Match] {
        let name = element.name.name
        // If a control of an input is common to both directions, it is the input's level and not a path to the output.
        let isInput = captureLevels.contains(name)
        let ownPlayback = (
            volume: element.playback.hasVolume && !(isInput && element.hasCommonVolume),
            toggle: element.playback.hasSwitch && !(isInput && element.hasCommonSwitch)
        )
        var found: [Match] = []
        func add(_ role: MixerControl.Role, _ direction: MixerControl.Direction, _ isVolume: Bool, _ place: Int) {
            found.append(Match(role: role, direction: direction, isVolume: isVolume, preference: place))
        }
        func addEither(_ role: MixerControl.Role, volumes: Bool, _ place: Int) {
            if volumes && (element.capture.hasVolume || element.playback.hasVolume) {
                add(role, element.capture.hasVolume && !element.hasCommonVolume ? .capture : .playback, true, place)
            }
            if element.capture.hasSwitch || element.playback.hasSwitch {
                add(role, element.capture.hasSwitch && !element.hasCommonSwitch ? .capture : .playback, false, place)
            }
        }
        if let place = captureLevels.firstIndex(of: name) {
            if element.capture.hasVolume {
                add(.captureLevel, element.hasCommonVolume ? .playback : .capture, true, place)
            }
            // An exclusive switch selects an input and turns the others off; the user did not ask for another input.
            if element.capture.hasSwitch && !element.capture.isExclusive {
                add(.captureLevel, element.hasCommonSwitch ? .playback : .capture, false, place)
            }
        }
        if let place = boosts.firstIndex(of: name) { addEither(.captureBoost, volumes: true, place) }
        if let place = automaticGains.firstIndex(of: name) { addEither(.automaticGain, volumes: false, place) }
        for (role, names) in [(MixerControl.Role.loopThrough, loopThroughs), (.playbackLevel, playbackLevels)] {
            guard let place = names.firstIndex(of: name) else { continue }
            if ownPlayback.volume { add(role, .playback, true, place) }
            if ownPlayback.toggle { add(role, .playback, false, place) }
        }
        return found
    }

    /// The position of an input choice in the order of preference; nil if the element is not an input choice.
    static func sourcePreference(_ element: MixerElement) -> Int? {
        element.isEnumerated ? sources.firstIndex(of: element.name.name) : nil
    }
}
