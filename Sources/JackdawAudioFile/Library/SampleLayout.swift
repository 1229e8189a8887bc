/// The position and format of samples of a fixed size in a file: a headerless file, or a WAV file whose header this
/// module reads.
struct SampleLayout: Equatable {
    let format: AudioFormat
    /// Bytes before the first sample.
    var dataOffset = 0
    /// Bytes of sample data according to the header, or nil if the header has no length that could be checked.
    var claimedBytes: Int?

    /// Bytes of one sample of each channel.
    var bytesPerFrame: Int { (format.encoding.bytesPerSample ?? 1) * format.channels }
}
