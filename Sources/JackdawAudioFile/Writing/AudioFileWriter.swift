/// Writes a sound file: WAV or FLAC. The file appears under its name, complete, with ``finish()``; a writer that is given
/// up leaves nothing behind.
///
/// ```swift
/// var writer = try AudioFileWriter(path: "swipe.wav", sampleRate: 44_100)
/// try writer.write(samples.span)
/// try writer.finish()
/// ```
public struct AudioFileWriter: ~Copyable, Sendable {
    /// The path as it was given; `-` is standard output.
    public let path: String
    /// What is written.
    public let format: AudioFormat
    /// Frames written so far.
    public private(set) var framesWritten = 0

    private var output: OutputFile
    private let sound: SoundHandle
    private var scratch16 = WipedMemory<Int16>(count: scratchSamples)
    private var scratch32 = WipedMemory<Int32>(count: scratchSamples)
    private var scratchFloat = WipedMemory<Float>(count: scratchSamples)

    private static let scratchSamples = 16_384
    /// RIFF counts bytes in 32 bits; libsndfile's header takes less than the margin.
    private static let largestWAV = 0xFFFF_FFFF - 4_096

    /// Starts a file.
    ///
    /// A new file is readable by this user alone, since the sound of a swipe is card data; an existing one keeps its
    /// permissions.
    /// - Parameters:
    ///   - path: a path that ends in `.wav` or `.flac`, or `-` for WAV on standard output.
    ///   - encoding: `.int16`, `.int24` or, for WAV, `.float32`.
    ///   - sampleRate: whole Hz, within ``AudioFormat/sampleRates``.
    ///   - channels: within ``AudioFormat/channelCounts``; FLAC holds 8.
    /// - Throws: ``AudioFileError`` with code `invalidRequest` or `io`.
    public init(
        path: String, encoding: AudioEncoding = .int16, sampleRate: Double, channels: Int = 1
    ) throws(AudioFileError) {
        try self.init(
            path: path, encoding: encoding, sampleRate: sampleRate, channels: channels, predecessor: .keepsItsPlace)
    }

    /// Starts a file, and decides about one that is there already.
    package init(
        path: String, encoding: AudioEncoding, sampleRate: Double, channels: Int, predecessor: OutputFile.Predecessor
    ) throws(AudioFileError) {
        let container = try AudioFileWriter.container(of: path)
        let format = AudioFormat(
            container: container, encoding: encoding, sampleRate: sampleRate, channels: channels)
        try format.validate(path: path, isRequest: true)
        let encodings: [AudioEncoding] = container == .wav ? [.int16, .int24, .float32] : [.int16, .int24]
        guard encodings.contains(encoding) else {
            throw AudioFileError(
                .invalidRequest, path: path, "\(encoding) samples are not written to \(container) files")
        }
        guard container == .wav || channels <= 8 else {
            throw AudioFileError(
                .invalidRequest, path: path, "a FLAC file holds 8 channels at most", refusedValue: channels)
        }
        let output = try OutputFile(path: path, predecessor: predecessor)
        sound = try SoundHandle(writing: output.descriptor(), format: format, path: path)
        self.output = output
        self.format = format
        self.path = path
    }

    /// Writes samples of full scale ±1, channels interleaved.
    ///
    /// Integers of n bits are x · 2^(n-1), rounded to the nearest (half to even) and limited to their range: what was
    /// read from n bits comes out as it was. Samples that are not finite are written as 0.
    /// - Parameter samples: whole frames.
    /// - Throws: ``AudioFileError`` with code `io`.
    public mutating func write(_ samples: Span<Float>) throws(AudioFileError) {
        switch format.encoding {
        case .int16:
            try unsafe write(samples, through: scratch16.buffer()) { Int16(quantised($0, bits: 16)) }
        case .int24:
            try unsafe write(samples, through: scratch32.buffer()) { quantised($0, bits: 24) << 8 }
        default:
            try unsafe write(samples, through: scratchFloat.buffer()) { $0.isFinite ? $0 : 0 }
        }
    }

    /// Writes 16-bit samples, channels interleaved; every format keeps them exactly.
    /// - Parameter samples: whole frames.
    /// - Throws: ``AudioFileError`` with code `io`.
    public mutating func write(_ samples: Span<Int16>) throws(AudioFileError) {
        switch format.encoding {
        case .int16:
            try unsafe write(samples, through: scratch16.buffer()) { $0 }
        case .int24:
            try unsafe write(samples, through: scratch32.buffer()) { Int32($0) << 16 }
        default:
            try unsafe write(samples, through: scratchFloat.buffer(), scaled)
        }
    }

    /// Puts what was written so far in its place, where it can be read whatever becomes of this process; more may follow.
    /// Of a FLAC file the last frames are there once their block is full (4,096 frames).
    /// - Throws: ``AudioFileError`` with code `io`.
    package mutating func save() throws(AudioFileError) {
        try sound.updateHeader()
        try output.place()
    }

    /// Completes the file and puts it in its place.
    /// - Throws: ``AudioFileError`` with code `io`, or `invalidRequest` for a FLAC file without samples; unless it was put in
    ///   its place before, there is then no new file, and an old one is as it was.
    public consuming func finish() throws(AudioFileError) {
        guard framesWritten > 0 || format.container == .wav else {
            // libsndfile would leave a file of no bytes.
            throw AudioFileError(.invalidRequest, path: path, "a FLAC file needs at least one sample")
        }
        try sound.close()
        try output.commit()
    }
}

extension AudioFileWriter {
    private mutating func write<From, To: LibrarySample>(
        _ samples: Span<From>, through buffer: UnsafeMutableBufferPointer<To>, _ convert: (From) -> To
    ) throws(AudioFileError) {
        let channels = format.channels
        precondition(samples.count.isMultiple(of: channels), "only whole frames can be written")
        let room = buffer.count / channels * channels
        var start = 0
        while start < samples.count {
            let piece = samples.extracting(start..<min(start + room, samples.count))
            for index in piece.indices { unsafe buffer[index] = convert(piece[index]) }
            try reserve(piece.count)
            try unsafe sound.write(UnsafeBufferPointer(buffer), frames: piece.count / channels)
            framesWritten += piece.count / channels
            start += piece.count
        }
    }

    /// Refuses samples beyond what a WAV file can count.
    private func reserve(_ samples: Int) throws(AudioFileError) {
        guard format.container == .wav else { return }
        let bytes = (framesWritten * format.channels + samples) * (format.encoding.bytesPerSample ?? 1)
        guard bytes <= AudioFileWriter.largestWAV else {
            throw AudioFileError(.io, path: path, "a WAV file holds 4 GiB at most; write FLAC")
        }
    }

    private static func container(of path: String) throws(AudioFileError) -> AudioContainer {
        let name = path.lowercased()
        if path == "-" || name.hasSuffix(".wav") { return .wav }
        if name.hasSuffix(".flac") { return .flac }
        throw AudioFileError(.invalidRequest, path: path, "the name of a sound file to write ends in .wav or .flac")
    }
}
