/// The parameters with which a sound device is opened; for those that are nil, the device's best value is used.
public struct StreamConfiguration: Sendable, Hashable {
    /// The latency that the use of a stream needs.
    public enum Latency: Sendable, Hashable {
        /// For readers, which wait for answers: periods of 5 ms.
        case low
        /// For long recordings on a busy machine: periods of 20 ms.
        case safe

        /// Length of a period, in seconds.
        public var period: Double { self == .low ? 0.005 : 0.02 }
    }

    /// The ALSA name of the device: `hw:1,0`, `default`.
    public var device: String
    /// Frames per second, 8,000 to 192,000 Hz; nil for a rate of the device itself, 48,000 Hz if it has several. ALSA
    /// converts another rate if the device is opened by a name that converts, such as `default` or `plughw:1,0`.
    public var sampleRate: Double?
    /// Samples of a frame; nil for ``leastChannels``, or the nearest number that the device supports.
    public var channels: Int?
    /// Samples of a frame that are requested if ``channels`` is nil. A device that converts mixes its channels down to
    /// that number.
    public var leastChannels = 1
    /// How samples are encoded; nil for the finest encoding of the device.
    public var encoding: PCMEncoding?
    /// The latency that the use of the stream needs.
    public var latency: Latency
    /// Whether a disconnected device is opened again when it is back.
    public var reopens: Bool
    /// Seconds of captured sound that are held for a late receiver before frames are lost, 0.1 to 60.
    public var secondsHeld: Double

    /// A configuration; the defaults suit card readers.
    /// - Parameters:
    ///   - device: the ALSA name of the device.
    ///   - sampleRate: frames per second (Hz), 8,000 to 192,000; nil for the device's own.
    ///   - channels: samples of a frame; nil for the fewest of the device.
    ///   - encoding: how samples are encoded; nil for the finest of the device.
    ///   - latency: the latency that the use of the stream needs.
    ///   - reopens: whether a disconnected device is opened again when it is back.
    ///   - secondsHeld: seconds of captured sound that are held for a late receiver, 0.1 to 60.
    public init(
        device: String = "default", sampleRate: Double? = nil, channels: Int? = nil, encoding: PCMEncoding? = nil,
        latency: Latency = .low, reopens: Bool = true, secondsHeld: Double = 4
    ) {
        self.device = device
        self.sampleRate = sampleRate
        self.channels = channels
        self.encoding = encoding
        self.latency = latency
        self.reopens = reopens
        self.secondsHeld = secondsHeld
    }

    /// The ALSA name of the device's card, with which mixers and jacks are opened: `hw:1`, `default`.
    public var card: String { PCMAddress(device).card.map { "hw:\($0)" } ?? device }

    /// Sample rates that can be requested, in Hz.
    public static let sampleRates = 8_000.0...192_000.0
}

/// The parameters of an open sound device.
public struct StreamFormat: Sendable, Hashable {
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples of a frame, one per channel.
    public let channels: Int
    /// How samples are encoded in memory.
    public let encoding: PCMEncoding
    /// Frames of a period, which the device transfers at a time.
    public let periodFrames: Int
    /// Frames that the device's buffer holds.
    public let bufferFrames: Int
    /// Whether ALSA converts the rate, since the device itself has another one.
    public let isResampled: Bool

    /// Length of a period, in seconds.
    public var period: Double { Double(periodFrames) / sampleRate }

    /// Bytes of a frame, all channels.
    var bytesPerFrame: Int { channels * encoding.bytesPerSample }
}

/// The direction of the sound through a device.
public enum PCMDirection: String, Sendable, Hashable, CaseIterable {
    /// From the device to the program.
    case capture
    /// From the program to the device.
    case playback

    /// The letter that ends the names of the kernel's device files and folders: `pcmC0D0c`, `pcm0p`.
    var letter: String { self == .capture ? "c" : "p" }
}

/// The card and device of an ALSA name, as far as the name contains them: `hw:1,0`, `plughw:CARD=PCH,DEV=0`,
/// `default:PCH`.
struct PCMAddress: Hashable {
    /// The name before the colon: `hw`, `plughw`, `default`.
    let plugin: String
    /// The card's number or id; nil if the name has no card.
    let card: String?
    /// The device's number on the card; nil if the name has no device.
    let device: Int?

    /// Parses a name; any text is accepted.
    init(_ name: String) {
        let parts = name.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        plugin = String(parts[0])
        var card: String?
        var device: Int?
        let arguments = parts.count > 1 ? parts[1].split(separator: ",", omittingEmptySubsequences: false) : []
        for (place, argument) in arguments.enumerated() {
            let pair = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            switch (pair.count, pair[0], place) {
            case (2, "CARD", _): card = String(pair[1])
            case (2, "DEV", _): device = Int(pair[1])
            case (1, let value, 0): card = String(value)
            case (1, let value, 1): device = Int(value)
            default: break
            }
        }
        self.card = card.flatMap { $0.isEmpty ? nil : $0 }
        self.device = device
    }

    /// Whether the name refers directly to a card's hardware, with device 0 if the name has no device.
    var isHardware: Bool { plugin == "hw" || plugin == "plughw" }
}
