import JackdawDSP
import JackdawSwipe

/// Something that was read in live sound, as the printer and the recorder receive it.
struct LiveEvent {
    let event: HeadEvent
    /// The time of day, since the beginning of 1970 (UTC).
    let time: Duration
    /// The `--json` object of a track or a failure; nil for a card, whose tracks came before.
    let json: JSONObject?

    /// - Parameters:
    ///   - event: the event.
    ///   - time: the time of day, since the beginning of 1970 (UTC).
    ///   - link: the name of the link.
    ///   - isRevealed: whether the object shows card data in clear.
    init(_ event: HeadEvent, time: Duration, link: String, isRevealed: Bool) {
        self.event = event
        self.time = time
        switch event {
        case .track(let track): json = TrackReport(track, file: link, isRevealed: isRevealed, time: time).json
        case .failure(let failure, let channel):
            var object = FailureReport(file: link, channel: channel + 1, failure: failure, showsBits: false).json
            object.add(time: time)
            json = object
        case .card: json = nil
        }
    }
}

extension HeadEvent {
    /// Whether it is a failure in sound without bit cells. Such sound is not a swipe, and days of listening produce
    /// many of these failures.
    var isNoise: Bool { if case .failure(let failure, _) = self { failure.reason == .noBitCells } else { false } }
}

/// Selects the events of the wanted tracks and of the wanted number of swipes.
struct EventSelection {
    private let tracks: Set<TrackNumber>
    /// The number of wanted swipes; nil for all.
    private let most: Int?
    private let includesNoise: Bool
    private var swipes = SwipeCounter()
    /// The swipes of each track that is not wanted.
    private(set) var others = OtherTracks()
    /// Number of selected tracks.
    private(set) var trackCount = 0

    init(_ options: LiveOptions) {
        tracks = options.tracks
        most = options.most
        includesNoise = options.showsFailures
    }

    /// Counts an event.
    /// - Returns: whether it is selected.
    mutating func selects(_ event: HeadEvent) -> Bool {
        switch event {
        case .track(let track):
            guard tracks.contains(track.decoded.track) else {
                others.add(track.decoded.track)
                return false
            }
            guard swipes.add(track.decoded.span, most: most) else { return false }
            trackCount += 1
            return true
        case .card(let card): return swipes.includes(card.span)
        case .failure: return includesNoise || !event.isNoise
        }
    }

    /// Whether all wanted swipes have been read.
    /// - Parameter time: how far the sound has been decoded (s); nil if no other track of a swipe can follow.
    /// - Returns: always false without a limit.
    func isComplete(at time: Double?) -> Bool { most.map { swipes.areComplete($0, at: time) } ?? false }
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
