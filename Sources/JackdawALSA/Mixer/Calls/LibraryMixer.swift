internal import CALSA
import Glibc
import JackdawTransport

/// The calls of libasound's simple mixer (`snd_mixer_selem_...`). libasound does not lock: one thread at a time may use
/// it.
@safe final class LibraryMixer: MixerLibrary {
    /// The channels that an element can have: 0 to `SND_MIXER_SCHN_LAST`.
    private static let channels = 0...31

    private var handle: OpaquePointer?
    private var card = ""

    deinit { close() }

    func open() throws(MixerCallError) {
        var opened: OpaquePointer?
        try check(unsafe snd_mixer_open(&opened, 0), "snd_mixer_open")
        unsafe handle = opened
    }

    func attach(_ card: String) throws(MixerCallError) {
        try check(unsafe snd_mixer_attach(mixer(), card), "snd_mixer_attach")
        self.card = card
    }

    func register() throws(MixerCallError) {
        try check(unsafe snd_mixer_selem_register(mixer(), nil, nil), "snd_mixer_selem_register")
    }

    func load() throws(MixerCallError) { try check(unsafe snd_mixer_load(mixer()), "snd_mixer_load") }

    func close() {
        if let open = unsafe handle { unsafe snd_mixer_close(open) }
        unsafe handle = nil
    }

    func cardIdentity() throws(MixerCallError) -> CardIdentity {
        var control: OpaquePointer?
        try check(unsafe snd_mixer_get_hctl(mixer(), card, &control), "snd_mixer_get_hctl")
        var info: OpaquePointer?
        try check(unsafe snd_ctl_card_info_malloc(&info), "snd_ctl_card_info_malloc")
        defer { unsafe snd_ctl_card_info_free(info) }
        try check(unsafe snd_ctl_card_info(snd_hctl_ctl(control), info), "snd_ctl_card_info")
        return unsafe CardIdentity(
            id: text(snd_ctl_card_info_get_id(info)), name: text(snd_ctl_card_info_get_name(info)))
    }

    func handleEvents() throws(MixerCallError) {
        try check(unsafe snd_mixer_handle_events(mixer()), "snd_mixer_handle_events")
    }

    func elements() -> [MixerElement] {
        var found: [MixerElement] = []
        var next = unsafe handle.flatMap { unsafe snd_mixer_first_elem($0) }
        while let element = unsafe next {
            found.append(unsafe facts(element))
            unsafe next = snd_mixer_elem_next(element)
        }
        return found
    }

