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
