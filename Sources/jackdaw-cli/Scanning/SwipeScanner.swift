import JackdawAudioFile
import JackdawDSP
import JackdawSwipe

/// Receives the events of a reader while a recording is scanned.
protocol ScanObserver {
    /// Whether ``receive(_:channel:)`` needs the samples, which costs their conversion.
    var wantsSamples: Bool { get }

    /// Receives the format before any samples.
    /// - Throws: `CommandError` to stop the scan.
    mutating func begin(_ format: AudioFormat) throws(CommandError)

    /// Receives the next samples of a channel, before the events that they complete.
    mutating func receive(_ samples: Span<Float>, channel: Int)

    /// Receives an event of the reader.
    mutating func receive(_ event: HeadEvent)

    /// Receives the position after each block, for printing complete results.
    /// - Throws: `CommandError` to stop the scan.
    mutating func advance(to frame: Int, of total: Int?) throws(CommandError)
}

extension ScanObserver {
    var wantsSamples: Bool { false }
    mutating func receive(_ samples: Span<Float>, channel: Int) {}
}

/// Decodes the swipes of recordings one after the other, with one reader and set of buffers for all.
struct SwipeScanner: ~Copyable {
    /// Seconds that a card waits for a track from another channel: a channel in noise reports
    /// late, and a file has time.
    private static let patience = 2.0

    private var sound: SoundScanner
    private let tracks: Set<TrackNumber>
    private var reader: HeadReader?

    /// Creates a scanner.
    /// - Parameters:
    ///   - channel: the channel to decode, from 0; nil for all.
    ///   - raw: the format of headerless files; nil for files with a header.
    ///   - tracks: tracks that make a card.
    init(
        channel: Int? = nil, raw: RawAudioFormat? = nil, tracks: Set<TrackNumber> = Set(TrackNumber.allCases)
    ) {
        sound = SoundScanner(channel: channel, raw: raw)
        self.tracks = tracks
    }

    /// Decodes one recording.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - observer: receives the events.
    /// - Returns: the result of the recording.
    /// - Throws: `CommandError` if the file is invalid or the user interrupts. The observer has received the events
    ///   before the error.
    @inline(never)  // Swift 6.3.1 ends with "Found ownership error" if it inlines this function into a loop.
    mutating func scan(
        _ path: String, _ observer: inout some ScanObserver
    ) throws(CommandError) -> SoundScanner.Outcome {
        var listener = SwipeListener(observer: observer, tracks: tracks, patience: Self.patience, reader: reader.take())
        defer {
            observer = listener.observer
            reader = listener.reader
        }
        return try sound.scan(path, &listener)
    }
}

/// Passes sound to a reader, and its events to an observer.
private struct SwipeListener<Observer: ScanObserver>: SoundListener {
    var observer: Observer
    let tracks: Set<TrackNumber>
    let patience: Double
    /// The reader of this recording; at first of the last one.
    var reader: HeadReader?

    var takesSixteenBits: Bool { !observer.wantsSamples }

    mutating func begin(_ format: AudioFormat, channels: Range<Int>) throws(CommandError) {
        let configuration = HeadReader.Configuration(
            sampleRate: format.sampleRate, channelCount: format.channels, channels: channels, tracks: tracks,
            patience: patience, decodesEqualChannelsOnce: false)
        if reader?.configuration == configuration {
            reader?.reset()
        } else {
            reader = try HeadReader(configuration)
        }
        try observer.begin(format)
    }

    mutating func receive(_ samples: Span<Int16>, channel: Int) {
        observe(reader?.receive(samples, channel: channel))
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) {
        if observer.wantsSamples { observer.receive(samples, channel: channel) }
        observe(reader?.receive(samples, channel: channel))
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        try observer.advance(to: frame, of: total)
    }

    mutating func finish() {
        observe(reader?.finish())
    }

    private mutating func observe(_ events: [HeadEvent]?) {
        for event in events ?? [] { observer.receive(event) }
    }
}

extension HeadReader {
    /// Creates a reader, with the command's errors.
    /// - Throws: `CommandError` if the sample rate is not supported.
    init(_ configuration: Configuration) throws(CommandError) {
        do throws(SwipeDecoderError) {
            try self.init(configuration: configuration)
        } catch {
            throw CommandError(.badData, error.description)
        }
    }
}