    func volumeRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int> {
        let element = try unsafe find(side.element)
        var (low, high) = (0, 0)
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_get_capture_volume_range(element, &low, &high),
                "snd_mixer_selem_get_capture_volume_range")
        case .playback:
            try check(
                unsafe snd_mixer_selem_get_playback_volume_range(element, &low, &high),
                "snd_mixer_selem_get_playback_volume_range")
        }
        return low...max(low, high)
    }

    func decibelRange(_ side: MixerSide) throws(MixerCallError) -> ClosedRange<Int> {
        let element = try unsafe find(side.element)
        var (low, high) = (0, 0)
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_get_capture_dB_range(element, &low, &high),
                "snd_mixer_selem_get_capture_dB_range")
        case .playback:
            try check(
                unsafe snd_mixer_selem_get_playback_dB_range(element, &low, &high),
                "snd_mixer_selem_get_playback_dB_range")
        }
        return low...max(low, high)
    }

    func decibels(ofVolume volume: Int, _ side: MixerSide) throws(MixerCallError) -> Int {
        let element = try unsafe find(side.element)
        var decibels = 0
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_ask_capture_vol_dB(element, volume, &decibels),
                "snd_mixer_selem_ask_capture_vol_dB")
        case .playback:
            try check(
                unsafe snd_mixer_selem_ask_playback_vol_dB(element, volume, &decibels),
                "snd_mixer_selem_ask_playback_vol_dB")
        }
        return decibels
    }

    func volume(forDecibels decibels: Int, _ side: MixerSide, roundingUp up: Bool) throws(MixerCallError) -> Int {
        let element = try unsafe find(side.element)
        var volume = 0
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_ask_capture_dB_vol(element, decibels, up ? 1 : -1, &volume),
                "snd_mixer_selem_ask_capture_dB_vol")
        case .playback:
            try check(
                unsafe snd_mixer_selem_ask_playback_dB_vol(element, decibels, up ? 1 : -1, &volume),
                "snd_mixer_selem_ask_playback_dB_vol")
        }
        return volume
    }

    func volume(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Int {
        let element = try unsafe find(side.element)
        var volume = 0
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_get_capture_volume(element, number(channel), &volume),
                "snd_mixer_selem_get_capture_volume")
        case .playback:
            try check(
                unsafe snd_mixer_selem_get_playback_volume(element, number(channel), &volume),
                "snd_mixer_selem_get_playback_volume")
        }
        return volume
    }

    func setVolume(_ side: MixerSide, channel: Int, to volume: Int) throws(MixerCallError) {
        let element = try unsafe find(side.element)
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_set_capture_volume(element, number(channel), volume),
                "snd_mixer_selem_set_capture_volume")
        case .playback:
            try check(
                unsafe snd_mixer_selem_set_playback_volume(element, number(channel), volume),
                "snd_mixer_selem_set_playback_volume")
        }
    }

    func isOn(_ side: MixerSide, channel: Int) throws(MixerCallError) -> Bool {
        let element = try unsafe find(side.element)
        var value: CInt = 0
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_get_capture_switch(element, number(channel), &value),
                "snd_mixer_selem_get_capture_switch")
        case .playback:
            try check(
                unsafe snd_mixer_selem_get_playback_switch(element, number(channel), &value),
                "snd_mixer_selem_get_playback_switch")
        }
        return value != 0
    }

    func setOn(_ side: MixerSide, channel: Int, to isOn: Bool) throws(MixerCallError) {
        let element = try unsafe find(side.element)
        switch side.direction {
        case .capture:
            try check(
                unsafe snd_mixer_selem_set_capture_switch(element, number(channel), isOn ? 1 : 0),
                "snd_mixer_selem_set_capture_switch")
        case .playback:
            try check(
                unsafe snd_mixer_selem_set_playback_switch(element, number(channel), isOn ? 1 : 0),
                "snd_mixer_selem_set_playback_switch")
        }
    }

    func itemCount(_ element: MixerElement.Name) throws(MixerCallError) -> Int {
        let count = try unsafe snd_mixer_selem_get_enum_items(find(element))
        try check(count, "snd_mixer_selem_get_enum_items")
        return Int(count)
    }

    func itemName(_ element: MixerElement.Name, item: Int) throws(MixerCallError) -> String {
        // The kernel's `snd_ctl_elem_info` has 64 bytes for the name of an item, with the zero that ends it.
        var name = [CChar](repeating: 0, count: 64)
        try check(
            unsafe snd_mixer_selem_get_enum_item_name(find(element), CUnsignedInt(item), name.count - 1, &name),
            "snd_mixer_selem_get_enum_item_name")
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func item(_ element: MixerElement.Name, channel: Int) throws(MixerCallError) -> Int {
        var item: CUnsignedInt = 0
        try check(
            unsafe snd_mixer_selem_get_enum_item(find(element), number(channel), &item),
            "snd_mixer_selem_get_enum_item")
        return Int(item)
    }

    func setItem(_ element: MixerElement.Name, channel: Int, to item: Int) throws(MixerCallError) {
        try check(
            unsafe snd_mixer_selem_set_enum_item(find(element), number(channel), CUnsignedInt(item)),
            "snd_mixer_selem_set_enum_item")
    }
}

extension LibraryMixer {
    private func check(_ code: CInt, _ function: String) throws(MixerCallError) {
        if code < 0 { throw MixerCallError(function: function, number: -code) }
    }

    private func mixer() throws(MixerCallError) -> OpaquePointer {
        guard let open = unsafe handle else { throw MixerCallError(function: "snd_mixer_open", number: EBADF) }
        return unsafe open
    }

