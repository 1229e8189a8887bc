internal import CALSA
import Glibc
import JackdawSystem

/// A sound device, through libasound.
@safe final class LibraryPCM: PCMCalls, @unchecked Sendable {
    let format: StreamFormat
    private let handle: OpaquePointer

    /// Takes ownership of an open handle whose parameters are set.
    init(handle: OpaquePointer, format: StreamFormat) {
        unsafe self.handle = handle
        self.format = format
    }

    func drop() { unsafe snd_pcm_drop(handle) }

    func prepare() throws(SystemFailure) { try check(unsafe snd_pcm_prepare(handle)) }

    func start() throws(SystemFailure) { try check(unsafe snd_pcm_start(handle)) }

    func resume() throws(SystemFailure) { try check(unsafe snd_pcm_resume(handle)) }

    func state() -> PCMState {
        switch unsafe snd_pcm_state(handle) {
        case SND_PCM_STATE_PREPARED, SND_PCM_STATE_SETUP: .prepared
        case SND_PCM_STATE_RUNNING, SND_PCM_STATE_DRAINING: .running
        case SND_PCM_STATE_XRUN: .overrun
        case SND_PCM_STATE_SUSPENDED: .suspended
        case SND_PCM_STATE_DISCONNECTED: .disconnected
        default: .other
        }
    }

    func available() throws(SystemFailure) -> Int { try Self.frames(unsafe snd_pcm_avail_update(handle)) }

