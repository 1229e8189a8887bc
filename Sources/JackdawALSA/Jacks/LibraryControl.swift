internal import CALSA
import Glibc
import JackdawSystem

/// The control elements of a card by libasound itself.
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
        // Elements that are added in between are left out; others that are removed shorten the list.
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

/// Turns the negative results of libasound into errors.
func check(_ result: Int32) throws(SystemFailure) {
    if result < 0 { throw SystemFailure(code: result == .min ? EIO : -result) }
}
