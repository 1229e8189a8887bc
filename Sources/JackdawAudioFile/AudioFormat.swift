/// The format of a sound file, from its header.
public struct AudioFormat: Sendable, Hashable {
    /// Rates that this module reads and writes, in Hz: the rates that the decoders support.
    public static let sampleRates: ClosedRange<Double> = 8_000...192_000
    /// Numbers of channels that this module reads and writes; no sound card has more inputs.
    public static let channelCounts: ClosedRange<Int> = 1...64

    /// The kind of file, such as WAV.
    public let container: AudioContainer
    /// How a sample is stored, such as 16-bit.
    public let encoding: AudioEncoding
    /// Samples per second and channel, in Hz.
    public let sampleRate: Double
    /// Samples in a frame, one per channel.
    public let channels: Int

    /// Whether the samples are integers of 16 bits or less, so that reading them as `Int16` loses nothing.
    public var isSixteenBit: Bool { encoding.fitsSixteenBits }
}

extension AudioFormat {
    /// Rejects formats that the decoders do not support.
    /// - Parameters:
    ///   - path: for error messages.
    ///   - isRequest: whether the caller requested this format, or a file has it.
    /// - Throws: ``AudioFileError`` with code `unsupportedRate` or `unsupportedChannels`; for a request,
    ///   `invalidRequest`.
    func validate(path: String, isRequest: Bool = false) throws(AudioFileError) {
        guard AudioFormat.sampleRates.contains(sampleRate), sampleRate == sampleRate.rounded() else {
            throw AudioFileError(
                isRequest ? .invalidRequest : .unsupportedRate, path: path,
                "a sample rate of \(sampleRate) Hz; whole numbers from 8000 to 192000 Hz are supported",
                refusedValue: Int(exactly: sampleRate.rounded()))
        }
        guard AudioFormat.channelCounts.contains(channels) else {
            throw AudioFileError(
                isRequest ? .invalidRequest : .unsupportedChannels, path: path,
                "\(channels) channels; 1 to \(AudioFormat.channelCounts.upperBound) are supported",
                refusedValue: channels)
        }
    }
}

/// A kind of sound file. A struct, so that kinds can be added.
public struct AudioContainer: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String {
        case wav = "WAV"
        case rf64 = "RF64"
        case w64 = "W64"
        case flac = "FLAC"
        case aiff = "AIFF"
        case au = "AU"
        case caf = "CAF"
        case ogg = "Ogg"
        case raw
    }

    let kind: Kind

    /// Microsoft RIFF/WAVE, up to 4 GiB.
    public static let wav = AudioContainer(kind: .wav)
    /// WAV with 64-bit sizes (EBU Tech 3306).
    public static let rf64 = AudioContainer(kind: .rf64)
    /// Sony Wave64, with 64-bit sizes.
    public static let w64 = AudioContainer(kind: .w64)
    /// FLAC, the Free Lossless Audio Codec.
    public static let flac = AudioContainer(kind: .flac)
    /// Apple AIFF and AIFF-C.
    public static let aiff = AudioContainer(kind: .aiff)
    /// Sun and NeXT audio (`.au`).
    public static let au = AudioContainer(kind: .au)
    /// Apple Core Audio Format.
    public static let caf = AudioContainer(kind: .caf)
    /// Ogg with Vorbis, Opus or FLAC.
    public static let ogg = AudioContainer(kind: .ogg)
    /// Little-endian samples without a header; see ``RawAudioFormat``.
    public static let raw = AudioContainer(kind: .raw)

    /// The usual name: `WAV`, `FLAC`, `raw`, ...
    public var name: String { kind.rawValue }

    public var description: String { name }
}

/// How a sample is stored. A struct, so that encodings can be added.
public struct AudioEncoding: Sendable, Hashable, CustomStringConvertible {
    enum Kind {
        case unsigned8, signed8, int16, int24, int32, float32, float64, muLaw, aLaw, other
    }

    let kind: Kind
    /// A name for users: `16-bit`, `32-bit float`, `Vorbis`, ...
    public let name: String

