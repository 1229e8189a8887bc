import Glibc
import JackdawSystem

/// The calls of libasound that sound goes through, one function each; tests script them. For one thread at a time.
protocol PCMCalls: AnyObject, Sendable {
    /// What the device was opened with.
    var format: StreamFormat { get }

    /// Stops the device, which forgets what it holds; one that does not run stays as it is. The corresponding C function is
    /// `snd_pcm_drop`.
    func drop()
    /// Makes a device ready that does not run. The corresponding C function is `snd_pcm_prepare`.
    func prepare() throws(SystemFailure)
    /// Lets the sound run. The corresponding C function is `snd_pcm_start`.
    func start() throws(SystemFailure)
    /// Goes on after the system slept. The corresponding C function is `snd_pcm_resume`.
    func resume() throws(SystemFailure)
    /// What the device is doing. The corresponding C function is `snd_pcm_state`.
    func state() -> PCMState
    /// Frames that can be read or written. The corresponding C function is `snd_pcm_avail_update`.
    func available() throws(SystemFailure) -> Int
    /// When so many frames could be read or written: nanoseconds of the monotonic clock; nil where the device does not tell.
    /// The corresponding C function is `snd_pcm_htimestamp`.
    func timestamp() -> (available: Int, time: Int64)?
    /// Reads interleaved frames. The corresponding C function is `snd_pcm_readi`.
    /// - Parameter bytes: room for whole frames.
    /// - Returns: frames that were read, which may be fewer.
    /// - Throws: ``SystemFailure`` with what the library returned.
    func read(_ bytes: UnsafeMutableRawBufferPointer) throws(SystemFailure) -> Int
    /// Writes interleaved frames. The corresponding C function is `snd_pcm_writei`.
    /// - Parameter bytes: whole frames.
    /// - Returns: frames that were written, which may be fewer.
    /// - Throws: ``SystemFailure`` with what the library returned.
    func write(_ bytes: UnsafeRawBufferPointer) throws(SystemFailure) -> Int
    /// How many descriptors there are to wait for. The C function is `snd_pcm_poll_descriptors_count`.
    var descriptorCount: Int { get }
    /// What to wait for. The corresponding C function is `snd_pcm_poll_descriptors`.
    /// - Parameter entries: room for ``descriptorCount`` of them.
    /// - Throws: ``SystemFailure`` with what the library returned.
    func fill(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure)
    /// What the answers mean. The corresponding C function is `snd_pcm_poll_descriptors_revents`.
    func condition(_ entries: UnsafeMutableBufferPointer<pollfd>) throws(SystemFailure) -> PollDescriptor.Conditions
    /// Gives the device back; nothing else is called then. The corresponding C function is `snd_pcm_close`.
    func close()
}

/// What a device is doing (`snd_pcm_state_t`), as far as it matters.
enum PCMState: Hashable {
    case prepared, running, overrun, suspended, disconnected, other
}

/// Opens devices; tests hand out scripted ones.
protocol PCMOpener: Sendable {
    associatedtype Calls: PCMCalls

    /// Opens a device.
    /// - Throws: ``SystemFailure``, also for what the device cannot do: `EINVAL`.
    func open(_ configuration: StreamConfiguration, _ direction: PCMDirection) throws(SystemFailure) -> Calls
}
