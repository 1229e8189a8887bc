internal import JackdawSystem
public import JackdawTransport
import Synchronization

/// The levels of a sound card. It finds the volumes, switches and choices that matter to a reader by the names that
/// drivers give them, reads and sets them, and restores the levels that it has changed.
///
/// Before a control is changed for the first time, its setting is saved to a file. ``restore()`` restores the settings
/// and removes the file; the end of the mixer does the same. If the process is killed before that, the next mixer that
/// is opened on this card restores them first and reports this in ``notice``. Levels that another living process has
/// changed are read but not set.
///
/// Several threads may use it; they wait for each other.
public final class Mixer: Sendable {
    /// The card's name, as the caller passed it.
    public let card: String
    /// The controls of this card that matter to a reader; within a role, the most likely first. Controls with unknown
    /// names are left out, and never changed.
    public let controls: [MixerControl]
    /// A condition found at the start that the user must know of; nil if there is no such condition.
    public let notice: MixerNotice?

    private let session: Mutex<MixerSession>

    /// Opens a card's mixer. The corresponding C functions are `snd_mixer_open`, `snd_mixer_attach`,
    /// `snd_mixer_selem_register` and `snd_mixer_load`.
    /// - Parameters:
    ///   - card: the card's name: `hw:1`, `hw:PCH`, `default`.
    ///   - stateDirectory: the directory for saved levels; nil for the usual one: `STATE_DIRECTORY` (which systemd
    ///     sets), `XDG_STATE_HOME/jackdaw`, `/var/lib/jackdaw` for root, or `~/.local/state/jackdaw`.
    /// - Throws: `LinkError` if there is no such card or this user may not open it.
    public convenience init(card: String, stateDirectory: String? = nil) throws(LinkError) {
        guard let directory = stateDirectory ?? StateDirectory.usualPath else {
            throw LinkError(
                .system, link: card, "there is no directory to save its levels in",
                remedy: "set XDG_STATE_HOME to a writable directory")
        }
        try self.init(
            card: card, library: LibraryMixer(), storage: StateDirectory(directory), processes: .system)
    }

    init(
        card: String, library: sending any MixerLibrary, storage: any MixerStateStorage, processes: ProcessTable
    ) throws(LinkError) {
        let opened = try MixerSession(card: card, library: library, storage: storage, processes: processes)
        self.card = card
        controls = opened.controls
        notice = opened.notice
        session = Mutex(opened)
    }

    deinit { session.withLock { $0.end() } }

    /// The controls of a role, the most likely first.
    public func controls(_ role: MixerControl.Role) -> [MixerControl] { controls.filter { $0.role == role } }

    /// The settings of the changed controls before their first change.
    public var changed: MixerState { session.withLock { $0.keeper.state } }

    /// Restores all changed controls. A control that fails is tried again at the next call, at the end of the mixer and
    /// at the next start.
    /// - Throws: `LinkError`: the first failure, after all controls were tried.
    public func restore() throws(LinkError) {
        try session.withLock { session throws(LinkError) in try session.restore() }
    }

    /// Runs `body` with the session while other threads wait.
    func locked<Result: Sendable>(
        _ body: (MixerSession) throws(LinkError) -> Result
    ) throws(LinkError) -> Result {
        try session.withLock { session throws(LinkError) in try body(session) }
    }
}

/// The total gain of a card's input: its capture volume, and a boost before it if there is one.
public struct CaptureGain: Sendable, Hashable {
    /// The current gain, in dB.
    public let decibels: Double
    /// The lowest and the highest gain of the card, in dB.
    public let range: ClosedRange<Double>
    /// Whether the card reports no dB, so that its range is mapped to ``nominalRange``.
    public let isNominal: Bool

    /// The assumed range of a card that reports no dB, in dB: the ranges of other sound cards are 20 to 45 dB wide.
    public static let nominalRange = 0.0...30.0

    /// A gain, as the mixer of a card reports it.
    /// - Parameters:
    ///   - decibels: the current gain, in dB.
    ///   - range: the lowest and the highest gain, in dB.
    ///   - isNominal: whether the card reports no dB.
    public init(decibels: Double, range: ClosedRange<Double>, isNominal: Bool = false) {
        self.decibels = decibels
        self.range = range
        self.isNominal = isNominal
    }
}

