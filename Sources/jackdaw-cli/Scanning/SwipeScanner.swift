import JackdawAudioFile
import JackdawBytes
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
    private let jobCount: Int
    /// The threads that decode segments; nil before they are needed.
    private var jobs: SegmentJobs?

    /// Creates a scanner.
    /// - Parameters:
    ///   - channel: the channel to decode, from 0; nil for all.
    ///   - raw: the format of headerless files; nil for files with a header.
    ///   - tracks: tracks that make a card.
    ///   - jobs: threads that decode the segments of a recording side by side, 1 or more. Sound that may be live is
    ///     decoded by one.
    init(
        channel: Int? = nil, raw: RawAudioFormat? = nil, tracks: Set<TrackNumber> = Set(TrackNumber.allCases),
        jobs: Int = 1
    ) {
        sound = SoundScanner(channel: channel, raw: raw)
        self.tracks = tracks
        jobCount = jobs
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
        var listener = SwipeListener(
            observer: observer, tracks: tracks, patience: Self.patience,
            jobCount: observer.wantsSamples || SoundScanner.isLive(path) ? 1 : jobCount, reader: reader.take(),
            jobs: jobs)
        defer {
            observer = listener.observer
            reader = listener.reader
            jobs = listener.jobs
        }
        return try sound.scan(path, &listener)
    }
}

/// Passes sound to a reader, and its events to an observer.
private struct SwipeListener<Observer: ScanObserver>: SoundListener {
    var observer: Observer
    let tracks: Set<TrackNumber>
    let patience: Double
    /// The threads that may search ahead; 1 if no thread could be created.
    private var jobCount: Int
    /// The reader of this recording; at first of the last one.
    var reader: HeadReader?
    var jobs: SegmentJobs?
    /// The sound that other threads search before the reader. They begin after a segment that the fast tier did not
    /// read.
    private var ahead: SoundAhead?
    private var isHard = false
    /// The frames read from the recording, and their number in all, if it is known.
    private var frames: (read: Int, total: Int?) = (0, nil)

    init(
        observer: Observer, tracks: Set<TrackNumber>, patience: Double, jobCount: Int, reader: HeadReader?,
        jobs: SegmentJobs?
    ) {
        self.observer = observer
        self.tracks = tracks
        self.patience = patience
        self.jobCount = jobCount
        self.reader = reader
        self.jobs = jobs
    }

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
        guard ahead != nil else { return observe(reader?.receive(samples, channel: channel)) }
        ahead?.receive(samples, channel: channel)
        while readBlock(untilFits: true) {}
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) {
        if observer.wantsSamples { observer.receive(samples, channel: channel) }
        guard ahead != nil else { return observe(reader?.receive(samples, channel: channel)) }
        ahead?.receive(samples, channel: channel)
        while readBlock(untilFits: true) {}
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        if isHard, ahead == nil, jobCount > 1 { searchAhead() }
        frames = (frame, total)
        do throws(CommandError) {
            try observer.advance(to: frame - (ahead?.waitingFrames ?? 0), of: total)
        } catch {
            // The waiting sound is not read any more.
            ahead = nil
            throw error
        }
    }

    mutating func finish() throws(CommandError) {
        defer {
            reader?.takeFindings(from: nil)
            jobs?.forget()
        }
        ahead?.finish()
        while readBlock(untilFits: false) {
            try observer.advance(to: frames.read - (ahead?.waitingFrames ?? 0), of: frames.total)
        }
        observe(reader?.finish())
    }

    /// Lets other threads decode the segments from here on.
    private mutating func searchAhead() {
        jobs = jobs ?? SegmentJobs(threads: jobCount)
        guard let jobs, let reader else { return jobCount = 1 }
        ahead = SoundAhead(reader, jobs, count: jobCount)
        self.reader?.takeFindings { channel, look in jobs.findings(of: look, channel: channel) }
    }

    /// Passes the first waiting block to the reader.
    /// - Parameter untilFits: whether to leave what fits in the room.
    /// - Returns: whether there was one.
    private mutating func readBlock(untilFits: Bool) -> Bool {
        guard let block = ahead?.next(untilFits: untilFits) else { return false }
        let events =
            switch block.samples {
            case .sixteenBits(let samples): samples.withElements { reader?.receive($0, channel: block.channel) }
            case .floats(let samples): samples.withElements { reader?.receive($0, channel: block.channel) }
            }
        observe(events)
        return true
    }

    private mutating func observe(_ events: [HeadEvent]?) {
        for event in events ?? [] {
            switch event {
            case .track(let track): isHard = isHard || track.decoded.tier == .strong
            case .failure: isHard = true
            case .card: break
            }
            observer.receive(event)
        }
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

/// Sound that waits for a reader while other threads decode the segments in it.
private struct SoundAhead {
    /// Samples of a channel, as they arrived.
    struct Block {
        enum Samples {
            case sixteenBits(WipedArray<Int16>)
            case floats(WipedArray<Float>)
        }

        let channel: Int
        let samples: Samples
        let count: Int
    }

    /// Samples that wait for each thread: 22 s of a channel at 48,000 Hz.
    private static let samplesForJob = 1 << 20

    /// Finds the segments, and reports no events.
    private var scout: HeadReader
    private let jobs: SegmentJobs
    private let room: Int
    private var blocks: [Block] = []
    private var samples = 0

    /// Begins at the present position of a reader.
    init(_ reader: HeadReader, _ jobs: SegmentJobs, count: Int) {
        self.jobs = jobs
        scout = reader
        scout.beginScouting()
        room = Self.samplesForJob * count
        jobs.forget()
        for channel in reader.distinctChannels { jobs.begin(reader.outlook(channel: channel), channel: channel) }
    }

    /// Frames that wait for the reader.
    var waitingFrames: Int { samples / scout.distinctChannels.count }

    mutating func receive(_ samples: Span<Int16>, channel: Int) {
        _ = scout.receive(samples, channel: channel)
        add(.sixteenBits(unsafe samples.withUnsafeBufferPointer { unsafe WipedArray($0) }), samples.count, channel)
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) {
        _ = scout.receive(samples, channel: channel)
        add(.floats(unsafe samples.withUnsafeBufferPointer { unsafe WipedArray($0) }), samples.count, channel)
    }

    private mutating func add(_ block: Block.Samples, _ count: Int, _ channel: Int) {
        addSegments()
        blocks.append(Block(channel: channel, samples: block, count: count))
        samples += count
    }

    mutating func finish() {
        _ = scout.finish()
        addSegments()
    }

    private mutating func addSegments() {
        for (channel, segment) in scout.takeSegments() {
            jobs.add(segment, channel: channel, sampleRate: scout.configuration.sampleRate)
        }
    }

    /// Removes the first block that waits.
    /// - Parameter untilFits: whether to leave what fits in the room.
    /// - Returns: the block; nil if none is left, or the rest fits.
    mutating func next(untilFits: Bool) -> Block? {
        guard !blocks.isEmpty, !untilFits || samples > room else { return nil }
        let block = blocks.removeFirst()
        samples -= block.count
        return block
    }
}
