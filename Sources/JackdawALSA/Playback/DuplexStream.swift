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

/// Which channel of a source goes to which channel of a device, and how loud.
///
/// ```swift
/// // Power on the left, commands on the right, of a card with four outputs.
/// let map = ChannelMap(gains: [[1, 0], [0, 1], [0, 0], [0, 0]])
/// ```
public struct ChannelMap: Sendable, Hashable {
    /// Channels of the source.
    public let sourceChannels: Int
    /// Channels of the device.
    public let deviceChannels: Int
    /// What is added up for the device's channels: all gains of its first channel, then of its second one.
    private let gains: [Float]

    /// A map.
    /// - Parameter gains: for each channel of the device, what each channel of the source is multiplied by before they are
    ///   added up: 1, -1 for upside down, 0 for silence. At least one of each, and as many for every one of them.
    public init(gains: [[Float]]) {
        deviceChannels = gains.count
        sourceChannels = gains.first?.count ?? 0
        precondition(
            sourceChannels > 0 && gains.allSatisfy { [sourceChannels] in $0.count == sourceChannels },
            "as many gains for every channel")
        self.gains = gains.flatMap { $0 }
    }

    /// What is done where nobody says otherwise: a single channel goes to the first two of the device, several to as many of
    /// it in their order; those beyond it are not heard, and the device's others are silent.
    /// - Parameters:
    ///   - source: channels of the source, 1 or more.
    ///   - device: channels of the device, 1 or more.
    /// - Returns: a map for them.
    public static func usual(from source: Int, to device: Int) -> ChannelMap {
        ChannelMap(
            gains: (0..<device).map { output in
                (0..<source).map { input in input == output || source == 1 && output < 2 ? 1 : 0 }
            })
    }

    /// Whether it changes nothing.
    var isIdentity: Bool {
        guard sourceChannels == deviceChannels else { return false }
        return gains.indices.allSatisfy { gains[$0] == ($0 / sourceChannels == $0 % sourceChannels ? 1 : 0) }
    }

    /// Maps a block.
    /// - Parameters:
    ///   - source: whole frames.
    ///   - device: room for as many.
    func apply(_ source: Span<Float>, to device: inout MutableSpan<Float>) {
        let frames = source.count / sourceChannels
        precondition(device.count == frames * deviceChannels, "as many frames")
        for frame in 0..<frames {
            for output in 0..<deviceChannels {
                var sum: Float = 0
                for input in 0..<sourceChannels {
                    sum += gains[output * sourceChannels + input] * source[frame * sourceChannels + input]
                }
                device[frame * deviceChannels + output] = sum
            }
        }
    }
}