extension Mixer {
    /// Reads the capture gain.
    /// - Returns: the gain, or nil if the card has no capture volume.
    /// - Throws: `LinkError` if the levels cannot be read.
    public func captureGain() throws(LinkError) -> CaptureGain? {
        try locked { session throws(LinkError) in try session.captureGain() }
    }

    /// Sets the capture gain, with as little boost as possible: a volume after the boost cannot undo clipping in the
    /// boost.
    /// - Parameter decibels: the gain in dB; limited to the card's range.
    /// - Returns: the resulting gain, rounded to the card's steps, or nil if the card has no capture volume.
    /// - Throws: `LinkError`; code `busy` if another process holds the levels.
    @discardableResult
    public func setCaptureGain(_ decibels: Double) throws(LinkError) -> CaptureGain? {
        try locked { session throws(LinkError) in
            try session.setCaptureGain(decibels)
            return try session.captureGain()
        }
    }
}

extension MixerSession {
    /// A boost has fewer steps than this; a control with more is a volume.
    private static let maxBoostSteps = 64

    private var captureVolume: MixerControl? { controls.first { $0.role == .captureLevel && $0.isVolume } }

    /// The boost of the captured input: the boost with the name of the selected input if there is a choice, otherwise
    /// the most likely boost.
    private func captureBoost() throws(LinkError) -> MixerControl? {
        let boosts = controls.filter { $0.role == .captureBoost && $0.decibels != nil }
        guard !boosts.isEmpty, let source = controls.first(where: { $0.role == .captureSource }),
            let items = source.items
        else { return boosts.first }
        let item = try value(source)
        return items.indices.contains(item) ? boosts.first { $0.name == "\(items[item]) Boost" } : nil
    }

    func captureGain() throws(LinkError) -> CaptureGain? {
        guard let volume = captureVolume else { return nil }
        let stand = try self.volume(of: volume)
        guard let range = volume.decibels, let decibels = stand.decibels else {
            let nominal = CaptureGain.nominalRange
            return CaptureGain(
                decibels: nominal.lowerBound + stand.share * (nominal.upperBound - nominal.lowerBound), range: nominal,
                isNominal: true)
        }
        guard let boost = try captureBoost(), let boostRange = boost.decibels,
            let boostDecibels = try self.volume(of: boost).decibels
        else { return CaptureGain(decibels: decibels, range: range) }
        return CaptureGain(
            decibels: decibels + boostDecibels,
            range: range.lowerBound + boostRange.lowerBound...range.upperBound + boostRange.upperBound)
    }

    func setCaptureGain(_ decibels: Double) throws(LinkError) {
        guard let volume = captureVolume else { return }
        guard let range = volume.decibels else {
            let nominal = CaptureGain.nominalRange
            let share = (decibels - nominal.lowerBound) / (nominal.upperBound - nominal.lowerBound)
            return try set(volume, share: share)
        }
        var rest = decibels
        if let boost = try captureBoost() {
            let steps = try self.range(boost)
            var chosen = steps.upperBound
            for step in steps.prefix(Self.maxBoostSteps)
            where try self.decibels(boost, of: step) + range.upperBound >= decibels {
                chosen = step
                break
            }
            try set(boost, to: chosen)
            rest -= try self.decibels(boost, of: chosen)
        }
        try set(volume, to: try self.volume(nearest: rest, volume))
    }
}

/// Reading and setting single controls.
extension Mixer {
    /// Reads the level of a volume.
    /// - Parameter control: a volume of ``controls``.
    /// - Returns: share and gain of its loudest channel.
    /// - Throws: `LinkError`; code `unsupported` if the control is not a volume.
    public func volume(of control: MixerControl) throws(LinkError) -> MixerVolume {
        try locked { session throws(LinkError) in try session.volume(of: control) }
    }

