import JackdawAudioFile
import JackdawDSP

/// Receives the decoder's events while a recording is scanned.
protocol ScanObserver {
    /// Whether ``receive(_:channel:)`` needs the samples, which costs their conversion.
    var wantsSamples: Bool { get }

    /// Receives the format before any samples.
    /// - Throws: ``CommandError`` to stop the scan.
    mutating func begin(_ format: AudioFormat) throws(CommandError)

    /// Receives the next samples of a channel, before the events that they complete.
    mutating func receive(_ samples: Span<Float>, channel: Int)

    /// Receives an event of a channel's decoder.
    mutating func receive(_ event: SwipeEvent, channel: Int)

    /// Receives the position after each block, for printing complete results.
    /// - Throws: ``CommandError`` to stop the scan.
    mutating func advance(to frame: Int, of total: Int?) throws(CommandError)
}

extension ScanObserver {
    var wantsSamples: Bool { false }
    mutating func receive(_ samples: Span<Float>, channel: Int) {}
}

/// Decodes the swipes of recordings one after the other, with one set of decoders and buffers for all.
struct SwipeScanner: ~Copyable {
    private var sound: SoundScanner
    /// One decoder for each channel, all with the same sample rate.
    private var decoders: [SwipeDecoder] = []

    /// Creates a scanner.
    /// - Parameters:
    ///   - channel: the channel to decode, from 0; nil for all.
    ///   - raw: the format of headerless files; nil for files with a header.
    init(channel: Int? = nil, raw: RawAudioFormat? = nil) {
        sound = SoundScanner(channel: channel, raw: raw)
    }

    /// Decodes one recording.
    /// - Parameters:
    ///   - path: a path, or `-` for standard input.
    ///   - observer: receives the events.
    /// - Returns: the result of the recording.
    /// - Throws: ``CommandError`` if the file is invalid or the user interrupts. The observer has received the events
    ///   before the error.
    mutating func scan(
        _ path: String, _ observer: inout some ScanObserver
    ) throws(CommandError) -> SoundScanner.Outcome {
        var listener = SwipeListener(observer: observer, decoders: decoders)
        defer {
            observer = listener.observer
            decoders = listener.decoders
        }
        return try sound.scan(path, &listener)
    }
}

/// Passes sound to decoders, and their events to an observer.
private struct SwipeListener<Observer: ScanObserver>: SoundListener {
    var observer: Observer
    var decoders: [SwipeDecoder]
    private var channels = 0..<0

    init(observer: Observer, decoders: [SwipeDecoder]) {
        self.observer = observer
        self.decoders = decoders
    }

    var takesSixteenBits: Bool { !observer.wantsSamples }

    mutating func begin(_ format: AudioFormat, channels: Range<Int>) throws(CommandError) {
        self.channels = channels
        let configuration = SwipeDecoder.Configuration(sampleRate: format.sampleRate)
        if decoders.first?.configuration != configuration { decoders = [] }
        for index in decoders.indices { decoders[index].reset() }
        do throws(SwipeDecoderError) {
            while decoders.count < channels.count { decoders.append(try SwipeDecoder(configuration: configuration)) }
        } catch {
            throw CommandError(.badData, error.description)
        }
        try observer.begin(format)
    }

    mutating func receive(_ samples: Span<Int16>, channel: Int) {
        observe(decoders[channel - channels.lowerBound].receive(samples), channel)
    }

    mutating func receive(_ samples: Span<Float>, channel: Int) {
        if observer.wantsSamples { observer.receive(samples, channel: channel) }
        observe(decoders[channel - channels.lowerBound].receive(samples), channel)
    }

    mutating func advance(to frame: Int, of total: Int?) throws(CommandError) {
        try observer.advance(to: frame, of: total)
    }

    mutating func finish() {
        for (index, channel) in channels.enumerated() { observe(decoders[index].finish(), channel) }
    }

    private mutating func observe(_ events: [SwipeEvent], _ channel: Int) {
        for event in events { observer.receive(event, channel: channel) }
    }
}
