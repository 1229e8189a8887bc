/// What a sound file holds, told by its header.
public struct AudioFormat: Sendable, Hashable {
    /// Rates that this module reads and writes, in Hz: those that the decoders work at.
    public static let sampleRates: ClosedRange<Double> = 8_000...192_000
    /// Numbers of channels that this module reads and writes; more than any sound card has inputs.
    public static let channelCounts: ClosedRange<Int> = 1...64

    /// The kind of file.
    public let container: AudioContainer
    /// How a sample is stored.
    public let encoding: AudioEncoding
    /// Samples per second and channel, in Hz.
    public let sampleRate: Double
    /// Samples in a frame.
    public let channels: Int

    /// Whether the samples are integers of 16 bits or less, so that reading them as `Int16` loses nothing.
    public var isSixteenBit: Bool { encoding.fitsSixteenBits }
}

extension AudioFormat {
    /// Refuses what the decoders cannot work with.
    /// - Parameters:
    ///   - path: for error messages.
    ///   - isRequest: whether the caller asked for this format, or a file has it.
    /// - Throws: ``AudioFileError`` with code `unsupportedRate` or `unsupportedChannels`; of a request `invalidRequest`.
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
