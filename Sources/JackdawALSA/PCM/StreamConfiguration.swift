/// How a sound device is to be opened; what is left open is what the device does best.
public struct StreamConfiguration: Sendable, Hashable {
    /// What a stream is for.
    public enum Latency: Sendable, Hashable {
        /// For readers, which wait for answers: periods of 5 ms.
        case low
        /// For long recordings on a busy machine: periods of 20 ms.
        case safe

        /// Length of a period, in seconds.
        public var period: Double { self == .low ? 0.005 : 0.02 }
    }

    /// The device's ALSA name: `hw:1,0`, `default`.
    public var device: String
    /// Frames per second, 8,000 to 192,000 Hz; nil for a rate that the device has itself, 48,000 Hz where it can choose.
    /// Another rate than it has is converted by ALSA where the device is opened by a name that converts, such as `default`
    /// or `plughw:1,0`.
    public var sampleRate: Double?
    /// Samples of a frame; nil for ``leastChannels`` or as few more as the device has.
    public var channels: Int?
    /// Samples of a frame that are wanted where ``channels`` is nil. A device that converts mixes what it has down to that many.
    public var leastChannels = 1
    /// How samples are written; nil for the finest that the device has.
    public var encoding: PCMEncoding?
    /// What the stream is for.
    public var latency: Latency
    /// Whether a device that has gone is opened again when it is back.
    public var reopens: Bool
    /// Seconds of captured sound that wait for a late reader before anything is lost, 0.1 to 60.
    public var secondsHeld: Double

    /// A configuration.
    /// - Parameters:
    ///   - device: the ALSA name of the device.
    ///   - sampleRate: frames per second (Hz), 8,000 to 192,000; nil for the device's own.
    ///   - channels: samples of a frame; nil for as few as there are.
    ///   - encoding: how samples are written; nil for the finest there is.
    ///   - latency: what the stream is for.
    ///   - reopens: whether a device that has gone is opened again when it is back.
    ///   - secondsHeld: seconds of captured sound that wait for a late reader, 0.1 to 60.
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

    /// The ALSA name of the card that the device belongs to, as mixers and jacks are opened by: `hw:1`, `default`.
    public var card: String { PCMAddress(device).card.map { "hw:\($0)" } ?? device }

    /// Sample rates that are opened, in Hz.
    public static let sampleRates = 8_000.0...192_000.0
}

/// What a sound device was opened with.
public struct StreamFormat: Sendable, Hashable {
    /// Frames per second (Hz).
    public let sampleRate: Double
    /// Samples of a frame.
    public let channels: Int
    /// How samples are written.
    public let encoding: PCMEncoding
    /// Frames that come or go at a time.
    public let periodFrames: Int
    /// Frames that the device's buffer holds.
    public let bufferFrames: Int
    /// Whether ALSA converts the rate: the device itself has another one.
    public let isResampled: Bool

    /// Length of a period, in seconds.
    public var period: Double { Double(periodFrames) / sampleRate }

    /// Bytes of a frame.
    var bytesPerFrame: Int { channels * encoding.bytesPerSample }
}

/// Which way sound goes through a device.
public enum PCMDirection: String, Sendable, Hashable, CaseIterable {
    /// From the device to the program.
    case capture
    /// From the program to the device.
    case playback

    /// The letter that ends the names of the kernel's device files and folders: `pcmC0D0c`, `pcm0p`.
    var letter: String { self == .capture ? "c" : "p" }
}

/// Which card and device an ALSA name leads to, as far as the name says: `hw:1,0`, `plughw:CARD=PCH,DEV=0`, `default:PCH`.
struct PCMAddress: Hashable {
    /// The name before the colon: `hw`, `plughw`, `default`.
    let plugin: String
    /// The card by its number or its id; nil where the name does not say.
    let card: String?
    /// The device's number on the card; nil where the name does not say.
    let device: Int?

    /// Reads a name; anything is one.
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

    /// Whether the name leads straight to a card's hardware, where a device that is not named is number 0.
    var isHardware: Bool { plugin == "hw" || plugin == "plughw" }
}
