import Glibc
import JackdawAudioFile
import JackdawDSP
import JackdawTransport

/// Receives the sound of a recording, from its start to its end.
protocol SoundListener {
    /// Whether 16-bit samples arrive unconverted; otherwise all samples arrive as `Float`.
    var takesSixteenBits: Bool { get }

    /// Receives the format and the channels before any samples.
    /// - Throws: `CommandError` if the recording cannot be used; no samples follow.
    mutating func begin(_ format: AudioFormat, channels: Range<Int>) throws(CommandError)

    /// Receives the next samples of a channel.
    mutating func receive(_ samples: Span<Int16>, channel: Int)

    /// Receives the next samples of a channel.
    mutating func receive(_ samples: Span<Float>, channel: Int)

    /// Receives the position after each block, for printing complete results.
    /// - Throws: `CommandError` to stop reading.
    mutating func advance(to frame: Int, of total: Int?) throws(CommandError)

    /// Called after the last samples, also if an error ends the recording.
    /// - Throws: `CommandError` if the user interrupts.
    mutating func finish() throws(CommandError)
}

/// Reads recordings one after the other, with one set of buffers for all.
struct SoundScanner: ~Copyable {
    /// The result of reading a recording.
    struct Outcome {
        let format: AudioFormat
        let frames: Int
        /// Whether the file is shorter than its header states.
        let isTruncated: Bool
        /// Samples that were not finite numbers, replaced by 0.
        let replacedSamples: Int

        /// The faults of the recording, one line each.
        func complaints(about file: String) -> [String] {
            var lines: [String] = []
            if replacedSamples > 0 {
                lines.append("\(file): \(counted(replacedSamples, "sample")) not a number, taken as silence")
            }
            if isTruncated {
                lines.append("\(file): cut short: ends after \(frames) frames, fewer than in its header")
            }
            return lines
        }
    }

    /// Frames times channels: large enough that the cost of the calls is negligible, small enough for the cache.
    private static let blockFrames = 65_536
    /// Seconds of sound in a block of a pipe, which may be filled as slowly as the sound is captured.
    private static let liveSeconds = 0.01

    /// Channel to read, from 0; nil for all.
    private let channel: Int?
    private let raw: RawAudioFormat?
    private var narrow: AudioBlock<Int16>?
    private var wide: AudioBlock<Float>?

    /// Creates a scanner.
    /// - Parameters:
    ///   - channel: the channel to read, from 0; nil for all.
    ///   - raw: the format of headerless files; nil for files with a header.
    init(channel: Int? = nil, raw: RawAudioFormat? = nil) {
        self.channel = channel
        self.raw = raw
    }

    /// Reads one recording.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - listener: receives the sound.
    /// - Returns: the result of the recording.
    /// - Throws: `CommandError` if the file is invalid or the user interrupts. The listener has received the sound
    ///   before the error.
    mutating func scan(_ path: String, _ listener: inout some SoundListener) throws(CommandError) -> Outcome {
        let raw = raw
        var reader = try asCommand { () throws(AudioFileError) in try AudioFileReader(path: path, raw: raw) }
        let channels = try channelsToRead(of: reader.format, path)
        try listener.begin(reader.format, channels: channels)
        let capacity = Self.capacity(path, reader.format)
        do throws(CommandError) {
            if reader.format.isSixteenBit && listener.takesSixteenBits {
                var block = Self.block(narrow.take(), channels: reader.format.channels, capacity: capacity)
                try scan(&reader, through: &block, channels, &listener)
                narrow = consume block
            } else {
                var block = Self.block(wide.take(), channels: reader.format.channels, capacity: capacity)
                try scan(&reader, through: &block, channels, &listener)
                wide = consume block
            }
        } catch {
            // The error of the recording is the first one.
            do throws(CommandError) { try listener.finish() } catch {}
            throw error
        }
        try listener.finish()
        return Outcome(
            format: reader.format, frames: reader.framesRead, isTruncated: reader.isTruncated,
            replacedSamples: reader.replacedSamples)
    }

