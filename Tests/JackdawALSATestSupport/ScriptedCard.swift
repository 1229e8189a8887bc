import Glibc
import Synchronization

@testable import JackdawALSA

/// A sound card that outlasts the processes which open its mixer, and fails when the test requests it.
final class ScriptedCard: Sendable {
    /// An element with what it is set to.
    struct Part {
        var element: MixerElement
        var volumes = 0...31
        /// Hundredths of a dB at either end of the volumes; nil if the driver reports none.
        var decibels: ClosedRange<Int>?
        var items: [String] = []
        /// By kind, direction and channel.
        var values: [String: Int] = [:]
    }

    struct Facts {
        var parts: [Part]
        var identity = CardIdentity(id: "PCH", name: "HDA Intel PCH")
        /// Functions that were called, in order.
        var calls: [String] = []
        /// The error number that a call is to fail with, by its place among the calls and its name.
        var failure: @Sendable (Int, String) -> CInt? = { _, _ in nil }
        var openMixers = 0
    }

    private let facts: Mutex<Facts>

    init(_ parts: [Part]) { facts = Mutex(Facts(parts: parts)) }

    func change(_ body: (inout Facts) -> Void) { facts.withLock { body(&$0) } }

    /// Fails calls from now on, counted from 0, or by name.
    func fail(_ failure: @escaping @Sendable (Int, String) -> CInt?) {
        change {
            $0.calls = []
            $0.failure = failure
        }
    }

    func work() { fail { _, _ in nil } }

    var calls: [String] { facts.withLock { $0.calls } }
    var openMixers: Int { facts.withLock { $0.openMixers } }
    var identity: CardIdentity { facts.withLock { $0.identity } }
    /// All that is set on the card: element, key, value.
    var levels: [String: [String: Int]] {
        facts.withLock { facts in
            Dictionary(uniqueKeysWithValues: facts.parts.map { ("\($0.element.name.name)", $0.values) })
        }
    }

    /// A level of an element: `volume capture 0`, `toggle playback 1`, `choice 0`.
    func level(_ name: String, _ key: String) -> Int? { levels[name]?[key] }

    func set(_ name: String, _ key: String, _ value: Int) {
        change { facts in
            for index in facts.parts.indices where facts.parts[index].element.name.name == name {
                facts.parts[index].values[key] = value
            }
        }
    }

    fileprivate func call(_ function: String) throws(MixerCallError) {
        let number: CInt? = facts.withLock { facts in
            facts.calls.append(function)
            return facts.failure(facts.calls.count - 1, function)
        }
        if let number { throw MixerCallError(function: function, number: number) }
    }

    fileprivate func part(_ name: MixerElement.Name) throws(MixerCallError) -> Part {
        guard let part = facts.withLock({ $0.parts.first { $0.element.name == name } }) else {
            throw MixerCallError(function: "snd_mixer_find_selem", number: ENOENT)
        }
        return part
    }

    fileprivate var elements: [MixerElement] { facts.withLock { $0.parts.map(\.element) } }
}

extension ScriptedCard {
    /// A card like most: two channels captured, a boost, a choice, automatic gain, the microphone's way to the output.
    static func usual() -> ScriptedCard {
        func element(
            _ name: String, capture: MixerElement.Abilities = .init(), playback: MixerElement.Abilities = .init()
        ) -> MixerElement {
            MixerElement(name: .init(name: name), capture: capture, playback: playback)
        }
        let both = MixerElement.Abilities(channels: [0, 1], hasVolume: true, hasSwitch: true)
        var boost = element(
            "Mic Boost", capture: .init(channels: [0, 1], hasVolume: true),
            playback: .init(channels: [0, 1], hasVolume: true))
        boost.hasCommonVolume = true
        var automatic = element("Auto Gain Control", playback: .init(channels: [0], hasSwitch: true))
        automatic.hasCommonSwitch = true
        var source = element("Input Source", capture: .init(channels: [0]))
        source.isEnumerated = true
        return ScriptedCard([
            Part(
                element: element("Master", playback: both), volumes: 0...64, decibels: -6_400...0,
                values: [
                    "volume playback 0": 40, "volume playback 1": 40, "toggle playback 0": 1, "toggle playback 1": 1,
                ]),
            Part(
                element: element("Mic", playback: both), volumes: 0...31, decibels: -3_450...1_200,
                values: [
                    "volume playback 0": 5, "volume playback 1": 5, "toggle playback 0": 1, "toggle playback 1": 0,
                ]),
            Part(
                element: boost, volumes: 0...3, decibels: 0...3_000,
                values: ["volume playback 0": 1, "volume playback 1": 1]),
            Part(
                element: element("Capture", capture: both), volumes: 0...63, decibels: -1_700...3_025,
                values: ["volume capture 0": 20, "volume capture 1": 24, "toggle capture 0": 1, "toggle capture 1": 1]),
            Part(element: automatic, values: ["toggle playback 0": 1]),
            Part(element: source, items: ["Mic", "Line"], values: ["choice 0": 0]),
            Part(
                element: element("Mystery", capture: both),
                values: ["volume capture 0": 9, "volume capture 1": 9, "toggle capture 0": 0, "toggle capture 1": 0]),
        ])
    }
}

