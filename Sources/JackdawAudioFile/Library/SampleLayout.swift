/// Where samples of a fixed size lie in a file: of a headerless file, or of a WAV file whose header was read here.
struct SampleLayout: Equatable {
    let format: AudioFormat
    /// Bytes before the first sample.
    var dataOffset = 0
    /// Bytes of sample data that the header claims, or nil where it claims nothing that could be checked.
    var claimedBytes: Int?

    /// Bytes of one sample of each channel.
    var bytesPerFrame: Int { (format.encoding.bytesPerSample ?? 1) * format.channels }
}
