public import JackdawTransport

/// Captures from and plays to one sound card, at one rate; the times of both directions are of the same clock.
///
/// ```swift
/// let reader = try DuplexStream(StreamConfiguration(device: "hw:1,0"), playbackChannels: 2) { format in
///     try PoweredLine(PowerToneProfile.uniMag.connecting, sampleRate: format.sampleRate)
/// }
/// let change = reader.perform { line in try? line.enqueue(command, .inserted) }
/// while try reader.receive(within: .seconds(1), { event, samples in ... }) {}
/// ```
public final class DuplexStream<Source: SoundSource>: AudioPort {
    /// The stream of captured sound.
    public let capture: CaptureStream
    /// The stream of played sound.
    public let playback: PlaybackStream<Source>

    /// Opens a card in both directions and starts it. If one direction cannot be opened, the other one is closed again.
    /// - Parameters:
    ///   - configuration: the device, and its parameters; its channels are those to capture.
    ///   - playbackChannels: the channels to play; nil for one, or the fewest of the device.
    ///   - map: the map from the source's channels to the device's; nil for ``ChannelMap/usual(from:to:)``.
    ///   - makeSource: makes the source for the format with which the device was opened.
    /// - Throws: `LinkError` with the cause and the remedy if the card cannot be opened; or the error of `makeSource`.
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

    /// Frames per second (Hz), in both directions.
    public var sampleRate: Double { capture.sampleRate }

    /// Samples of a captured frame, one per channel.
    public var channelCount: Int { capture.channelCount }

    /// Waits for the next event and passes it to `take`, as ``CaptureStream/receive(within:_:)`` does.
    public func receive(
        within timeout: Duration, _ take: (CaptureEvent, Span<Float>) -> Void
    ) throws(LinkError) -> Bool {
        try capture.receive(within: timeout, take)
    }

    /// Changes the source that is played, as ``PlaybackStream/perform(_:)`` does.
    @discardableResult
    public func perform(_ change: @escaping @Sendable (inout Source) -> Void) -> PlaybackChange {
        playback.perform(change)
    }

    /// Stops both streams and closes the card.
    public func close() {
        playback.close()
        capture.close()
    }
}

/// The gain from each channel of a source to each channel of a device.
///
/// ```swift
/// // Power on the left, commands on the right, of a card with four outputs.
/// let map = ChannelMap(gains: [[1, 0], [0, 1], [0, 0], [0, 0]])
/// ```
public struct ChannelMap: Sendable, Hashable {
    /// Number of channels of the source.
    public let sourceChannels: Int
    /// Number of channels of the device.
    public let deviceChannels: Int
    /// The gains: all gains of the device's first channel, then of its second one, and so on.
    private let gains: [Float]

    /// A map with a gain for each pair of channels.
    /// - Parameter gains: for each channel of the device, the factors of the source's channels, which are then added:
    ///   1, -1 to invert, 0 for silence. At least one of each, and as many for each channel of the device.
    public init(gains: [[Float]]) {
        deviceChannels = gains.count
        sourceChannels = gains.first?.count ?? 0
        precondition(
            sourceChannels > 0 && gains.allSatisfy { [sourceChannels] in $0.count == sourceChannels },
            "every channel must have the same number of gains")
        self.gains = gains.flatMap { $0 }
    }

    /// The map that is used by default: a single channel goes to the first two of the device; several channels go to
    /// the same number of the device's in order. Further source channels are not played, and further device channels
    /// are silent.
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

    /// Whether the map leaves the sound unchanged.
    var isIdentity: Bool {
        guard sourceChannels == deviceChannels else { return false }
        return gains.indices.allSatisfy { gains[$0] == ($0 / sourceChannels == $0 % sourceChannels ? 1 : 0) }
    }

    /// Applies the map to a block.
    /// - Parameters:
    ///   - source: whole frames.
    ///   - device: room for as many frames.
    func apply(_ source: Span<Float>, to device: inout MutableSpan<Float>) {
        let frames = source.count / sourceChannels
        precondition(device.count == frames * deviceChannels, "both buffers must have the same number of frames")
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
