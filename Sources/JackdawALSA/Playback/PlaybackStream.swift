import JackdawSystem
public import JackdawTransport

/// Plays sound on a sound card. A thread of its own renders a source, without waiting for other threads or allocating.
/// The source can be changed while it plays; a change is heard after the device has played its buffer, 20 ms with
/// ``StreamConfiguration/Latency/low``.
///
/// ```swift
/// let stream = try PlaybackStream(StreamConfiguration(device: "hw:1,0", channels: 2)) { format in
///     try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: format.sampleRate)
/// }
/// let change = stream.perform { line in try? line.enqueue(command, .inserted) }
/// ```
///
/// After any interruption, the source continues at the next frame: each frame is rendered exactly once.
public final class PlaybackStream<Source: SoundSource>: Sendable {
    /// The format with which the device was opened.
    public let format: StreamFormat

    private let link: String
    private let changes = ChangeQueue<Source>()
    private let report = PlaybackReport()
    private let state: StreamState
    private let thread: WorkerThread

    /// Seconds after which a change is freed: the sound of a command that the source still plays is then freed by the
    /// thread that requests changes, not by the thread that plays.
    private static var secondsKept: Double { 10 }

    /// Opens a device and starts it.
    /// - Parameters:
    ///   - configuration: the device, and its parameters.
    ///   - map: the map from the source's channels to the device's; nil for ``ChannelMap/usual(from:to:)``.
    ///   - makeSource: makes the source for the format with which the device was opened.
    /// - Throws: `LinkError` with the cause and the remedy if the device cannot be opened; or the error of
    ///   `makeSource`.
    public convenience init(
        _ configuration: StreamConfiguration, map: ChannelMap? = nil, _ makeSource: (StreamFormat) throws -> Source
    ) throws {
        try self.init(configuration, LibraryOpener(), map: map, makeSource)
    }

    init<Opener: PCMOpener>(
        _ configuration: StreamConfiguration, _ opener: Opener, map: ChannelMap? = nil,
        _ makeSource: (StreamFormat) throws -> Source
    ) throws {
        link = "alsa:\(configuration.device)"
        var wanted = configuration
        wanted.channels = configuration.channels ?? map?.deviceChannels
        func failure(_ code: Int32) -> LinkError {
            DeviceDiagnosis.error(opening: configuration.device, .playback, errno: code)
        }
        let calls: Opener.Calls
        do { calls = try opener.open(wanted, .playback) } catch { throw failure(error.code) }
        format = calls.format
        do {
            let source = try makeSource(calls.format)
            let map = map ?? .usual(from: source.channelCount, to: calls.format.channels)
            guard map.sourceChannels == source.channelCount, map.deviceChannels == calls.format.channels else {
                throw LinkError(
                    .unsupported, link: link,
                    "the channel map is from \(map.sourceChannels) channels to \(map.deviceChannels), "
                        + "but the source has \(source.channelCount) and the device \(calls.format.channels)")
            }
            let feed = Handover(
                PlaybackFeed(
                    consume source, changes, map, framesPerBlock: calls.format.periodFrames, report: report))
            state = try StreamState()
            thread = try WorkerThread(name: "jackdaw-play", isRealtime: true) { [state, wanted] in
                PlaybackEngine<Opener, Source>(
                    calls, opener, wanted, framesPerBlock: calls.format.periodFrames, sound: feed.take()
                )
                .run(state)
            }
        } catch {
            calls.close()
            throw (error as? SystemFailure).map { failure($0.code) } ?? error
        }
    }

    deinit { close() }

    /// The progress of the sound so far.
    public var status: PlaybackStatus { report.status }

    /// Changes the source between two blocks, after all changes that were requested before. Never waits for the sound;
    /// while the device is disconnected, changes are pending until it is back.
    /// - Parameter change: the change. It runs on the thread that plays: it must neither wait nor allocate.
    /// - Returns: the change, which shows when it took effect.
    @discardableResult
    public func perform(_ change: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        let kept = Int64(Self.secondsKept * format.sampleRate)
        return changes.send(freeingBefore: report.framesWritten - kept, change)
    }

    /// Waits for the next event. One thread at a time may call it.
    /// - Parameter timeout: the longest wait.
    /// - Returns: the event; nil after the timeout.
    /// - Throws: `LinkError` with code `disconnected` if the device is permanently disconnected.
    public func receive(within timeout: Duration) throws(LinkError) -> PlaybackEvent? {
        let failure = state.failure
        if let event = report.events.next() { return event }
        if let failure { throw .gone(link, failure) }
        _ = state.news.wait(milliseconds: timeout.milliseconds)
        return report.events.next()
    }

    /// Waits until the source has ended and all its sound was played, then closes the stream. The caller must end the
    /// source first, through ``perform(_:)``; the source reports its end by `SoundSource/isSilent`.
    /// - Parameter timeout: the longest wait; the sound is cut off after it.
    /// - Returns: whether all the sound was played that could be.
    @discardableResult
    public func finish(within timeout: Duration) -> Bool {
        guard !state.isStopped else { return state.hasFinished }
        report.askToFinish()
        let clock = ContinuousClock()
        let deadline = clock.now + timeout
        // A signal ends a wait.
        while !state.isOver, clock.now < deadline {
            _ = state.ended.wait(milliseconds: (deadline - clock.now).milliseconds)
        }
        close()
        return state.hasFinished
    }

    /// Stops the source at once, waits until the device has played its buffer, and closes the device.
    public func close() { if state.stop() { thread.join() } }
}

extension LinkError {
    /// A device is permanently disconnected.
    static func gone(_ link: String, _ failure: SystemFailure) -> LinkError {
        LinkError(
            .disconnected, link: link, "the device was removed", remedy: "plug it in again",
            underlying: failure.message)
    }
}

extension PlaybackStream: PlaybackPort {
    /// Frames per second (Hz).
    public var sampleRate: Double { format.sampleRate }

    /// Changes the source, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}

extension DuplexStream: PlaybackPort {
    /// Changes the source that is played, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}

/// The engine of a playback device.
typealias PlaybackEngine<Opener: PCMOpener, Source: SoundSource> =
    StreamEngine<Opener, PlaybackLoop<Opener.Calls, Source>>

/// The progress of sound that is played.
public struct PlaybackStatus: Sendable, Hashable {
    /// Frames of the source that were written to the device.
    public let framesWritten: Int64
    /// Frames of the source that have left the device's buffer, as of its last period.
    public let framesPlayed: Int64
    /// Number of interruptions of the sound.
    public let interruptions: Int
    /// Frames of silence in these interruptions.
    public let silence: Int64
    /// Whether the device is connected.
    public let isConnected: Bool
}