    func timestamp() -> (available: Int, time: Int64)? {
        var available: snd_pcm_uframes_t = 0
        var time = timespec()
        guard unsafe snd_pcm_htimestamp(handle, &available, &time) == 0, (1..<1 << 32).contains(time.tv_sec) else {
            return nil
        }
        return (Int(clamping: available), Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }

    func read(_ bytes: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int {
        let frames = snd_pcm_uframes_t(bytes.count / format.bytesPerFrame)
        return try Self.frames(unsafe snd_pcm_readi(handle, bytes.baseAddress, frames))
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int {
        let frames = snd_pcm_uframes_t(bytes.count / format.bytesPerFrame)
        return try Self.frames(unsafe snd_pcm_writei(handle, bytes.baseAddress, frames))
    }

    var descriptorCount: Int { max(0, Int(unsafe snd_pcm_poll_descriptors_count(handle))) }

    func fill(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) {
        try check(unsafe snd_pcm_poll_descriptors(handle, entries.baseAddress, UInt32(entries.count)))
    }

    func condition(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) -> PollDescriptor.Conditions {
        var answer: UInt16 = 0
        try check(
            unsafe snd_pcm_poll_descriptors_revents(handle, entries.baseAddress, UInt32(entries.count), &answer))
        return PollDescriptor.Conditions(rawValue: Int16(bitPattern: answer))
    }

    func close() { unsafe snd_pcm_close(handle) }

    private static func frames(_ result: snd_pcm_sframes_t) throws(SystemFailure) -> Int {
        guard result >= 0 else { throw SystemFailure(code: Int32(clamping: -result)) }
        return result
    }
}

/// Opens sound devices by libasound.
struct LibraryOpener: PCMOpener {
    /// Seconds of sound that a capture buffer holds for a late program. It adds no latency.
    private static let captureBuffer = 0.5
    /// Periods that a playback buffer holds; each adds latency.
    private static let playbackPeriods = 4.0
    /// Rates to try in turn if the configuration has no rate, in Hz.
    private static let usualRates: [UInt32] = [
        48_000, 44_100, 96_000, 88_200, 192_000, 176_400, 64_000, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000,
    ]
    /// Encodings to try in turn if the configuration has no encoding: those with the most bits of a converter, then
    /// those that cost least to decode.
    private static let usualEncodings: [PCMEncoding] = [.s32, .s24, .s24Packed, .float, .s16]

    func open(_ configuration: StreamConfiguration, _ direction: PCMDirection) throws(SystemFailure) -> LibraryPCM {
        LibraryMessages.silence()
        var opened: OpaquePointer?
        let stream = direction == .capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK
        try check(unsafe snd_pcm_open(&opened, configuration.device, stream, Int32(SND_PCM_NONBLOCK)))
        let handle = unsafe opened!
        do throws(SystemFailure) {
            let format = try unsafe Self.negotiate(handle, configuration, direction)
            try unsafe Self.setSoftware(handle, format, direction)
            return unsafe LibraryPCM(handle: handle, format: format)
        } catch {
            unsafe snd_pcm_close(handle)
            throw error
        }
    }

    /// Sets rate, channels, encoding and sizes (`snd_pcm_hw_params`).
    private static func negotiate(
        _ handle: OpaquePointer, _ configuration: StreamConfiguration, _ direction: PCMDirection
    ) throws(SystemFailure) -> StreamFormat {
        var allocated: OpaquePointer?
        try check(unsafe snd_pcm_hw_params_malloc(&allocated))
        let parameters = unsafe allocated!
        defer { unsafe snd_pcm_hw_params_free(parameters) }

        // ALSA converts the rate only if the device does not have it: a conversion costs time and a little of the
        // signal.
        try check(unsafe snd_pcm_hw_params_any(handle, parameters))
        try check(unsafe snd_pcm_hw_params_set_rate_resample(handle, parameters, 0))
        var isResampled = false
        var rate: UInt32 = 0
        if let wanted = configuration.sampleRate {
            guard StreamConfiguration.sampleRates.contains(wanted) else { throw SystemFailure(code: EINVAL) }
            rate = UInt32(wanted.rounded())
            if unsafe snd_pcm_hw_params_test_rate(handle, parameters, rate, 0) < 0 {
                try check(unsafe snd_pcm_hw_params_any(handle, parameters))
                isResampled = true
            }
        } else {
            let usual = Self.usualRates.first { unsafe snd_pcm_hw_params_test_rate(handle, parameters, $0, 0) == 0 }
            guard let usual else { throw SystemFailure(code: EINVAL) }
            rate = usual
        }
        try check(unsafe snd_pcm_hw_params_set_access(handle, parameters, SND_PCM_ACCESS_RW_INTERLEAVED))
        try check(unsafe snd_pcm_hw_params_set_rate(handle, parameters, rate, 0))
        let encodings = configuration.encoding.map { [$0] } ?? usualEncodings
        let encoding = encodings.first {
            unsafe snd_pcm_hw_params_test_format(handle, parameters, $0.libraryFormat) == 0
        }
        guard let encoding else { throw SystemFailure(code: EINVAL) }
        try check(unsafe snd_pcm_hw_params_set_format(handle, parameters, encoding.libraryFormat))
        var channels = UInt32(clamping: configuration.channels ?? max(1, configuration.leastChannels))
        if configuration.channels == nil {
            try check(unsafe snd_pcm_hw_params_set_channels_near(handle, parameters, &channels))
        } else {
            try check(unsafe snd_pcm_hw_params_set_channels(handle, parameters, channels))
        }
        let sizes = try unsafe setSizes(handle, parameters, configuration.latency, direction, rate: Double(rate))
        return StreamFormat(
            sampleRate: Double(rate), channels: Int(channels), encoding: encoding, periodFrames: sizes.period,
            bufferFrames: sizes.buffer, isResampled: isResampled)
    }

    /// Sets period and buffer, and installs all parameters.
    private static func setSizes(
        _ handle: OpaquePointer, _ parameters: OpaquePointer, _ latency: StreamConfiguration.Latency,
        _ direction: PCMDirection, rate: Double
    ) throws(SystemFailure) -> (period: Int, buffer: Int) {
        var period = snd_pcm_uframes_t((latency.period * rate).rounded())
        let seconds = direction == .capture ? captureBuffer : playbackPeriods * latency.period
        var buffer = snd_pcm_uframes_t((seconds * rate).rounded())
        // Sizes, not numbers of periods: with a number, PipeWire's plug-in may make the periods ten seconds long.
        try check(unsafe snd_pcm_hw_params_set_period_size_near(handle, parameters, &period, nil))
        try check(unsafe snd_pcm_hw_params_set_buffer_size_near(handle, parameters, &buffer))
        try check(unsafe snd_pcm_hw_params(handle, parameters))
        try check(unsafe snd_pcm_hw_params_get_period_size(parameters, &period, nil))
        try check(unsafe snd_pcm_hw_params_get_buffer_size(parameters, &buffer))
        guard period > 0, buffer >= period else { throw SystemFailure(code: EINVAL) }
        return (Int(clamping: period), Int(clamping: buffer))
    }

    /// Sets when the device wakes the program, and its time stamps (`snd_pcm_sw_params`).
    private static func setSoftware(
        _ handle: OpaquePointer, _ format: StreamFormat, _ direction: PCMDirection
    ) throws(SystemFailure) {
        var allocated: OpaquePointer?
        try check(unsafe snd_pcm_sw_params_malloc(&allocated))
        let parameters = unsafe allocated!
        defer { unsafe snd_pcm_sw_params_free(parameters) }
        try check(unsafe snd_pcm_sw_params_current(handle, parameters))
        let period = snd_pcm_uframes_t(format.periodFrames)
        try check(unsafe snd_pcm_sw_params_set_avail_min(handle, parameters, period))
        // A threshold beyond the buffer: the device does not start by itself, so that the time of the first block is
        // known.
        try check(
            unsafe snd_pcm_sw_params_set_start_threshold(handle, parameters, snd_pcm_uframes_t(format.bufferFrames) * 2)
        )
        try check(unsafe snd_pcm_sw_params_set_tstamp_mode(handle, parameters, SND_PCM_TSTAMP_ENABLE))
        // Some plug-ins cannot select a clock; the default of these is the monotonic one.
        _ = unsafe snd_pcm_sw_params_set_tstamp_type(handle, parameters, SND_PCM_TSTAMP_TYPE_MONOTONIC)
        try check(unsafe snd_pcm_sw_params(handle, parameters))
    }
}

extension PCMEncoding {
    /// The library's constant for the encoding.
    var libraryFormat: snd_pcm_format_t {
        switch self {
        case .s16: SND_PCM_FORMAT_S16_LE
        case .s24: SND_PCM_FORMAT_S24_LE
        case .s24Packed: SND_PCM_FORMAT_S24_3LE
        case .s32: SND_PCM_FORMAT_S32_LE
        case .float: SND_PCM_FORMAT_FLOAT_LE
        }
    }
}

/// The calls of libasound for sound, one method per function; tests script them. One thread at a time may use them.
protocol PCMCalls: AnyObject, Sendable {
    /// The format with which the device was opened.
    var format: StreamFormat { get }

    /// Stops the device, which discards its buffer; a stopped device stays as it is. The corresponding C function is
    /// `snd_pcm_drop`.
    func drop()
    /// Prepares a stopped device. The corresponding C function is `snd_pcm_prepare`.
    func prepare() throws(SystemFailure)
    /// Starts a prepared device. The corresponding C function is `snd_pcm_start`.
    func start() throws(SystemFailure)
    /// Resumes the device after the system was suspended. The corresponding C function is `snd_pcm_resume`.
    func resume() throws(SystemFailure)
    /// The device's state. The corresponding C function is `snd_pcm_state`.
    func state() -> PCMState
    /// Frames that can be read or written. The corresponding C function is `snd_pcm_avail_update`.
    func available() throws(SystemFailure) -> Int
    /// A number of frames that could be read or written, and the time of that, in nanoseconds of the monotonic clock;
    /// nil if the device has no time stamps. The corresponding C function is `snd_pcm_htimestamp`.
    func timestamp() -> (available: Int, time: Int64)?
    /// Reads interleaved frames. The corresponding C function is `snd_pcm_readi`.
    /// - Parameter bytes: room for whole frames.
    /// - Returns: frames that were read, which may be fewer.
    /// - Throws: `SystemFailure` with the library's error number.
    func read(_ bytes: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int
    /// Writes interleaved frames. The corresponding C function is `snd_pcm_writei`.
    /// - Parameter bytes: whole frames.
    /// - Returns: frames that were written, which may be fewer.
    /// - Throws: `SystemFailure` with the library's error number.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int
    /// Number of descriptors to poll. The C function is `snd_pcm_poll_descriptors_count`.
    var descriptorCount: Int { get }
    /// Fills in the descriptors to poll. The corresponding C function is `snd_pcm_poll_descriptors`.
    /// - Parameter entries: room for ``descriptorCount`` of them.
    /// - Throws: `SystemFailure` with the library's error number.
    func fill(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure)
    /// Translates the results of `poll`. The corresponding C function is `snd_pcm_poll_descriptors_revents`.
    func condition(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) -> PollDescriptor.Conditions
    /// Closes the device; no other call may follow. The corresponding C function is `snd_pcm_close`.
    func close()
}

/// The states of a device that this module distinguishes (`snd_pcm_state_t`).
enum PCMState: Hashable {
    case prepared, running, overrun, suspended, disconnected, other
}

/// Opens devices; tests return scripted ones.
protocol PCMOpener: Sendable {
    associatedtype Calls: PCMCalls

    /// Opens a device and sets its parameters.
    /// - Throws: `SystemFailure`: `EINVAL` for parameters that the device does not support.
    func open(_ configuration: StreamConfiguration, _ direction: PCMDirection) throws(SystemFailure) -> Calls
}
