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

/// What drivers call the elements that matter to a reader. Elements of other names are never touched.
///
/// The names are those of the kernel's drivers for HDA, USB and AC'97 (`Documentation/sound/designs/control-names.rst` has
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

    /// A role that an element may have, with the place of its name in the order of preference.
    struct Match {
        let role: MixerControl.Role
        let direction: MixerControl.Direction
        let isVolume: Bool
        let preference: Int
    }

    /// What an element's volumes and switches are for.
    static func matches(_ element: MixerElement) -> [Match] {
        let name = element.name.name
        // What an input has in common for both directions is its level and no way to the output.
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
            // An exclusive switch selects an input and turns the others off; nobody asked for another input.
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

    /// The place of a choice of inputs in the order of preference; nil where an element is none.
    static func sourcePreference(_ element: MixerElement) -> Int? {
        element.isEnumerated ? sources.firstIndex(of: element.name.name) : nil
    }
}