    private func find(_ name: MixerElement.Name) throws(MixerCallError) -> OpaquePointer {
        var identity: OpaquePointer?
        try check(unsafe snd_mixer_selem_id_malloc(&identity), "snd_mixer_selem_id_malloc")
        defer { unsafe snd_mixer_selem_id_free(identity) }
        unsafe snd_mixer_selem_id_set_name(identity, name.name)
        unsafe snd_mixer_selem_id_set_index(identity, CUnsignedInt(name.index))
        guard let element = try unsafe snd_mixer_find_selem(mixer(), identity) else {
            throw MixerCallError(function: "snd_mixer_find_selem", number: ENOENT)
        }
        return unsafe element
    }

    private func number(_ channel: Int) -> snd_mixer_selem_channel_id_t {
        snd_mixer_selem_channel_id_t(rawValue: CInt(channel))
    }

    private func text(_ pointer: UnsafePointer<CChar>?) -> String {
        unsafe pointer.map { unsafe String(cString: $0) } ?? ""
    }

    private func facts(_ element: OpaquePointer) -> MixerElement {
        let name = unsafe MixerElement.Name(
            name: text(snd_mixer_selem_get_name(element)), index: Int(snd_mixer_selem_get_index(element)))
        var facts = MixerElement(name: name)
        facts.isActive = unsafe snd_mixer_selem_is_active(element) != 0
        facts.hasCommonVolume = unsafe snd_mixer_selem_has_common_volume(element) != 0
        facts.hasCommonSwitch = unsafe snd_mixer_selem_has_common_switch(element) != 0
        facts.isEnumerated = unsafe snd_mixer_selem_is_enumerated(element) != 0
        facts.capture.hasVolume = unsafe snd_mixer_selem_has_capture_volume(element) != 0
        facts.capture.hasSwitch = unsafe snd_mixer_selem_has_capture_switch(element) != 0
        // Only a capture switch can be exclusive; for an element without one the library's answer has no meaning.
        facts.capture.isExclusive =
            unsafe facts.capture.hasSwitch && snd_mixer_selem_has_capture_switch_exclusive(element) != 0
        facts.playback.hasVolume = unsafe snd_mixer_selem_has_playback_volume(element) != 0
        facts.playback.hasSwitch = unsafe snd_mixer_selem_has_playback_switch(element) != 0
        facts.capture.channels = Self.channels.filter {
            unsafe snd_mixer_selem_has_capture_channel(element, number($0)) != 0
        }
        facts.playback.channels = Self.channels.filter {
            unsafe snd_mixer_selem_has_playback_channel(element, number($0)) != 0
        }
        return facts
    }
}

/// An error of a call into a mixer library.
struct MixerCallError: Error, Sendable, Hashable {
    /// The name of the C function.
    let function: String
    /// The error number that it returned, positive as in `errno`.
    let number: CInt

    /// Whether the card was disconnected: all further calls will fail.
    var isDisconnected: Bool { number == ENODEV }

    /// The link error for a failure to open a card by name.
    func whileOpening(_ card: String) -> LinkError {
        switch number {
        case ENOENT, ENODEV, ENXIO:
            LinkError(
                .notFound, link: card, "there is no such sound card", remedy: "list the sound cards: jackdaw devices",
                underlying: words)
        case EACCES, EPERM:
            LinkError(
                .notPermitted, link: card, "this user may not set its levels",
                remedy: "sudo usermod -aG audio $USER, then log in again", underlying: words)
        default: whileOpen(card)
        }
    }

    /// The link error for a failure after the card was opened.
    func whileOpen(_ card: String) -> LinkError {
        switch number {
        case ENODEV: LinkError(.disconnected, link: card, "the sound card was removed", underlying: words)
        case EBUSY, EACCES, EPERM:
            LinkError(
                .busy, link: card, "another program has locked its levels",
                remedy: "end the program that `fuser -v /dev/snd/*` shows", underlying: words)
        default: LinkError(.system, link: card, "its levels cannot be read or set", underlying: words)
        }
    }

    private var words: String {
        let message = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return "\(function): \(message)"
    }
}
