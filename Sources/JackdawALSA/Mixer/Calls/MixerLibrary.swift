import Glibc

/// The calls into a mixer library that ``Mixer`` is made of, one C function each as far as it can fail, so that a test can
/// stand in for a card and let any of them fail.
///
/// Elements are looked up by name in every call: a driver may add and remove them at any time, and pointers to them dangle.
protocol MixerLibrary {
    /// The corresponding C function is `snd_mixer_open`.
    func open() throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_attach`.
    /// - Parameter card: its name: `hw:1`, `default`.
    /// - Throws: ``MixerCallError``.
    func attach(_ card: String) throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_selem_register`.
    func register() throws(MixerCallError)
    /// The corresponding C function is `snd_mixer_load`.
    func load() throws(MixerCallError)
    /// Ends it, whether or not it was opened. The corresponding C function is `snd_mixer_close`.
    func close()
    /// Who the card is. The corresponding C functions are `snd_mixer_get_hctl` and `snd_ctl_card_info`.
    func cardIdentity() throws(MixerCallError) -> CardIdentity
    /// Takes in what other programs have changed since. The corresponding C function is `snd_mixer_handle_events`.
    func handleEvents() throws(MixerCallError)

    /// The elements as they are now. The corresponding C functions are `snd_mixer_first_elem`, `snd_mixer_elem_next` and
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
    ///   - side: of which element.
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

/// Who a card is, whatever number it has at the moment.
struct CardIdentity: Sendable, Hashable {
    /// A short word, unique among the cards: `PCH`, `Device_1`.
    var id: String
    /// What kind of card it is: `HDA Intel PCH`.
    var name: String
}

/// A simple element: what a card has under one name, and what can be done with it.
struct MixerElement: Sendable, Hashable {
    /// What an element is found by.
    struct Name: Sendable, Hashable {
        var name: String
        /// Tells elements of one name apart; 0 for most.
        var index = 0
    }

    /// What an element has in one direction.
    struct Abilities: Sendable, Hashable {
        /// The numbers of its channels, 0...31.
        var channels: [Int] = []
        var hasVolume = false
        var hasSwitch = false
        /// Whether its switch turns those of other elements off: it selects rather than mutes.
        var isExclusive = false
    }

    var name: Name
    var isActive = true
    var capture = Abilities()
    var playback = Abilities()
    /// Whether volume or switch stand for both directions, as those of a boost do; the library moves them as `playback`.
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

/// What is made of several calls.
extension MixerLibrary {
    /// What matters to a reader on the card, the likeliest of each role first.
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
        // The library's order decides between equals.
        return found.enumerated().sorted {
            ($0.element.preference, $0.offset) < ($1.element.preference, $1.offset)
        }.map(\.element.control)
    }

    /// The range of a volume in dB; nil where the card does not tell one that makes sense.
    private func decibels(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Double>? {
        let range: ClosedRange<Int>
        do throws(MixerCallError) {
            range = try decibelRange(side)
        } catch {
            if error.isDisconnected { throw error }
            return nil
        }
        var lowest = range.lowerBound
        // Where the lowest volume mutes, its dB are a mark (-99,999.99) and no gain.
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

    /// Sets a control as it was saved, by whatever program and whenever: only what the card has is set, and no volume
    /// beyond its range.
    /// - Returns: false where the card has no such control.
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
    /// A control as it is set or was set.
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
