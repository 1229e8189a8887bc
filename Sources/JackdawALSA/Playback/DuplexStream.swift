public import JackdawTransport

/// Sound from and to one sound card, at one rate; the times of both are of the same clock.
///
/// ```swift
/// let reader = try DuplexStream(StreamConfiguration(device: "hw:1,0"), playbackChannels: 2) { format in
///     try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: format.sampleRate)
/// }
/// let change = reader.perform { line in try? line.enqueue(command, .inserted) }
/// while try reader.receive(within: .seconds(1), { event, samples in ... }) {}
/// ```
public final class DuplexStream<Source: SoundSource>: AudioPort {
    /// What is captured.
    public let capture: CaptureStream
    /// What is played.
    public let playback: PlaybackStream<Source>

    /// Opens a card both ways and starts it. Where one way cannot be opened, the other one is closed again.
    /// - Parameters:
    ///   - configuration: which, and how; its channels are those that are captured.
    ///   - playbackChannels: channels that are played; nil for one, or the fewest that the device has.
    ///   - map: which channel of the source goes where; nil for ``ChannelMap/usual(from:to:)``.
    ///   - makeSource: makes what is played for what the device was opened with.
    /// - Throws: `LinkError`: what there is in the way, and what to do about it; or what `makeSource` throws.
    public convenience init(
        _ configuration: StreamConfiguration, playbackChannels: Int? = nil, map: ChannelMap? = nil,
        _ makeSource: (StreamFormat) throws -> Source
    ) throws {
        try self.init(configuration, LibraryOpener(), playbackChannels: playbackChannels, map: map, makeSource)
    }

    init(
        _ configuration: StreamConfiguration, _ opener: some PCMOpener, playbackChannels: Int? = nil,
        map: ChannelMap? = nil, _ makeSource: (StreamFormat) throws -> Source
    ) throws {
        let capture = try CaptureStream(configuration, opener)
        self.capture = capture
        do {
            var configuration = configuration
            configuration.sampleRate = capture.format.sampleRate
            configuration.channels = playbackChannels
            playback = try PlaybackStream(configuration, opener, map: map, makeSource)
        } catch {
            capture.close()
            throw error
        }
    }

    /// Frames per second (Hz), both ways.
    public var sampleRate: Double { capture.sampleRate }

    /// Samples of a captured frame.
    public var channelCount: Int { capture.channelCount }

    /// Waits for what is captured next and hands it over, as ``CaptureStream/receive(within:_:)`` does.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        try capture.receive(within: timeout, take)
    }

    /// Changes what is played, as ``PlaybackStream/perform(_:)`` does.
    @discardableResult
    public func perform(_ change: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        playback.perform(change)
    }

    /// Stops both and gives the card back.
    public func close() {
        playback.close()
        capture.close()
    }
}
