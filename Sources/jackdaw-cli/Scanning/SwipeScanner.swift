import JackdawAudioFile
import JackdawDSP

/// What comes out of a recording while it is scanned.
protocol ScanObserver {
    /// Whether ``receive(_:channel:)`` wants the samples, which costs their conversion.
    var wantsSamples: Bool { get }

    /// Takes the format, before any samples.
    /// - Throws: ``CommandError`` to give up.
    mutating func begin(_ format: AudioFormat) throws(CommandError)

    /// Takes the next samples of a channel, before the events that they complete.
    mutating func receive(_ samples: Span<Float>, channel: Int)

    /// Takes what the decoder of a channel found.
    mutating func receive(_ event: SwipeEvent, channel: Int)

    /// Takes the position after each block; the time to print what is complete.
    /// - Throws: ``CommandError`` to give up.
    mutating func advance(to frame: Int, of total: Int?) throws(CommandError)
}

extension ScanObserver {
    var wantsSamples: Bool { false }
    mutating func receive(_ samples: Span<Float>, channel: Int) {}
}

/// Decodes recordings one after the other, with one set of decoders and buffers for all.
struct SwipeScanner: ~Copyable {
    /// What came of a recording.
    struct Outcome {
        let format: AudioFormat
        let frames: Int
        /// Whether the header promised more.
        let isTruncated: Bool
        /// Samples that were not finite numbers, taken as 0.
        let replacedSamples: Int

        /// What is wrong with the recording, a line each.
        func complaints(about file: String) -> [String] {
            var lines: [String] = []
            if replacedSamples > 0 {
                lines.append("\(file): \(counted(replacedSamples, "sample")) not a number, taken as silence")
            }
            if isTruncated {
                lines.append("\(file): cut short: ends after \(frames) frames, its header promises more")
            }
            return lines
        }
    }

    /// Long enough that calls cost nothing, short enough that a block stays in the cache.
    private static let blockFrames = 65_536

    private let tracks: Set<TrackNumber>
    /// Channel to decode, from 0; all of them if nil.
    private let channel: Int?
    private let raw: RawAudioFormat?

    /// A decoder for each channel to decode, all for one sample rate.
    private var decoders: [SwipeDecoder] = []
    private var narrow: AudioBlock<Int16>?
    private var wide: AudioBlock<Float>?

    /// A scanner.
    /// - Parameters:
    ///   - tracks: tracks to report.
    ///   - channel: the channel to decode, from 0; nil for all.
    ///   - raw: the format of headerless files; nil for files with a header.
    init(tracks: Set<TrackNumber> = Set(TrackNumber.allCases), channel: Int? = nil, raw: RawAudioFormat? = nil) {
        self.tracks = tracks
        self.channel = channel
        self.raw = raw
    }

    /// Decodes one recording.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - observer: takes what is found.
    /// - Returns: what the recording was.
    /// - Throws: ``CommandError``: what the file is not, or an interrupt. What came before it has been observed.
    mutating func scan(_ path: String, _ observer: inout some ScanObserver) throws(CommandError) -> Outcome {
        let raw = raw
        var reader = try asCommand { () throws(AudioFileError) in try AudioFileReader(path: path, raw: raw) }
        let channels = try channelsToDecode(of: reader.format, path)
        try prepareDecoders(channels.count, sampleRate: reader.format.sampleRate)
        try observer.begin(reader.format)
        do throws(CommandError) {
            if reader.format.isSixteenBit && !observer.wantsSamples {
                var block = SwipeScanner.block(narrow.take(), channels: reader.format.channels)
                try scan(&reader, through: &block, channels, &observer)
                narrow = consume block
            } else {
                var block = SwipeScanner.block(wide.take(), channels: reader.format.channels)
                try scan(&reader, through: &block, channels, &observer)
                wide = consume block
            }
        } catch {
            finish(channels, &observer)
            throw error
        }
        finish(channels, &observer)
        return Outcome(
            format: reader.format, frames: reader.framesRead, isTruncated: reader.isTruncated,
            replacedSamples: reader.replacedSamples)
    }

    private func channelsToDecode(of format: AudioFormat, _ path: String) throws(CommandError) -> Range<Int> {
        guard let channel else { return 0..<format.channels }
        guard channel < format.channels else {
            throw CommandError(
                .usage, "\(path): there is no channel \(channel + 1): it has \(counted(format.channels, "channel"))")
        }
        return channel..<channel + 1
    }

    private mutating func prepareDecoders(_ count: Int, sampleRate: Double) throws(CommandError) {
        let configuration = SwipeDecoder.Configuration(sampleRate: sampleRate, tracks: tracks)
        if decoders.first?.configuration != configuration { decoders = [] }
        for index in decoders.indices { decoders[index].reset() }
        do throws(SwipeDecoderError) {
            while decoders.count < count { decoders.append(try SwipeDecoder(configuration: configuration)) }
        } catch {
            throw CommandError(.badData, error.description)
        }
    }

    private mutating func scan<Sample: ScannedSample>(
        _ reader: inout AudioFileReader, through block: inout AudioBlock<Sample>, _ channels: Range<Int>,
        _ observer: inout some ScanObserver
    ) throws(CommandError) {
        let total = reader.frames
        while try asCommand({ () throws(AudioFileError) in try Sample.read(from: &reader, into: &block) }) > 0 {
            for (index, channel) in channels.enumerated() {
                let events = block.withChannel(channel) { samples in
                    if observer.wantsSamples { Sample.show(samples, to: &observer, channel: channel) }
                    return Sample.decode(samples, with: &decoders[index])
                }
                for event in events { observer.receive(event, channel: channel) }
            }
            try observer.advance(to: reader.framesRead, of: total)
        }
    }

    private mutating func finish(_ channels: Range<Int>, _ observer: inout some ScanObserver) {
        for (index, channel) in channels.enumerated() {
            for event in decoders[index].finish() { observer.receive(event, channel: channel) }
        }
    }

    /// A block of the right shape: the one of the last file where that fits.
    fileprivate static func block<Sample>(_ last: consuming AudioBlock<Sample>?, channels: Int) -> AudioBlock<Sample> {
        if let last, last.channels == channels { return last }
        return AudioBlock(channels: channels, capacity: max(1_024, blockFrames / channels))
    }
}

/// Sample types that both the reader and the decoder have a path for.
private protocol ScannedSample: BitwiseCopyable {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Self>
    ) throws(AudioFileError) -> Int
    static func decode(_ samples: Span<Self>, with decoder: inout SwipeDecoder) -> [SwipeEvent]
    static func show(_ samples: Span<Self>, to observer: inout some ScanObserver, channel: Int)
}

extension Int16: ScannedSample {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Int16>
    ) throws(AudioFileError) -> Int { try reader.read(into: &block) }

    static func decode(_ samples: Span<Int16>, with decoder: inout SwipeDecoder) -> [SwipeEvent] {
        decoder.receive(samples)
    }

    /// Observers of samples are scanned for as `Float`.
    static func show(_ samples: Span<Int16>, to observer: inout some ScanObserver, channel: Int) {}
}

extension Float: ScannedSample {
    static func read(
        from reader: inout AudioFileReader, into block: inout AudioBlock<Float>
    ) throws(AudioFileError) -> Int { try reader.read(into: &block) }

    static func decode(_ samples: Span<Float>, with decoder: inout SwipeDecoder) -> [SwipeEvent] {
        decoder.receive(samples)
    }

    static func show(_ samples: Span<Float>, to observer: inout some ScanObserver, channel: Int) {
        observer.receive(samples, channel: channel)
    }
}