    /// Sets all channels of a volume to a share of its range.
    /// - Parameters:
    ///   - control: a volume of ``controls``.
    ///   - share: 0...1; limited to that range.
    /// - Returns: the resulting level, rounded to the card's steps.
    /// - Throws: `LinkError`; code `unsupported` if the control is not a volume, `busy` if another process holds the
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
    ///   - decibels: dB; limited to the control's range.
    /// - Returns: the resulting level, rounded to the nearest of the card's steps.
    /// - Throws: `LinkError`; code `unsupported` if the control has no range in dB, `busy` if another process holds the
    ///   levels.
    @discardableResult
    public func setVolume(_ control: MixerControl, decibels: Double) throws(LinkError) -> MixerVolume {
        try locked { session throws(LinkError) in
            try session.set(control, to: try session.volume(nearest: decibels, control))
            return try session.volume(of: control)
        }
    }

    /// Whether a switch is on for any channel.
    /// - Parameter control: a switch of ``controls``.
    /// - Returns: true if it is on.
    /// - Throws: `LinkError`; code `unsupported` if the control is not a switch.
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
    /// - Throws: `LinkError`; code `unsupported` if the control is not a switch, `busy` if another process holds the
    ///   levels.
    public func setOn(_ control: MixerControl, _ isOn: Bool) throws(LinkError) {
        try locked { session throws(LinkError) in
            try session.require(control, control.kind == .toggle, "a switch")
            try session.set(control, to: isOn ? 1 : 0)
        }
    }

    /// Reads the selected item of a choice.
    /// - Parameter control: a choice of ``controls``.
    /// - Returns: the item's position.
    /// - Throws: `LinkError`; code `unsupported` if the control is not a choice.
    public func choice(of control: MixerControl) throws(LinkError) -> Int {
        try locked { session throws(LinkError) in
            try session.require(control, control.items != nil, "a choice")
            return try session.value(control)
        }
    }

    /// Selects an item of a choice.
    /// - Parameters:
    ///   - item: the item's position.
    ///   - control: a choice of ``controls``.
    /// - Throws: `LinkError`; code `unsupported` if the control has no such item, `busy` if another process holds the
    ///   levels.
    public func choose(_ item: Int, of control: MixerControl) throws(LinkError) {
        try locked { session throws(LinkError) in
            try session.require(control, control.items?.indices.contains(item) == true, "a choice with that item")
            try session.set(control, to: item)
        }
    }
}

/// Operations on all controls of a role.
extension Mixer {
    /// Turns the card's own automatic gain off, which would change the level during a swipe.
    /// - Returns: whether any was on.
    /// - Throws: `LinkError`; code `busy` if another process holds the levels.
    @discardableResult
    public func turnAutomaticGainOff() throws(LinkError) -> Bool { try mute(.automaticGain) }

    /// Turns all switches of a role off, and turns down the volumes whose elements have no switch.
    /// - Parameter role: the role of the controls to silence.
    /// - Returns: whether that changed anything.
    /// - Throws: `LinkError`; code `busy` if another process holds the levels.
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

    /// Turns all switches of a role on; volumes do not change. If the card mixes several inputs, ``setOn(_:_:)`` turns
    /// on one of them.
    /// - Parameter role: the role of the controls to turn on.
    /// - Returns: whether that changed anything.
    /// - Throws: `LinkError`; code `busy` if another process holds the levels.
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
    /// The range of a volume in dB; nil if it is unknown, or for other kinds.
    var decibels: ClosedRange<Double>? { if case .volume(let range) = kind { range } else { nil } }
    var isVolume: Bool { if case .volume = kind { true } else { false } }
    /// The items of a choice; nil for other kinds.
    var items: [String]? { if case .choice(let items) = kind { items } else { nil } }
}

extension MixerSession {
    /// Rejects a control of another kind, or of another card.
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
                // If the lowest volume mutes, it is reported as the lowest gain of the range.
                max(try decibels(control, of: value), range.lowerBound)
            })
    }

    /// Sets all channels of a volume to a share of its range, rounded to the nearest step.
    func set(_ control: MixerControl, share: Double) throws(LinkError) {
        let range = try range(volume: control)
        let steps = Double(range.upperBound - range.lowerBound)
        // NaN must not make the sound loud.
        let wanted = share.isNaN ? 0 : min(max(share, 0), 1)
        try set(control, to: range.lowerBound + Int((wanted * steps).rounded()))
    }

    /// The volume whose gain is nearest to a gain in dB.
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
