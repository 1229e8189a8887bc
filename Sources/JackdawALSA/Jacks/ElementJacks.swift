internal import CALSA
import Glibc
import JackdawSystem

/// Reads the jacks of a card from its control elements.
final class ElementJacks: JackSource {
    private let calls: any ControlCalls
    private var jacks: [UInt32: Jack] = [:]
    let initialStates: [JackState]
    let descriptors: [PollDescriptor]

    /// The most events that are read at once, so that a card with endless events does not block the other cards.
    private static let longestRun = 256

    /// Finds the jacks; subscribes to events only if there are any.
    init(_ calls: any ControlCalls) throws(SystemFailure) {
        self.calls = calls
        var found: [Jack] = []
        for number in try calls.elements() {
            // The element may have been removed since the list was read.
            guard let element = try orGone({ () throws(SystemFailure) in try calls.element(number) }) else { continue }
            if let jack = element.jack { found.append(jack) }
        }
        guard !found.isEmpty else {
            initialStates = []
            descriptors = []
            return
        }
        // Subscribes before the first read, so that no change is missed in between.
        try calls.subscribe()
        descriptors = try calls.descriptors()
        var states: [JackState] = []
        for jack in found {
            guard case .element(let number) = jack.origin,
                let isPlugged = try orGone({ () throws(SystemFailure) in try calls.isOn(number) })
            else { continue }
            jacks[number] = jack
            states.append(JackState(jack: jack, isPlugged: isPlugged))
        }
        initialStates = states
    }

    func read(_ answered: [PollDescriptor]) throws(SystemFailure) -> [JackReading] {
        let condition = try calls.condition(answered)
        guard !condition.isEnd else { throw SystemFailure(code: ENODEV) }
        guard condition.contains(.readable) else { return [] }
        var readings: [JackReading] = []
        for _ in 0..<Self.longestRun {
            do throws(SystemFailure) {
                switch try calls.nextEvent() {
                case .changed(let number):
                    guard let jack = jacks[number] else { continue }
                    guard let isPlugged = try orGone({ () throws(SystemFailure) in try calls.isOn(number) })
                    else { continue }  // the next event reports that it was removed
                    readings.append(.state(jack, isPlugged: isPlugged))
                case .removed(let number):
                    if let jack = jacks.removeValue(forKey: number) { readings.append(.removed(jack)) }
                case nil: break
                }
            } catch {
                // No more events, or a signal: the remaining events are still there at the next call.
                guard error.code == EAGAIN || error.code == EINTR else { throw error }
                break
            }
        }
        return readings
    }
}

/// The result of a call, or nil if the element does not exist.
private func orGone<Result>(
    _ body: () throws(SystemFailure) -> Result
) throws(SystemFailure) -> Result? {
    do throws(SystemFailure) {
        return try body()
    } catch {
        guard error.code == ENOENT else { throw error }
        return nil
    }
}

/// The calls of libasound that read a card's control elements, one method per function; tests script them.
protocol ControlCalls: AnyObject {
    /// The numbers of the control elements. The C functions are `snd_ctl_elem_list` and its relatives.
    func elements() throws(SystemFailure) -> [UInt32]
    /// The properties of an element. The corresponding C function is `snd_ctl_elem_info`.
    func element(_ number: UInt32) throws(SystemFailure) -> ControlElement
    /// The first value of a Boolean element. The corresponding C function is `snd_ctl_elem_read`.
    func isOn(_ number: UInt32) throws(SystemFailure) -> Bool
    /// Enables events. The corresponding C function is `snd_ctl_subscribe_events`.
    func subscribe() throws(SystemFailure)
    /// The descriptors to poll. The corresponding C function is `snd_ctl_poll_descriptors`.
    func descriptors() throws(SystemFailure) -> [PollDescriptor]
    /// Translates the descriptors' answers. The corresponding C function is `snd_ctl_poll_descriptors_revents`.
    func condition(_ answered: [PollDescriptor]) throws(SystemFailure) -> PollDescriptor.Conditions
    /// The next event; nil if it concerns no element. The corresponding C function is `snd_ctl_read`.
    /// - Throws: `SystemFailure` with `EAGAIN` if there is no event.
    func nextEvent() throws(SystemFailure) -> ControlEvent?
}

/// The properties of a control element.
struct ControlElement: Hashable {
    let number: UInt32
    let name: String
    /// Distinguishes elements with the same name.
    let index: UInt32
    /// Whether it belongs to the card or its mixer, not to a device or a sequencer.
    let isOfCard: Bool
    /// Whether it is a Boolean that can be read.
    let isReadableBoolean: Bool

    /// The jack whose state the element is; nil if it is not the state of a sensed jack: `Phantom` jacks are always on.
    var jack: Jack? {
        let end = " Jack"
        guard isOfCard, isReadableBoolean, name.hasSuffix(end), !name.hasSuffix(" Phantom\(end)") else { return nil }
        let short = String(name.dropLast(end.count))
        let name = index == 0 ? short : "\(short) \(index + 1)"
        return Jack(name: name, kind: Jack.Kind(naming: short), origin: .element(number))
    }
}

/// A change of a control element.
enum ControlEvent: Hashable {
    /// The element's value may have changed.
    case changed(UInt32)
    /// The element was removed.
    case removed(UInt32)
}

