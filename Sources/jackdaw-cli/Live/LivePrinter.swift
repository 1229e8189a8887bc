import JackdawTransport

#if Command
import JackdawDSP
import JackdawSwipe
import JackdawTransport

/// Prints swipes as they are read, and the current level on a terminal.
struct LivePrinter {
    /// The range of the level bar in decibels below full scale, and its length in characters.
    private static let barRange = 60.0
    private static let barLength = 20

    private let options: LiveOptions
    private let console: Console
    private let sampleRate: Double
    private var progress: Progress
    private var cards: CardPrinter
    /// Number of tracks that were read.
    private(set) var trackCount = 0
    private var failureCount = 0
    private var swipes = SwipeCounter()
    /// The swipes of each track that `--track` leaves out.
    private var others = OtherTracks()
    private let wallClock: WallClock

    init(_ options: LiveOptions, _ console: Console, sampleRate: Double, wallClock: WallClock) {
        self.options = options
        self.wallClock = wallClock
        self.console = console
        self.sampleRate = sampleRate
        progress = Progress(console, after: .zero)
        cards = CardPrinter(showsFailures: options.failures, console)
    }

    /// Prints an event.
    /// - Returns: the `--json` object of a track or a failure; nil for a track that is not reported, because `--track`
    ///   leaves it out or it follows the last wanted swipe.
    mutating func receive(_ event: HeadEvent) -> JSONObject? {
        let link = options.link.description
        switch event {
        case .track(let track):
            guard options.track.tracks.contains(track.decoded.track) else {
                others.add(track.decoded.track)
                return nil
            }
            guard swipes.add(track.decoded.span, most: options.most) else { return nil }
            trackCount += 1
            let object = timed(TrackReport(track, file: link, isRevealed: options.reveal).json)
            if options.json { console.result(object) } else { cards.expectCard() }
            return object
        case .card(let card):
            if !options.json, swipes.includes(card.span) {
                cards.print(card, file: link, isRevealed: options.reveal)
            }
            return nil
        case .failure(let failure, let channel):
            failureCount += 1
            let report = FailureReport(file: link, channel: channel + 1, failure: failure, showsBits: false)
            let object = timed(report.json)
            if options.failures && options.json { console.result(object) } else { cards.print(report) }
            return object
        }
    }

    /// Whether all wanted swipes have been read.
    /// - Parameters:
    ///   - frame: the number of frames decoded so far.
    ///   - channels: the number of decoded channels; with one, no other track of a swipe can follow.
    /// - Returns: always false without a limit.
    func isEnough(at frame: Int, channels: Int) -> Bool {
        guard let most = options.most else { return false }
        return swipes.areComplete(most, at: channels > 1 ? Double(frame) / sampleRate : nil)
    }

    private func timed(_ object: JSONObject) -> JSONObject {
        var object = object
        object.add(time: wallClock.now())
        return object
    }

    /// Writes the printed lines, and updates the status line.
    /// - Parameter level: the peak level in dBFS; nil if it is not known yet.
    mutating func advance(level: Double?) {
        console.flush()
        if let level { progress.update(status(level), fraction: nil) }
    }

    /// Prints the failures that are still held.
    mutating func finish() {
        cards.finish()
        console.flush()
        console.clearStatus()
    }

    /// Reports the number of swipes that `--track` left out.
    func reportOthers() { if let message = others.message { console.message(message) } }

    private func status(_ level: Double) -> String {
        // Devices with floating-point samples may exceed full scale.
        let share = level.isNaN ? 0 : min(max(1 + level / Self.barRange, 0), 1)
        let bar = String(repeating: "#", count: Int((share * Double(Self.barLength)).rounded()))
        let line = bar.padded(to: Self.barLength, alignedRight: false)
        return "[\(line)] \(fixed(level, 0)) dBFS, \(counted(trackCount, "track")) read, \(failureCount) failed"
    }
}

/// Counts swipes by the tracks that were read in them.
struct SwipeCounter {
    private(set) var count = 0
    /// The end of the last swipe (s).
    private var end = -Double.infinity
    /// Whether a track of a further swipe, beyond the limit, was read.
    private var hasMore = false

    /// Adds a track.
    /// - Parameters:
    ///   - span: the span of the track in the sound.
    ///   - most: the number of wanted swipes; nil for all.
    /// - Returns: false if the track belongs to a swipe beyond the limit.
    mutating func add(_ span: SwipeSpan, most: Int?) -> Bool {
        let isNext = span.start > end + HeadCard.gap
        guard !isNext || most.map({ count < $0 }) ?? true else {
            hasMore = true
            return false
        }
        if isNext { count += 1 }
        end = max(end, span.end)
        return true
    }

    /// Whether a card belongs to the swipes that were counted.
    func includes(_ span: SwipeSpan) -> Bool { span.start <= end + HeadCard.gap }

    /// Whether enough swipes were read, and no track of the last one can follow.
    /// - Parameters:
    ///   - wanted: the number of wanted swipes.
    ///   - time: how far the sound has been decoded (s); nil if no further track can come.
    /// - Returns: whether listening can end.
    func areComplete(_ wanted: Int, at time: Double?) -> Bool {
        guard count >= wanted else { return false }
        return hasMore || time.map { $0 > end + HeadCard.gap } ?? true
    }
}
#endif

/// Reports how much sound was lost: the first loss at once, later ones as a sum every few seconds.
struct LossReport {
    /// The time between two lines, of the clock and not of the sound, which may arrive faster.
    private static let pause = Duration.seconds(5)

    private let link: LinkName
    private let sampleRate: Double
    private let now: () -> ContinuousClock.Instant
    private var lost = 0
    /// The time of the last line.
    private var lastReport: ContinuousClock.Instant?

    init(link: LinkName, sampleRate: Double, now: @escaping () -> ContinuousClock.Instant) {
        self.link = link
        self.sampleRate = sampleRate
        self.now = now
    }

    /// Adds lost frames.
    mutating func add(_ frames: Int) { lost += frames }

    /// Reports the loss if the time between lines has passed.
    mutating func advance(_ console: Console) {
        guard lost > 0 else { return }
        let now = now()
        if let lastReport, now - lastReport < Self.pause { return }
        lastReport = now
        finish(console)
    }

    /// Reports any loss that has not been reported yet.
    mutating func finish(_ console: Console) {
        guard lost > 0 else { return }
        console.message("\(link): \(fixed(1_000 * Double(lost) / sampleRate, 0)) ms of sound were lost")
        lost = 0
    }
}
