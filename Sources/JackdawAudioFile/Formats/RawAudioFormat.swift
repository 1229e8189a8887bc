/// What a headerless file holds; samples are little endian.
public struct RawAudioFormat: Sendable, Hashable {
    /// The rate, the number of channels and the encoding; the container is ``AudioContainer/raw``.
    public let format: AudioFormat

    private static let encodings: [String: AudioEncoding] = [
        "s16": .int16, "s24": .int24, "s32": .int32, "f32": .float32, "f64": .float64,
    ]

    /// A headerless format.
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

    /// A headerless format from text such as `44100,s16,1`: rate in Hz, then `s16`, `s24`, `s32`, `f32` or `f64`, then
    /// the number of channels.
    /// - Throws: ``AudioFileError`` with code `invalidRequest`.
    public init(parsing text: String) throws(AudioFileError) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        func refusal(_ fault: String) -> AudioFileError {
            let rule = "a raw format is RATE,s16|s24|s32|f32|f64,CHANNELS, for instance 44100,s16,1"
            return AudioFileError(.invalidRequest, path: text, "\(fault): \(rule)")
        }
        guard parts.count == 3 else { throw refusal("\(parts.count) of 3 parts") }
        guard let rate = Int(parts[0]) else { throw refusal("the rate '\(parts[0])' is no whole number of Hz") }
        guard let encoding = RawAudioFormat.encodings[String(parts[1])] else {
            throw refusal("the encoding '\(parts[1])' is not known")
        }
        guard let channels = Int(parts[2]) else {
            throw refusal("the number of channels '\(parts[2])' is no whole number")
        }
        try self.init(sampleRate: Double(rate), encoding: encoding, channels: channels)
    }
}
