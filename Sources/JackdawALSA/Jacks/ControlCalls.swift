import JackdawSystem

/// The calls of libasound that a card's control elements are read with, one function each; tests script them.
protocol ControlCalls: AnyObject {
    /// The control elements there are, by their numbers. The C functions are `snd_ctl_elem_list` and its relatives.
    func elements() throws(SystemFailure) -> [UInt32]
    /// What an element is. The corresponding C function is `snd_ctl_elem_info`.
    func element(_ number: UInt32) throws(SystemFailure) -> ControlElement
    /// The first value of a Boolean element. The corresponding C function is `snd_ctl_elem_read`.
    func isOn(_ number: UInt32) throws(SystemFailure) -> Bool
    /// Lets events come. The corresponding C function is `snd_ctl_subscribe_events`.
    func subscribe() throws(SystemFailure)
    /// What to wait for. The corresponding C function is `snd_ctl_poll_descriptors`.
    func descriptors() throws(SystemFailure) -> [PollDescriptor]
    /// What the descriptors' answers mean. The corresponding C function is `snd_ctl_poll_descriptors_revents`.
    func condition(_ answered: [PollDescriptor]) throws(SystemFailure) -> PollDescriptor.Conditions
    /// The next event; nil where it concerns no element. The corresponding C function is `snd_ctl_read`.
    /// - Throws: ``SystemFailure`` with `EAGAIN` where there is none.
    func nextEvent() throws(SystemFailure) -> ControlEvent?
}

/// What a control element is.
struct ControlElement: Hashable {
    let number: UInt32
    let name: String
    /// Which of the elements with that name it is.
    let index: UInt32
    /// Whether it belongs to the card or its mixer, not to a device or a sequencer.
    let isOfCard: Bool
    /// Whether it is on or off, and may be read.
    let isReadableBoolean: Bool

    /// The jack whose state it is; nil where it is none that is sensed: `Phantom` jacks are always on.
    var jack: Jack? {
        let end = " Jack"
        guard isOfCard, isReadableBoolean, name.hasSuffix(end), !name.hasSuffix(" Phantom\(end)") else { return nil }
        let short = String(name.dropLast(end.count))
        let name = index == 0 ? short : "\(short) \(index + 1)"
        return Jack(name: name, kind: Jack.Kind(naming: short), origin: .element(number))
    }
}

/// What has happened to a control element.
enum ControlEvent: Hashable {
    /// Its value may have changed.
    case changed(UInt32)
    /// It is no longer there.
    case removed(UInt32)
}
