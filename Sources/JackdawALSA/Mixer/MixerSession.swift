import JackdawTransport

/// An open mixer of a card with the record of its changes, under the lock of ``Mixer``.
struct MixerSession {
    let card: String
    let library: any MixerLibrary
    let keeper: MixerStateKeeper
    let controls: [MixerControl]
    private(set) var notice: MixerNotice?

    /// Opens a card's mixer and restores the levels that an earlier run left changed.
    init(
        card: String, library: any MixerLibrary, storage: any MixerStateStorage, processes: ProcessTable
    ) throws(LinkError) {
        self.card = card
        self.library = library
        do throws(MixerCallError) {
            try library.open()
            try library.attach(card)
            try library.register()
            try library.load()
            keeper = MixerStateKeeper(card: try library.cardIdentity(), storage: storage, processes: processes)
            controls = try library.controls()
        } catch {
            library.close()
            throw error.whileOpening(card)
        }
        notice = recover()
    }

    /// Restores the levels that an ended process left changed, if any.
    private func recover() -> MixerNotice? {
        do throws(LinkError) {
            return try keeper.recover { state throws(LinkError) in _ = try apply(state.settings) }
        } catch {
            return .notRestored(error.description)
        }
    }

    /// Calls the library, and throws its errors as link errors.
    func calling<Result>(_ body: () throws(MixerCallError) -> Result) throws(LinkError) -> Result {
        do throws(MixerCallError) { return try body() } catch { throw error.whileOpen(card) }
    }
}

// MARK: - Reading

extension MixerSession {
    /// The current setting of a control.
    func setting(_ control: MixerControl) throws(LinkError) -> MixerState.Setting {
        try calling { () throws(MixerCallError) in
            try library.handleEvents()
            var values: [Int: Int] = [:]
            for channel in control.channels {
                values[channel] =
                    switch control.kind {
                    case .volume: try library.volume(control.side, channel: channel)
                    case .toggle: try library.isOn(control.side, channel: channel) ? 1 : 0
                    case .choice: try library.item(control.element, channel: channel)
                    }
            }
            return control.setting(values)
        }
    }

    /// The highest value of a control's channels.
    func value(_ control: MixerControl) throws(LinkError) -> Int { try setting(control).values.values.max() ?? 0 }

    func range(_ control: MixerControl) throws(LinkError) -> ClosedRange<Int> {
        try calling { () throws(MixerCallError) in try library.volumeRange(control.side) }
    }

    /// The gain of a volume in dB; for a control that has a range in dB.
    func decibels(_ control: MixerControl, of volume: Int) throws(LinkError) -> Double {
        try calling { () throws(MixerCallError) in
            Double(try library.decibels(ofVolume: volume, control.side)) / 100
        }
    }
}

// MARK: - Setting

extension MixerSession {
    /// Sets all channels of a control to a value, after the previous setting was saved.
    /// - Returns: whether anything was changed.
    @discardableResult
    func set(_ control: MixerControl, to value: Int) throws(LinkError) -> Bool {
        let before = try setting(control)
        guard before.values.values.contains(where: { $0 != value }) else { return false }
        let holder = try keeper.keep(before) { () throws(LinkError) in
            try setting(control)
        } recovering: { state throws(LinkError) in
            _ = try apply(state.settings)
        }
        if let holder {
            throw LinkError(
                .busy, link: card, "process \(holder) has changed the levels of this card and will restore them",
                remedy: "end it, or set the levels by hand: alsamixer -D \(card)")
        }
        try calling { () throws(MixerCallError) in
            try library.write(control.setting(before.values.mapValues { _ in value }))
        }
        return true
    }

    /// Sets controls to saved settings, as far as the card still has them.
    /// - Returns: the settings whose controls no longer exist.
    private func apply(_ settings: [MixerState.Setting]) throws(LinkError) -> [MixerState.Setting] {
        var (missing, failure): ([MixerState.Setting], LinkError?) = ([], nil)
        // In reverse order of the changes: the choice of an input may precede the levels of that input.
        for setting in settings.reversed() {
            do throws(LinkError) {
                let isThere = try calling { () throws(MixerCallError) in
                    try library.handleEvents()
                    return try library.restore(setting)
                }
                if !isThere { missing.append(setting) }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return missing
    }

    /// Restores all changed controls.
    func restore() throws(LinkError) {
        try keeper.release { state throws(LinkError) in
            let missing = try apply(state.settings)
            if let first = missing.last {
                throw LinkError(.notFound, link: card, "\(first.name) is no longer on the card and was not restored")
            }
        }
    }

    /// Restores the controls as far as possible, leaves the rest to the next start, and closes the mixer.
    func end() {
        do throws(LinkError) { try restore() } catch { keeper.abandon() }
        library.close()
    }
}
