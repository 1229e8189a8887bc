import Glibc

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