/// The control elements of a card, through libasound.
@safe final class LibraryControl: ControlCalls {
    private let handle: OpaquePointer

    /// Opens a control device by its ALSA name, `hw:0`. The corresponding C function is `snd_ctl_open`.
    init(_ name: String) throws(SystemFailure) {
        LibraryMessages.silence()
        var handle: OpaquePointer?
        // SND_CTL_READONLY and _NONBLOCK (asoundlib.h).
        try check(unsafe snd_ctl_open(&handle, name, Int32(SND_CTL_READONLY | SND_CTL_NONBLOCK)))
        unsafe self.handle = handle!
    }

    deinit { unsafe snd_ctl_close(handle) }

    func elements() throws(SystemFailure) -> [UInt32] {
        var list: OpaquePointer?
        try check(unsafe snd_ctl_elem_list_malloc(&list))
        defer { unsafe snd_ctl_elem_list_free(list) }
        try check(unsafe snd_ctl_elem_list(handle, list))
        // Elements that are added in between are left out; elements that are removed shorten the list.
        try check(unsafe snd_ctl_elem_list_alloc_space(list, snd_ctl_elem_list_get_count(list)))
        defer { unsafe snd_ctl_elem_list_free_space(list) }
        try check(unsafe snd_ctl_elem_list(handle, list))
        let used = unsafe snd_ctl_elem_list_get_used(list)
        return (0..<used).map { unsafe snd_ctl_elem_list_get_numid(list, $0) }
    }

    func element(_ number: UInt32) throws(SystemFailure) -> ControlElement {
        var info: OpaquePointer?
        try check(unsafe snd_ctl_elem_info_malloc(&info))
        defer { unsafe snd_ctl_elem_info_free(info) }
        unsafe snd_ctl_elem_info_set_numid(info, number)
        try check(unsafe snd_ctl_elem_info(handle, info))
        let interface = unsafe snd_ctl_elem_info_get_interface(info)
        let isBoolean = unsafe snd_ctl_elem_info_get_type(info) == SND_CTL_ELEM_TYPE_BOOLEAN
        return ControlElement(
            number: number, name: unsafe String(cString: snd_ctl_elem_info_get_name(info)),
            index: unsafe snd_ctl_elem_info_get_index(info),
            isOfCard: interface == SND_CTL_ELEM_IFACE_CARD || interface == SND_CTL_ELEM_IFACE_MIXER,
            isReadableBoolean: unsafe isBoolean && snd_ctl_elem_info_is_readable(info) != 0)
    }

    func isOn(_ number: UInt32) throws(SystemFailure) -> Bool {
        var value: OpaquePointer?
        try check(unsafe snd_ctl_elem_value_malloc(&value))
        defer { unsafe snd_ctl_elem_value_free(value) }
        unsafe snd_ctl_elem_value_set_numid(value, number)
        try check(unsafe snd_ctl_elem_read(handle, value))
        return unsafe snd_ctl_elem_value_get_boolean(value, 0) != 0
    }

    func subscribe() throws(SystemFailure) { try check(unsafe snd_ctl_subscribe_events(handle, 1)) }

    func descriptors() throws(SystemFailure) -> [PollDescriptor] {
        let count = max(0, unsafe snd_ctl_poll_descriptors_count(handle))
        var entries = [pollfd](repeating: pollfd(), count: Int(count))
        let filled = unsafe snd_ctl_poll_descriptors(handle, &entries, UInt32(count))
        try check(filled)
        return entries.prefix(Int(filled)).map {
            PollDescriptor(number: $0.fd, awaited: PollDescriptor.Conditions(rawValue: $0.events))
        }
    }

    func condition(_ answered: [PollDescriptor]) throws(SystemFailure) -> PollDescriptor.Conditions {
        var entries = answered.map {
            pollfd(fd: $0.number, events: $0.awaited.rawValue, revents: $0.answer.rawValue)
        }
        var bits: UInt16 = 0
        try check(
            unsafe snd_ctl_poll_descriptors_revents(handle, &entries, UInt32(entries.count), &bits))
        return PollDescriptor.Conditions(rawValue: Int16(bitPattern: bits))
    }

    func nextEvent() throws(SystemFailure) -> ControlEvent? {
        var event: OpaquePointer?
        try check(unsafe snd_ctl_event_malloc(&event))
        defer { unsafe snd_ctl_event_free(event) }
        let count = unsafe snd_ctl_read(handle, event)
        try check(count)
        guard count > 0 else { throw SystemFailure(code: EAGAIN) }
        guard unsafe snd_ctl_event_get_type(event) == SND_CTL_EVENT_ELEM else { return nil }
        let number = unsafe snd_ctl_event_elem_get_numid(event)
        let mask = unsafe snd_ctl_event_elem_get_mask(event)
        // SND_CTL_EVENT_MASK_REMOVE is all bits (asoundlib.h).
        if mask == .max { return .removed(number) }
        return mask & UInt32(SND_CTL_EVENT_MASK_VALUE) != 0 ? .changed(number) : nil
    }
}

/// Throws the error for a negative result of libasound.
func check(_ result: Int32) throws(SystemFailure) {
    if result < 0 { throw SystemFailure(code: result == .min ? EIO : -result) }
}