    private func channelsToRead(of format: AudioFormat, _ path: String) throws(CommandError) -> Range<Int> {
        guard let channel else { return 0..<format.channels }
        guard channel < format.channels else {
            throw CommandError(
                .usage, "\(path): there is no channel \(channel + 1): it has \(counted(format.channels, "channel"))")
        }
        return channel..<channel + 1
    }

    private func scan<Sample: ScannedSample>(
        _ reader: inout AudioFileReader, through block: inout AudioBlock<Sample>, _ channels: Range<Int>,
        _ listener: inout some SoundListener
    ) throws(CommandError) {
        let total = reader.frames
        while try asCommand({ () throws(AudioFileError) in try Sample.read(from: &reader, into: &block) }) > 0 {
            for channel in channels {
                block.withChannel(channel) { Sample.hand($0, to: &listener, channel: channel) }
            }
            try listener.advance(to: reader.framesRead, of: total)
        }
    }

    /// Whether sound may be live: it comes from a pipe or a socket.
    static func isLive(_ path: String) -> Bool {
        var status = stat()
        let known = unsafe path == "-" ? fstat(STDIN_FILENO, &status) : stat(FileName.characters(of: path), &status)
        return known == 0 && [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT)
    }

    /// The frames of a block.
    private static func capacity(_ path: String, _ format: AudioFormat) -> Int {
        isLive(path) ? Int(format.sampleRate * liveSeconds) : max(1_024, blockFrames / format.channels)
    }

    /// A block of the right shape: that of the last file if it fits.
    private static func block<Sample>(
        _ last: consuming AudioBlock<Sample>?, channels: Int, capacity: Int
    ) -> AudioBlock<Sample> {
        if let last, last.channels == channels, last.capacity == capacity { return last }
        return AudioBlock(channels: channels, capacity: capacity)
    }
}

/// A sample type that both the file reader and the listeners support.
private protocol ScannedSample: BitwiseCopyable & Sendable {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Self>
    ) throws(AudioFileError) -> Int
    static func hand(_ samples: Span<Self>, to listener: inout some SoundListener, channel: Int)
}

extension Int16: ScannedSample {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Int16>
    ) throws(AudioFileError) -> Int { try reader.read(into: &block) }

    static func hand(_ samples: Span<Int16>, to listener: inout some SoundListener, channel: Int) {
        listener.receive(samples, channel: channel)
    }
}

extension Float: ScannedSample {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Float>
    ) throws(AudioFileError) -> Int { try reader.read(into: &block) }

    static func hand(_ samples: Span<Float>, to listener: inout some SoundListener, channel: Int) {
        listener.receive(samples, channel: channel)
    }
}

/// Swipes from text to file, with the command's errors.
enum SwipeSound {
    /// The sound of one track.
    /// - Parameters:
    ///   - text: with or without sentinels.
    ///   - track: selects the character code and the density.
    ///   - configuration: the swipe.
    /// - Returns: samples, full scale -1 to 1.
    /// - Throws: `CommandError` with status `usage` if the text does not fit the track or a value is out of range.
    static func render(
        _ text: String, _ track: TrackNumber, _ configuration: SwipeSynthesizer.Configuration
    ) throws(CommandError) -> [Float] {
        let message: TrackMessage
        do throws(TrackMessageError) {
            message = try TrackMessage(text, code: track.characterCode, addsSentinels: true)
        } catch {
            throw CommandError(.usage, "track \(track.rawValue): \(error)")
        }
        do throws(SwipeSynthesizerError) {
            return try SwipeSynthesizer(configuration: configuration).render(FluxStripe(message, track: track))
        } catch {
            throw CommandError(.usage, error.message)
        }
    }

    /// Writes channels side by side; silence fills up the shorter ones.
    /// - Throws: `CommandError`; no new file exists then.
    static func write(_ channels: [[Float]], to path: String, sampleRate: Double) throws(CommandError) {
        let frames = channels.map(\.count).max() ?? 0
        let interleaved = (0..<frames).flatMap { frame in channels.map { frame < $0.count ? $0[frame] : 0 } }
        try asCommand(isOutput: true) { () throws(AudioFileError) in
            var writer = try AudioFileWriter(path: path, sampleRate: sampleRate, channels: channels.count)
            try writer.write(interleaved.span)
            try writer.finish()
        }
    }
}
