import Glibc

/// The calls into a mixer library that ``Mixer`` uses, one C function each as far as it can fail, so that a test can
/// simulate a card and let any call fail.
///
/// Each call looks up its element by name: a driver may add and remove elements at any time, and pointers to them
/// dangle.
protocol MixerLibrary {
    /// The corresponding C function is `snd_mixer_open`.
    func open() throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_attach`.
    /// - Parameter card: the card's name: `hw:1`, `default`.
    /// - Throws: ``MixerCallError``.
    func attach(_ card: String) throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_selem_register`.
    func register() throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_load`.
    func load() throws(MixerCallError)
    /// Closes the mixer, whether or not it was opened. The corresponding C function is `snd_mixer_close`.
    func close()
    /// The identity of the card. The corresponding C functions are `snd_mixer_get_hctl` and `snd_ctl_card_info`.
    func cardIdentity() throws(MixerCallError) -> CardIdentity
    /// Applies changes by other programs to the library's cache. The corresponding C function is
    /// `snd_mixer_handle_events`.
    func handleEvents() throws(MixerCallError)

    /// The current elements. The corresponding C functions are `snd_mixer_first_elem`, `snd_mixer_elem_next` and
    /// `snd_mixer_selem_has_...`.
    func elements() -> [MixerElement]

    /// The corresponding C function is `snd_mixer_selem_get_..._volume_range`.
    func volumeRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int>
    /// In hundredths of a dB. The corresponding C function is `snd_mixer_selem_get_..._dB_range`.
    func decibelRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int>
    /// In hundredths of a dB. The corresponding C function is `snd_mixer_selem_ask_..._vol_dB`.
    func decibels(ofVolume volume: Int, _ side: MixerSide) throws(MixerCallError) -> Int
    /// The corresponding C function is `snd_mixer_selem_ask_..._dB_vol`.
    /// - Parameters:
    ///   - decibels: hundredths of a dB.
    ///   - side: the element and its direction.
    ///   - up: whether to round up to the next volume, or down.
    /// - Returns: the volume, in the card's steps.
    /// - Throws: ``MixerCallError``.
    func volume(forDecibels decibels: Int, _ side: MixerSide, roundingUp up: Bool) throws(MixerCallError) -> Int
    /// The corresponding C function is `snd_mixer_selem_get_..._volume`.
    func volume(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Int
    /// The corresponding C function is `snd_mixer_selem_set_..._volume`.
    func setVolume(_ side: MixerSide, channel: Int, to volume: Int) throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_selem_get_..._switch`.
    func isOn(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Bool
    /// The corresponding C function is `snd_mixer_selem_set_..._switch`.
    func setOn(_ side: MixerSide, channel: Int, to isOn: Bool) throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_selem_get_enum_items`.
    func itemCount(_ element: MixerElement.Name) throws(MixerCallError) -> Int
    /// The corresponding C function is `snd_mixer_selem_get_enum_item_name`.
    func itemName(_ element: MixerElement.Name, item: Int) throws(MixerCallError) -> String
    /// The corresponding C function is `snd_mixer_selem_get_enum_item`.
    func item(_ element: MixerElement.Name, channel: Int) throws(MixerCallError) -> Int
    /// The corresponding C function is `snd_mixer_selem_set_enum_item`.
    func setItem(_ element: MixerElement.Name, channel: Int, to item: Int) throws(MixerCallError)
}

/// The identity of a card, independent of its current number.
struct CardIdentity: Sendable, Hashable {
    /// A short word, unique among the cards: `PCH`, `Device_1`.
    var id: String
    /// The model of the card: `HDA Intel PCH`.
    var name: String
}

/// A simple element: the controls of a card under one name.
struct MixerElement: Sendable, Hashable {
    /// The name and index that identify an element.
    struct Name: Sendable, Hashable {
        var name: String
        /// Distinguishes elements with the same name; 0 for most.
        var index = 0
    }

    /// The controls of an element in one direction.
    struct Abilities: Sendable, Hashable {
        /// The numbers of its channels, 0...31.
        var channels: [Int] = []
        var hasVolume = false
        var hasSwitch = false
        /// Whether its switch turns off the switches of other elements: it selects rather than mutes.
        var isExclusive = false
    }

    var name: Name
    var isActive = true
    var capture = Abilities()
    var playback = Abilities()
    /// Whether the volume or switch is common to both directions, as in a boost; the library sets it as `playback`.
    var hasCommonVolume = false
    var hasCommonSwitch = false
    /// Whether it is a choice among named items.
    var isEnumerated = false
}

/// An element in one direction.
struct MixerSide: Sendable, Hashable {
    var element: MixerElement.Name
    var direction: MixerControl.Direction
}

/// Operations of several calls.
extension MixerLibrary {
    /// The controls of the card that matter to a reader, the most likely of each role first.
    func controls() throws(MixerCallError) -> [MixerControl] {
        var found: [(control: MixerControl, preference: Int)] = []
        for element in elements() where element.isActive {
            for match in MixerControlNames.matches(element) {
                let side = MixerSide(element: element.name, direction: match.direction)
                let kind: MixerControl.Kind = match.isVolume ? .volume(decibels: try decibels(side)) : .toggle
                let abilities = match.direction == .capture ? element.capture : element.playback
                let control = MixerControl(
                    role: match.role, name: element.name.name, index: element.name.index, direction: match.direction,
                    kind: kind, channels: abilities.channels)
                found.append((control, match.preference))
            }
            if let preference = MixerControlNames.sourcePreference(element) {
                var items: [String] = []
                for item in 0..<(try itemCount(element.name)) { items.append(try itemName(element.name, item: item)) }
                let control = MixerControl(
                    role: .captureSource, name: element.name.name, index: element.name.index, direction: .capture,
                    kind: .choice(items), channels: [0])
                found.append((control, preference))
            }
        }
        // Between equal preferences, the order of the library counts.
        return found.enumerated().sorted {
            ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset)
        }.map(\.element.control)
    }

    /// The range of a volume in dB; nil if the card reports no plausible one.
    private func decibels(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Double>? {
        let range: ClosedRange<Int>
        do throws(MixerCallError) {
            range = try decibelRange(side)
        } catch {
            if error.isDisconnected { throw error }
            return nil
        }
        var lowest = range.lowerBound
        // If the lowest volume mutes, its dB value is a marker (-99,999.99) and not a gain.
        if lowest < -20_000 { lowest = try decibels(ofVolume: try volumeRange(side).lowerBound + 1, side) }
        guard lowest > -20_000, lowest < range.upperBound, range.upperBound < 20_000 else { return nil }
        return Double(lowest) / 100...Double(range.upperBound) / 100
    }

    /// Sets the channels of a control.
    func write(_ setting: MixerState.Setting) throws(MixerCallError) {
        for (channel, value) in setting.values.sorted(by: { $0.key < $1.key }) {
            switch setting.kind {
            case .volume: try setVolume(setting.side, channel: channel, to: value)
            case .toggle: try setOn(setting.side, channel: channel, to: value != 0)
            case .choice: try setItem(setting.side.element, channel: channel, to: value)
            }
        }
    }

    /// Sets a control to a setting that any program may have saved at any time: only values that the card has are set,
    /// and volumes are limited to its range.
    /// - Returns: false if the card has no such control.
    func restore(_ setting: MixerState.Setting) throws(MixerCallError) -> Bool {
        guard let element = elements().first(where: { $0.name == setting.side.element }) else { return false }
        let abilities = setting.direction == .capture ? element.capture : element.playback
        var values = setting.values
        switch setting.kind {
        case .volume:
            guard abilities.hasVolume else { return false }
            let range = try volumeRange(setting.side)
            values = values.filter { abilities.channels.contains($0.key) }
                .mapValues { min(max($0, range.lowerBound), range.upperBound) }
        case .toggle:
            guard abilities.hasSwitch else { return false }
            values = values.filter { abilities.channels.contains($0.key) }
        case .choice:
            guard element.isEnumerated else { return false }
            let count = try itemCount(element.name)
            values = values.filter { $0.key == 0 && (0..<count).contains($0.value) }
        }
        let kept = MixerState.Setting(
            name: setting.name, index: setting.index, direction: setting.direction, kind: setting.kind, values: values)
        try write(kept)
        return !values.isEmpty
    }
}

extension MixerControl {
    /// The setting of this control with given values.
    func setting(_ values: [Int: Int]) -> MixerState.Setting {
        let kind: MixerState.Setting.Kind =
            switch kind {
            case .volume: .volume
            case .toggle: .toggle
            case .choice: .choice
            }
        return MixerState.Setting(name: name, index: index, direction: direction, kind: kind, values: values)
    }
}
