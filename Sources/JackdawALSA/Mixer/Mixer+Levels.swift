public import JackdawTransport

/// Reading and setting single controls.
extension Mixer {
    /// Where a volume stands.
    /// - Parameter control: a volume of ``controls``.
    /// - Returns: share and gain of its loudest channel.
    /// - Throws: `LinkError`; code `unsupported` where the control is no volume.
    public func volume(of control: MixerControl) throws(LinkError) -> MixerVolume {
        try locked { session throws(LinkError) in try session.volume(of: control) }
    }

    /// Sets all channels of a volume to a share of its range.
    /// - Parameters:
    ///   - control: a volume of ``controls``.
    ///   - share: 0...1; beyond that, the nearest of these.
    /// - Returns: where it stands now, rounded to the card's steps.
    /// - Throws: `LinkError`; code `unsupported` where the control is no volume, `busy` where another process holds the
    ///   levels.
    @discardableResult
    public func setVolume(_ control: MixerControl, share: Double) throws(LinkError) -> MixerVolume {
        try locked { session throws(LinkError) in
            try session.set(control, share: share)
            return try session.volume(of: control)
        }
    }

    /// Sets all channels of a volume to a gain.
    /// - Parameters:
    ///   - control: a volume of ``controls`` whose range in dB is known.
    ///   - decibels: dB; beyond the control's range, the nearest of it.
    /// - Returns: where it stands now, rounded to the nearest of the card's steps.
    /// - Throws: `LinkError`; code `unsupported` where the control has no range in dB, `busy` where another process holds
    ///   the levels.
    @discardableResult
    public func setVolume(_ control: MixerControl, decibels: Double) throws(LinkError) -> MixerVolume {
        try locked { session throws(LinkError) in
            try session.set(control, to: try session.volume(nearest: decibels, control))
            return try session.volume(of: control)
        }
    }

    /// Whether a switch is on for any channel.
    /// - Parameter control: a switch of ``controls``.
    /// - Returns: whether it is.
    /// - Throws: `LinkError`; code `unsupported` where the control is no switch.
    public func isOn(_ control: MixerControl) throws(LinkError) -> Bool {
        try locked { session throws(LinkError) in
            try session.require(control, control.kind == .toggle, "a switch")
            return try session.value(control) != 0
        }
    }

    /// Turns a switch on or off for all channels.
    /// - Parameters:
    ///   - control: a switch of ``controls``.
    ///   - isOn: whether to turn it on.
    /// - Throws: `LinkError`; code `unsupported` where the control is no switch, `busy` where another process holds the
    ///   levels.
    public func setOn(_ control: MixerControl, _ isOn: Bool) throws(LinkError) {
        try locked { session throws(LinkError) in
            try session.require(control, control.kind == .toggle, "a switch")
            try session.set(control, to: isOn ? 1 : 0)
        }
    }

    /// Which item a choice is set to.
    /// - Parameter control: a choice of ``controls``.
    /// - Returns: the item's position.
    /// - Throws: `LinkError`; code `unsupported` where the control is no choice.
    public func choice(of control: MixerControl) throws(LinkError) -> Int {
        try locked { session throws(LinkError) in
            try session.require(control, control.items != nil, "a choice")
            return try session.value(control)
        }
    }

    /// Sets a choice.
    /// - Parameters:
    ///   - item: the item's position.
    ///   - control: a choice of ``controls``.
    /// - Throws: `LinkError`; code `unsupported` where the control has no such item, `busy` where another process holds
    ///   the levels.
    public func choose(_ item: Int, of control: MixerControl) throws(LinkError) {
        try locked { session throws(LinkError) in
            try session.require(control, control.items?.indices.contains(item) == true, "a choice with that item")
            try session.set(control, to: item)
        }
    }
}

/// What is done to all controls of a role.
extension Mixer {
    /// Turns the card's own automatic gain off: it would turn the level about in the middle of a swipe.
    /// - Returns: whether any was on.
    /// - Throws: `LinkError`.
    @discardableResult
    public func turnAutomaticGainOff() throws(LinkError) -> Bool { try mute(.automaticGain) }