    /// Unsigned 8-bit integers around 128.
    public static let unsigned8 = AudioEncoding(kind: .unsigned8, name: "8-bit unsigned")
    /// Signed integers of 8 bits.
    public static let signed8 = AudioEncoding(kind: .signed8, name: "8-bit")
    /// Signed integers of 16 bits.
    public static let int16 = AudioEncoding(kind: .int16, name: "16-bit")
    /// Signed integers of 24 bits.
    public static let int24 = AudioEncoding(kind: .int24, name: "24-bit")
    /// Signed integers of 32 bits.
    public static let int32 = AudioEncoding(kind: .int32, name: "32-bit")
    /// IEEE 754 single precision, full scale ±1.
    public static let float32 = AudioEncoding(kind: .float32, name: "32-bit float")
    /// IEEE 754 double precision, full scale ±1.
    public static let float64 = AudioEncoding(kind: .float64, name: "64-bit float")
    /// µ-law (ITU-T G.711), 14 bits in 8.
    public static let muLaw = AudioEncoding(kind: .muLaw, name: "µ-law")
    /// A-law (ITU-T G.711), 13 bits in 8.
    public static let aLaw = AudioEncoding(kind: .aLaw, name: "A-law")

    /// Any other encoding that libsndfile reads, by libsndfile's name for it.
    static func other(_ name: String) -> AudioEncoding { AudioEncoding(kind: .other, name: name) }

    public var description: String { name }

    /// Bytes of a sample in a file, or nil if samples have no fixed size.
    var bytesPerSample: Int? {
        switch kind {
        case .unsigned8, .signed8, .muLaw, .aLaw: 1
        case .int16: 2
        case .int24: 3
        case .int32, .float32: 4
        case .float64: 8
        case .other: nil
        }
    }

    var fitsSixteenBits: Bool {
        switch kind {
        case .unsigned8, .signed8, .int16, .muLaw, .aLaw: true
        case .int24, .int32, .float32, .float64, .other: false
        }
    }

    /// Whether a file can hold samples that are not finite.
    var isFloatingPoint: Bool {
        switch kind {
        case .float32, .float64, .other: true
        case .unsigned8, .signed8, .int16, .int24, .int32, .muLaw, .aLaw: false
        }
    }
}

/// The format of a headerless file; samples are little-endian.
public struct RawAudioFormat: Sendable, Hashable {
    /// The rate, the number of channels and the encoding; the container is ``AudioContainer/raw``.
    public let format: AudioFormat

    private static let encodings: [String: AudioEncoding] = [
        "s16": .int16, "s24": .int24, "s32": .int32, "f32": .float32, "f64": .float64,
    ]

    /// A headerless format, with validation of its values.
    /// - Parameters:
    ///   - sampleRate: whole Hz, within ``AudioFormat/sampleRates``.
    ///   - encoding: `.int16`, `.int24`, `.int32`, `.float32` or `.float64`.
    ///   - channels: within ``AudioFormat/channelCounts``.
    /// - Throws: ``AudioFileError`` with code `invalidRequest`.
    public init(sampleRate: Double, encoding: AudioEncoding, channels: Int = 1) throws(AudioFileError) {
        format = AudioFormat(container: .raw, encoding: encoding, sampleRate: sampleRate, channels: channels)
        let text = "raw format"
        guard RawAudioFormat.encodings.values.contains(encoding) else {
            throw AudioFileError(.invalidRequest, path: text, "\(encoding) samples cannot be read without a header")
        }
        try format.validate(path: text, isRequest: true)
    }

    /// Parses a headerless format from text such as `44100,s16,1`: rate in Hz, then `s16`, `s24`, `s32`, `f32` or
    /// `f64`, then the number of channels.
    /// - Throws: ``AudioFileError`` with code `invalidRequest`.
    public init(parsing text: String) throws(AudioFileError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        func refusal(_ fault: String) -> AudioFileError {
            let rule = "a raw format is RATE,s16|s24|s32|f32|f64,CHANNELS, for instance 44100,s16,1"
            return AudioFileError(.invalidRequest, path: text, "\(fault): \(rule)")
        }
        guard parts.count == 3 else { throw refusal("\(parts.count) of 3 parts") }
        guard let rate = Int(parts[0]) else { throw refusal("the rate '\(parts[0])' is not a whole number of Hz") }
        guard let encoding = RawAudioFormat.encodings[String(parts[1])] else {
            throw refusal("the encoding '\(parts[1])' is not known")
        }
        guard let channels = Int(parts[2]) else {
            throw refusal("the number of channels '\(parts[2])' is not a whole number")
        }
        try self.init(sampleRate: Double(rate), encoding: encoding, channels: channels)
    }
}
