import JackdawSystem
public import JackdawTransport

/// Sound to a sound card: a thread of its own asks a source for it, and neither waits nor allocates. The source can be changed
/// while it plays; a change is heard as soon as what the device holds has been played, 20 ms with ``StreamConfiguration/Latency/low``.
///
/// ```swift
/// let stream = try PlaybackStream(StreamConfiguration(device: "hw:1,0", channels: 2)) { format in
///     try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: format.sampleRate)
/// }
/// let change = stream.perform { line in try? line.enqueue(command, .inserted) }
/// ```
///
/// Whatever breaks the sound off, the source goes on where it was: no frame is made twice or left out.
public final class PlaybackStream<Source: SoundSource>: Sendable {
    /// What the device was opened with.
    public let format: StreamFormat

    private let link: String
    private let changes = ChangeQueue<Source>()
    private let report = PlaybackReport()
    private let state: StreamState
    private let thread: WorkerThread

    /// What a change has left behind is given back so long after it (s): the sound of a command that the source still plays
    /// then is freed where the change was asked for, not by the thread that plays.
    private static var secondsKept: Double { 10 }

    /// Opens a device and starts it.
    /// - Parameters:
    ///   - configuration: which, and how.
    ///   - map: which channel goes where; nil for ``ChannelMap/usual(from:to:)``.
    ///   - makeSource: makes the source for what the device was opened with.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it; or what `makeSource` throws.
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
                    "the channel map leads from \(map.sourceChannels) channels to \(map.deviceChannels), "
                        + "but there are \(source.channelCount) and \(calls.format.channels)")
            }
            let feed = Handover(
                PlaybackFeed(
                    consume source, changes, map, framesPerBlock: calls.format.periodFrames, report: report))
            state = try StreamState()
            thread = try WorkerThread(name: "jackdaw-play", isHurried: true) { [state, wanted] in
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

    /// How it gets on.
    public var status: PlaybackStatus { report.status }

    /// Changes the source between two blocks, after all changes that were asked for before. Never waits for the sound; while
    /// the device is away, changes wait until it is back.
    /// - Parameter change: what is to be done. It runs on the thread that plays: it must neither wait nor allocate.
    /// - Returns: tells when it was made.
    @discardableResult
    public func perform(_ change: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        let kept = Int64(Self.secondsKept * format.sampleRate)
        return changes.send(freeingBefore: report.framesWritten - kept, change)
    }

    /// Waits for what happens to the sound next. For one thread at a time.
    /// - Parameter timeout: how long to wait at most.
    /// - Returns: what happened; nil where nothing did.
    /// - Throws: `LinkError` with code `disconnected` where the device has gone for good.
    public func receive(within timeout: Duration) throws(LinkError) -> PlaybackEvent? {
        let failure = state.failure
        if let event = report.events.next() { return event }
        if let failure { throw .gone(link, failure) }
        _ = state.news.wait(milliseconds: timeout.milliseconds)
        return report.events.next()
    }

    /// Waits until the source has run out and all of it was heard, then closes. The source has to be asked to end before, by
    /// ``perform(_:)``, and to tell by `SoundSource/isSilent`.
    /// - Parameter timeout: how long to wait at most; what is not over then is cut off.
    /// - Returns: whether all was heard that could be.
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

    /// Stops the source at once, waits until what the device holds was heard, and gives it back.
    public func close() { if state.stop() { thread.join() } }
}

extension LinkError {
    /// A device has gone for good.
    static func gone(_ link: String, _ failure: SystemFailure) -> LinkError {
        LinkError(
            .disconnected, link: link, "the device has gone", remedy: "plug it in again", underlying: failure.message)
    }
}

extension PlaybackStream: PlaybackPort {
    /// Frames per second (Hz).
    public var sampleRate: Double { format.sampleRate }

    /// Changes the source, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}

extension DuplexStream: PlaybackPort {
    /// Changes what is played, as ``perform(_:)`` does.
    public func change(_ change: @escaping @Sendable (inout Source) -> Void) { perform(change) }
}

/// Keeps a playback device going.
typealias PlaybackEngine<Opener: PCMOpener, Source: SoundSource> =
    StreamEngine<Opener, PlaybackLoop<Opener.Calls, Source>>

/// How sound that is played gets on.
public struct PlaybackStatus: Sendable, Hashable {
    /// Frames of the source that were handed over to the device.
    public let framesWritten: Int64
    /// Frames of the source that have left the device's buffer, as of its last period.
    public let framesPlayed: Int64
    /// How often the sound broke off.
    public let interruptions: Int
    /// Frames of silence that this made.
    public let silence: Int64
    /// Whether the device is there.
    public let isConnected: Bool
}
