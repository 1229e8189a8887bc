internal import CALSA
import Glibc
import JackdawSystem

/// The calls of libasound about devices; tests use scripted answers.
protocol DeviceCalls: Sendable {
    /// Finds the capabilities of a device, which is opened and closed for that.
    /// - Parameters:
    ///   - name: the device's ALSA name.
    ///   - direction: the direction of the sound.
    /// - Returns: nil if the device supports no rate or no number of channels.
    /// - Throws: `SystemFailure` if it cannot be opened.
    func abilities(of name: String, _ direction: PCMDirection) throws(SystemFailure) -> PCMAbilities?
    /// The configured names. The corresponding C function is `snd_device_name_hint`.
    func hints() -> [PCMHint]
}

/// A name that the library's configuration defines for a device.
struct PCMHint: Hashable {
    let name: String
    /// The library's description of the device.
    let meaning: String
    let directions: [PCMDirection]
}

/// The calls of libasound itself.
struct LibraryDevices: DeviceCalls {
    init() { LibraryMessages.silence() }

    func abilities(of name: String, _ direction: PCMDirection) throws(SystemFailure) -> PCMAbilities? {
        var device: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        try check(unsafe snd_pcm_open(&device, name, stream, Int32(SND_PCM_NONBLOCK)))
        defer { unsafe snd_pcm_close(device) }
        var parameters: OpaquePointer?
        try check(unsafe snd_pcm_hw_params_malloc(&parameters))
        defer { unsafe snd_pcm_hw_params_free(parameters) }
        try check(unsafe snd_pcm_hw_params_any(device, parameters))
        var (lowest, highest, fewest, most) = (UInt32(0), UInt32(0), UInt32(0), UInt32(0))
        try check(unsafe snd_pcm_hw_params_get_rate_min(parameters, &lowest, nil))
        try check(unsafe snd_pcm_hw_params_get_rate_max(parameters, &highest, nil))
        try check(unsafe snd_pcm_hw_params_get_channels_min(parameters, &fewest))
        try check(unsafe snd_pcm_hw_params_get_channels_max(parameters, &most))
        guard lowest <= highest, fewest <= most else { return nil }
        let rates = PCMAbilities.usualRates.filter {
            unsafe snd_pcm_hw_params_test_rate(device, parameters, UInt32($0), 0) == 0
        }
        let formats = Self.formats.filter {
            unsafe snd_pcm_hw_params_test_format(device, parameters, $0.format) == 0
        }
        return PCMAbilities(
            rates: Int(lowest)...Int(highest), usualRates: rates, channels: Int(fewest)...Int(most),
            formats: formats.map(\.name))
    }

    private static var formats: [(name: String, format: snd_pcm_format_t)] {
        [
            ("S16_LE", SND_PCM_FORMAT_S16_LE), ("S24_LE", SND_PCM_FORMAT_S24_LE),
            ("S24_3LE", SND_PCM_FORMAT_S24_3LE), ("S32_LE", SND_PCM_FORMAT_S32_LE),
            ("FLOAT_LE", SND_PCM_FORMAT_FLOAT_LE), ("U8", SND_PCM_FORMAT_U8),
        ]
    }

    func hints() -> [PCMHint] {
        var list: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard unsafe snd_device_name_hint(-1, "pcm", &list) == 0, let list = unsafe list else { return [] }
        defer { unsafe snd_device_name_free_hint(list) }
        var hints: [PCMHint] = []
        var place = 0
        while let entry = unsafe list[place] {
            place += 1
            guard let name = unsafe Self.text(entry, "NAME") else { continue }
            let meaning = unsafe Self.text(entry, "DESC") ?? ""
            // No entry means both directions.
            let directions: [PCMDirection] =
                switch unsafe Self.text(entry, "IOID") {
                case "Input": [.capture]
                case "Output": [.playback]
                default: PCMDirection.allCases
                }
            hints.append(
                PCMHint(name: name, meaning: meaning.replacing("\n", with: ", "), directions: directions))
        }
        return hints
    }

    @unsafe private static func text(_ hint: UnsafeMutableRawPointer, _ field: String) -> String? {
        guard let text = unsafe snd_device_name_get_hint(hint, field) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }
}