/// One program's mixer on a scripted card.
final class ScriptedLibrary: MixerLibrary {
    private let card: ScriptedCard
    private var isOpen = false

    init(_ card: ScriptedCard) { self.card = card }

    func open() throws(MixerCallError) {
        try card.call("snd_mixer_open")
        isOpen = true
        card.change { $0.openMixers += 1 }
    }

    func attach(_ card: String) throws(MixerCallError) { try self.card.call("snd_mixer_attach") }
    func register() throws(MixerCallError) { try card.call("snd_mixer_selem_register") }
    func load() throws(MixerCallError) { try card.call("snd_mixer_load") }

    func close() {
        if isOpen { card.change { $0.openMixers -= 1 } }
        isOpen = false
    }

    func cardIdentity() throws(MixerCallError) -> CardIdentity {
        try card.call("snd_ctl_card_info")
        return card.identity
    }

    func handleEvents() throws(MixerCallError) { try card.call("snd_mixer_handle_events") }
    func elements() -> [MixerElement] { card.elements }

    func volumeRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int> {
        try card.call("snd_mixer_selem_get_volume_range")
        return try card.part(side.element).volumes
    }

    func decibelRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int> {
        try card.call("snd_mixer_selem_get_dB_range")
        guard let range = try card.part(side.element).decibels else {
            throw MixerCallError(function: "snd_mixer_selem_get_dB_range", number: EINVAL)
        }
        return range
    }

    func decibels(ofVolume volume: Int, _ side: MixerSide) throws(MixerCallError) -> Int {
        try card.call("snd_mixer_selem_ask_vol_dB")
        let part = try card.part(side.element)
        guard let range = part.decibels else { throw MixerCallError(function: "ask", number: EINVAL) }
        return range.lowerBound + (range.upperBound - range.lowerBound) * (volume - part.volumes.lowerBound)
            / (part.volumes.upperBound - part.volumes.lowerBound)
    }

    func volume(forDecibels decibels: Int, _ side: MixerSide, roundingUp up: Bool) throws(MixerCallError) -> Int {
        try card.call("snd_mixer_selem_ask_dB_vol")
        let part = try card.part(side.element)
        guard let range = part.decibels else { throw MixerCallError(function: "ask", number: EINVAL) }
        let place = Double(decibels - range.lowerBound) / Double(range.upperBound - range.lowerBound)
        let step = place * Double(part.volumes.upperBound - part.volumes.lowerBound)
        return part.volumes.lowerBound + Int(step.rounded(up ? .up : .down))
    }

    func volume(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Int {
        try value("snd_mixer_selem_get_volume", side.element, "volume \(side.direction.rawValue) \(channel)")
    }

    func setVolume(_ side: MixerSide, channel: Int, to volume: Int) throws(MixerCallError) {
        let key = "volume \(side.direction.rawValue) \(channel)"
        try set("snd_mixer_selem_set_volume", side.element, key, volume)
    }

    func isOn(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Bool {
        try value("snd_mixer_selem_get_switch", side.element, "toggle \(side.direction.rawValue) \(channel)") != 0
    }

    func setOn(_ side: MixerSide, channel: Int, to isOn: Bool) throws(MixerCallError) {
        let key = "toggle \(side.direction.rawValue) \(channel)"
        try set("snd_mixer_selem_set_switch", side.element, key, isOn ? 1 : 0)
    }

    func itemCount(_ element: MixerElement.Name) throws(MixerCallError) -> Int {
        try card.call("snd_mixer_selem_get_enum_items")
        return try card.part(element).items.count
    }

    func itemName(_ element: MixerElement.Name, item: Int) throws(MixerCallError) -> String {
        try card.call("snd_mixer_selem_get_enum_item_name")
        return try card.part(element).items[item]
    }

    func item(_ element: MixerElement.Name, channel: Int) throws(MixerCallError) -> Int {
        try value("snd_mixer_selem_get_enum_item", element, "choice \(channel)")
    }

    func setItem(_ element: MixerElement.Name, channel: Int, to item: Int) throws(MixerCallError) {
        try set("snd_mixer_selem_set_enum_item", element, "choice \(channel)", item)
    }

    private func value(_ function: String, _ name: MixerElement.Name, _ key: String) throws(MixerCallError) -> Int {
        try card.call(function)
        guard let value = try card.part(name).values[key] else {
            throw MixerCallError(function: function, number: EINVAL)
        }
        return value
    }

    private func set(
        _ function: String, _ name: MixerElement.Name, _ key: String, _ value: Int
    ) throws(MixerCallError) {
        try card.call(function)
        guard try card.part(name).values[key] != nil else {
            throw MixerCallError(function: function, number: EINVAL)
        }
        card.set(name.name, key, value)
    }
}
