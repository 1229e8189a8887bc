// The events of a head: tracks, cards and failures.
public import JackdawCards
public import JackdawDSP

/// An event that a ``HeadReader`` reports.
public enum HeadEvent: Sendable {
    /// A track that passed all its checks, reported at once. If it makes a card, ``card(_:)`` follows.
    case track(HeadTrack)
    /// A card that cannot get another track.
    case card(HeadCard)
    /// A swipe that could not be read, with the reason and the channel, from 0.
    case failure(SwipeFailure, channel: Int)
}

/// A track that a head read, and its fields. Printed forms show the format and the masked account number.
public struct HeadTrack: RedactedDescription {
    /// The channel of the sound, from 0.
    public let channel: Int
    /// The reading: text, position, direction, speed and checks.
    public let decoded: DecodedTrack
    /// The fields; nil if the text does not have the form of a track.
    public let content: Track?

    /// Parses the text of a track.
    /// - Parameters:
    ///   - decoded: the track.
    ///   - channel: the channel of the sound, from 0.
    public init(_ decoded: DecodedTrack, channel: Int) {
        self.decoded = decoded
        self.channel = channel
        content = decoded.characters.withElements { try? Track(parsing: $0) }
    }

    /// Track number, channel and fields, masked.
    public var description: String {
        let text = content?.description ?? "\(decoded.characters.count) characters"
        return "track \(decoded.track.rawValue), channel \(channel + 1): \(text)"
    }
}

/// The tracks of one swipe, joined to a card.
public struct HeadCard: RedactedDescription {
    /// The tracks in the order of their numbers, then of their channels; at least one.
    public let tracks: [HeadTrack]
    /// The fields of all tracks that have the form of a track.
    public let card: SwipedCard
    /// From the first sample of the first track to the last sample of the last one.
    public let span: SwipeSpan

    /// Joins tracks.
    /// - Parameters:
    ///   - tracks: the tracks of one swipe, in any order.
    ///   - span: the span of all of them.
    init(_ tracks: [HeadTrack], span: SwipeSpan) {
        self.tracks = tracks.sorted { ($0.decoded.track, $0.channel) < ($1.decoded.track, $1.channel) }
        card = SwipedCard(self.tracks.compactMap { $0.content })
        self.span = span
    }

    /// Masked account number, brand, formats and time.
    public var description: String { card.tracks.isEmpty ? "\(tracks.count) tracks without fields" : card.description }
}

extension CardEvent {
    /// The event of a card that a head read, with all its tracks.
    /// - Parameters:
    ///   - card: the card.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil for a recording.
    public init(_ card: HeadCard, time: Duration? = nil) {
        self.init(card.tracks.map { $0.text }, source: .sound, time: time)
    }

    /// The event of a single track that a head read.
    /// - Parameters:
    ///   - track: the track.
    ///   - time: the time at which it was read, since the beginning of 1970 (UTC); nil for a recording.
    public init(_ track: HeadTrack, time: Duration? = nil) {
        self.init([track.text], source: .sound, time: time)
    }
}

extension HeadTrack {
    fileprivate var text: CardEvent.TrackText {
        decoded.characters.withElements { CardEvent.TrackText(decoded.track.rawValue, $0, content: content) }
    }
}

/// Joins the tracks of one swipe: a head may read two or three at once, each on a channel of its own.
struct CardAssembler: Sendable {
    /// Tracks that are read further apart than this are two swipes (s).
    static let gap = HeadCard.gap
    /// Tracks of a card that is not complete, at most: sound may be one swipe after another without end.
    static let maxTracks = 64

    private var pending: [HeadTrack] = []

    /// Whether a track waits for others.
    var isOpen: Bool { !pending.isEmpty }

    /// Adds a track.
    /// - Returns: a card that has to be reported because it has ``maxTracks``.
    mutating func add(_ track: HeadTrack) -> HeadCard? {
        pending.append(track)
        guard pending.count >= Self.maxTracks else { return nil }
        let first = pending.min { $0.decoded.span.startSample < $1.decoded.span.startSample } ?? track
        let last = pending.max { $0.decoded.span.endSample < $1.decoded.span.endSample } ?? track
        defer { pending = [] }
        return HeadCard(pending, span: first.decoded.span.joined(to: last.decoded.span))
    }

    /// Removes and returns the cards that cannot get another track.
    /// - Parameters:
    ///   - time: the position up to which the sound has been decoded, in seconds; nil if no track can follow.
    ///   - patience: seconds after its last track in which a card may get another one.
    /// - Returns: cards in the order of time.
    mutating func completeCards(at time: Double?, patience: Double) -> [HeadCard] {
        guard !pending.isEmpty else { return [] }
        var cards: [(tracks: [HeadTrack], span: SwipeSpan)] = []
        for track in pending.sorted(by: { $0.decoded.span.startSample < $1.decoded.span.startSample }) {
            let span = track.decoded.span
            if let last = cards.last, span.start <= last.span.end + Self.gap {
                cards[cards.count - 1].tracks.append(track)
                cards[cards.count - 1].span = last.span.joined(to: span)
            } else {
                cards.append(([track], span))
            }
        }
        pending.removeAll(keepingCapacity: true)
        if let time, let last = cards.last, time < last.span.end + patience {
            pending = last.tracks
            cards.removeLast()
        }
        return cards.map { HeadCard($0.tracks, span: $0.span) }
    }
}

extension HeadCard {
    /// Tracks that are read further apart than this are two swipes (s).
    package static let gap = 0.25
}

extension SwipeSpan {
    /// The span from the earlier start to the later end.
    fileprivate func joined(to other: SwipeSpan) -> SwipeSpan {
        SwipeSpan(
            startSample: min(startSample, other.startSample), endSample: max(endSample, other.endSample),
            sampleRate: sampleRate)
    }
}