    /// Turns all switches of a role off, and turns down the volumes whose elements have no switch.
    /// - Parameter role: what to silence.
    /// - Returns: whether that changed anything.
    /// - Throws: `LinkError`; code `busy` where another process holds the levels.
    @discardableResult
    public func mute(_ role: MixerControl.Role) throws(LinkError) -> Bool {
        try locked { session throws(LinkError) in
            let all = session.controls.filter { $0.role == role }
            let switched = Set(all.filter { $0.kind == .toggle }.map(\.side))
            var hasChanged = false
            for control in all {
                switch control.kind {
                case .toggle: hasChanged = try session.set(control, to: 0) || hasChanged
                case .volume where !switched.contains(control.side):
                    hasChanged = try session.set(control, to: try session.range(control).lowerBound) || hasChanged
                case .volume, .choice: break
                }
            }
            return hasChanged
        }
    }

    /// Turns all switches of a role on; volumes stay as they are. Where several inputs are mixed, ``setOn(_:_:)`` turns on one
    /// of them.
    /// - Parameter role: what to turn on.
    /// - Returns: whether that changed anything.
    /// - Throws: `LinkError`; code `busy` where another process holds the levels.
    @discardableResult
    public func unmute(_ role: MixerControl.Role) throws(LinkError) -> Bool {
        try locked { session throws(LinkError) in
            var hasChanged = false
            for control in session.controls where control.role == role && control.kind == .toggle {
                hasChanged = try session.set(control, to: 1) || hasChanged
            }
            return hasChanged
        }
    }
}

extension MixerControl {
    /// The range of a volume in dB.
    var decibels: ClosedRange<Double>? { if case .volume(let range) = kind { range } else { nil } }
    var isVolume: Bool { if case .volume = kind { true } else { false } }
    /// The items of a choice.
    var items: [String]? { if case .choice(let items) = kind { items } else { nil } }
}

extension MixerSession {
    /// Refuses a control of another kind, or of another card.
    func require(_ control: MixerControl, _ isFit: Bool, _ what: String) throws(LinkError) {
        guard isFit, controls.contains(control) else {
            throw LinkError(.unsupported, link: card, "\(control) is not \(what) of this card")
        }
    }

    func range(volume control: MixerControl) throws(LinkError) -> ClosedRange<Int> {
        try require(control, control.isVolume, "a volume")
        return try range(control)
    }

    func volume(of control: MixerControl) throws(LinkError) -> MixerVolume {
        let range = try range(volume: control)
        let value = try value(control)
        let steps = max(range.upperBound - range.lowerBound, 1)
        return MixerVolume(
            share: min(max(Double(value - range.lowerBound) / Double(steps), 0), 1),
            decibels: try control.decibels.map { range throws(LinkError) in
                // Where the lowest volume mutes, it is told as the lowest gain there is.
                max(try decibels(control, of: value), range.lowerBound)
            })
    }

    /// Sets all channels of a volume to a share of its range, the nearest that there is.
    func set(_ control: MixerControl, share: Double) throws(LinkError) {
        let range = try range(volume: control)
        let steps = Double(range.upperBound - range.lowerBound)
        // What is no number is no reason to be loud.
        let wanted = share.isNaN ? 0 : min(max(share, 0), 1)
        try set(control, to: range.lowerBound + Int((wanted * steps).rounded()))
    }

    /// The volume whose gain is nearest to one in dB.
    func volume(nearest decibels: Double, _ control: MixerControl) throws(LinkError) -> Int {
        try require(control, control.decibels != nil, "a volume in dB")
        guard let range = control.decibels else { return 0 }
        let wanted = decibels.isNaN ? range.lowerBound : min(max(decibels, range.lowerBound), range.upperBound)
        let hundredths = Int((wanted * 100).rounded())
        let steps = try self.range(control)
        var candidates: [(volume: Int, distance: Double)] = []
        for isUp in [false, true] {
            let volume = try calling { () throws(MixerCallError) in
                try library.volume(forDecibels: hundredths, control.side, roundingUp: isUp)
            }
            let allowed = min(max(volume, steps.lowerBound), steps.upperBound)
            candidates.append((allowed, abs(try self.decibels(control, of: allowed) - wanted)))
        }
        return candidates[1].distance < candidates[0].distance ? candidates[1].volume : candidates[0].volume
    }
}
