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
