import JackdawALSA
import JackdawBytes
import JackdawDSP
import JackdawSwipe
import JackdawTransport

/// One run of `listen` on an audio port: decodes the sound, prints what it reads, and records the swipes.
struct LiveSession: ~Copyable {
    /// The longest wait for the port; after it the session updates the status line and checks for Ctrl-C.
    private static let patience = Duration.milliseconds(200)

    private let options: LiveOptions
    private let port: any AudioPort
    private let console: Console
    private var reader: HeadReader
    private let channels: Range<Int>
    private var selection: EventSelection
    private var printer: LivePrinter
    private var meters: [SignalMeter]
    private let environment: CommandEnvironment
    /// The mixer and the jacks of the sound card, as long as the card is connected.
    private var gain: GainKeeper
    private var jacks: JackWatch?
    private var recorder: SwipeRecorder?
    /// Number of frames so far, lost frames included.
    private var frame = 0
    private var losses: LossReport
    /// Whether the device is back and has delivered no sound yet. Losses from its absence are not reported.
    private var isBack = false

    /// - Parameters:
    ///   - options: the options of the command.
    ///   - port: the open device.
    ///   - environment: provides the time, and opens the card's mixer and jacks.
    ///   - console: prints the results.
    /// - Throws: `CommandError`.
    init(
        _ options: LiveOptions, _ port: any AudioPort, _ environment: CommandEnvironment, _ console: Console
    ) throws(CommandError) {
        let channels = try Self.channels(options, of: port.channelCount)
        let reader = try HeadReader(
            HeadReader.Configuration(
                sampleRate: port.sampleRate, channelCount: port.channelCount, channels: channels,
                tracks: options.tracks))
        var recorder: SwipeRecorder?
        if let path = options.recording {
            recorder = try SwipeRecorder(path: path, sampleRate: port.sampleRate, channels: channels)
        }
        self.options = options
        self.port = port
        self.console = console
        self.reader = reader
        self.channels = channels
        self.recorder = recorder
        selection = EventSelection(options)
        printer = LivePrinter(options, console)
        losses = LossReport(link: options.link, sampleRate: port.sampleRate, now: environment.now)
        meters = channels.map { _ in SignalMeter(sampleRate: port.sampleRate) }
        self.environment = environment
        gain = GainKeeper(nil, console)
        openCard()
    }

    /// Opens the card's mixer and jacks.
    private mutating func openCard() {
        // Errors are ignored: most cards have no jack detection, and reading swipes does not need it.
        jacks = (try? environment.jacks(options.link)).flatMap(\.self).map {
            JackWatch(monitor: $0, link: options.link)
        }
        guard options.followsLevel else { return }
        do throws(LinkError) {
            gain = GainKeeper(try environment.mixer(options.link), console)
        } catch {
            console.message("\(error); the levels are not changed")
        }
    }

    /// Closes the mixer and the jacks of a disconnected card, because the kernel waits for that. The levels that the
    /// mixer saved stay on disk for the card's return.
    private mutating func closeCard() {
        jacks = nil
        gain = GainKeeper(nil, console)
    }

    private static func channels(_ options: LiveOptions, of count: Int) throws(CommandError) -> Range<Int> {
        guard let index = options.channel else { return 0..<count }
        guard index < count else {
            throw CommandError(
                .usage, "\(options.link): there is no channel \(index + 1): it has \(counted(count, "channel"))")
        }
        return index..<index + 1
    }

    /// Waits for the next sound and handles it.
    /// - Returns: false if the input has ended, or enough swipes were read.
    /// - Throws: `CommandError`.
    mutating func receive() throws(CommandError) -> Bool {
        // The port passes its sound to a closure, which cannot mutate this noncopyable value.
        var next: CaptureEvent?
        var samples: [Float] = []
        defer { samples.wipe() }
        do throws(LinkError) {
            _ = try port.receive(within: Self.patience) { event, sound in
                next = event
                samples.reserveCapacity(sound.count)
                for index in sound.indices { samples.append(sound[index]) }
            }
        } catch {
            throw CommandError(error)
        }
        switch next {
        case .sound(let block):
            if block.lostBefore > 0 { try lose(Int(block.lostBefore)) }
            isBack = false
            hear(samples.span, frames: block.frames)
        case .disconnected:
            // Ends an open swipe: the sound that it lacks cannot come any more.
            note(reader.skip(0))
            printer.finish()
            losses.finish(console)
            closeCard()
            console.message("\(options.link): the device has gone; it is waited for")
            try recorder?.flush(meters)
        case .reconnected:
            openCard()
            isBack = true
            console.message("\(options.link): the device is back")
        case .ended: return false
        case nil: break
        }
        losses.advance(console)
        jacks?.receive(console)
        try recorder?.advance(to: frame, meters)
        printer.advance(level: meters.compactMap(\.last?.peak).max(), trackCount: selection.trackCount)
        // With one channel, no other track of a swipe can follow.
        let isAlone = reader.distinctChannels.count <= 1
        return !selection.isComplete(at: isAlone ? nil : Double(frame) / port.sampleRate)
    }

    /// Ends any open swipe, and restores the levels.
    /// - Returns: the number of tracks that were read.
    /// - Throws: `CommandError`.
    consuming func finish() throws(CommandError) -> Int {
        // First, so that neither another error nor a second Ctrl-C can prevent it.
        gain.restore(console)
        note(reader.skip(0))
        losses.finish(console)
        printer.finish()
        if let message = selection.others.message { console.message(message) }
        if let recorder = recorder.take() { try recorder.finish(meters) }
        return selection.trackCount
    }

    private mutating func hear(_ samples: Span<Float>, frames: Int) {
        var observations: [(channel: Int, observation: CaptureObservation)] = []
        let (meters, first) = (meters, channels.lowerBound)
        let found = reader.receive(samples) { channel, lane in
            if let observation = meters[channel - first].receive(lane) {
                observations.append((channel, observation))
            }
        }
        frame += frames
        for (channel, observation) in observations where reader.distinctChannels.contains(channel) {
            gain.receive(observation, at: time, console)
        }
        note(found)
    }

    /// Skips lost sound. A swipe that spans the gap cannot be read.
    private mutating func lose(_ frames: Int) throws(CommandError) {
        note(reader.skip(frames))
        // A long gap would overwrite the kept sound of earlier swipes.
        try recorder?.flush(meters)
        for meter in meters { meter.skip(frames) }
        frame += frames
        if !isBack { losses.add(frames) }
    }

    private var time: Duration { .seconds(Double(frame) / port.sampleRate) }

    private mutating func note(_ found: [HeadEvent]) {
        for event in found {
            guard selection.selects(event) else { continue }
            let live = LiveEvent(
                event, time: environment.wallClock.now(), link: options.link.description,
                isRevealed: options.isRevealed)
            printer.receive(live)
            recorder?.receive(live)
            guard let (channel, span, swipe) = Self.outcome(event) else { continue }
            gain.receive(meters[channel - channels.lowerBound].observe(span, swipe), at: time, console)
        }
    }

    /// Channel, place and result of a swipe; nil for a card, whose tracks came before.
    private static func outcome(_ event: HeadEvent) -> (Int, SwipeSpan, CaptureObservation.Swipe)? {
        switch event {
        case .track(let track): (track.channel, track.decoded.span, .read)
        case .card: nil
        case .failure(let failure, let channel):
            switch failure.reason {
            case .tooWeak: (channel, failure.span, .tooWeak)
            case .clipped: (channel, failure.span, .clipped)
            default: (channel, failure.span, .failed)
            }
        }
    }
}
