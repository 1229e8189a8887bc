import JackdawDSP

/// Looks for card swipes in the sound of a channel that its modem decoders do not account for: the bit cells of a card
/// sound similar to keyed tones. Each sound is decoded once, and the sound of a modem not at all, to save time.
struct SwipeWatch {
    /// The length of the stripe in inches: zeros lie on either side of a message, up to the ends of the stripe.
    private static let stripeInches = 3.375
    /// Seconds of carrier on either side of the characters of a burst.
    private static let carrier = 0.25
    /// The number of samples that are decoded at a time.
    private static let step = 4_096
    /// Limit of the found swipes that are kept.
    private static let maxFound = 16

    private let sampleRate: Double
    /// The last sound, to which the owner appends; it is decoded later.
    let history: SampleHistory
    /// The decoder, created for the first sound that must be decoded; nil before it, and for a sample rate that is too
    /// low for a swipe.
    private var decoder: SwipeDecoder?
    /// All sound before this sample was decoded, or belongs to a modem.
    private var position = 0
    /// The last swipes that were found, with the zeros around them.
    private var found: [(span: SwipeSpan, stripe: ClosedRange<Double>)] = []
    /// The found swipes that were not taken yet.
    private var swipes: [SwipeSpan] = []

    /// Creates a watch at the start of a recording.
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - seconds: the longest time that sound waits to be decoded.
    init(sampleRate: Double, seconds: Double) {
        self.sampleRate = sampleRate
        history = SampleHistory(capacity: max(1, Int(seconds * sampleRate)))
    }

    /// Decodes the sound before a sample.
    mutating func look(until sample: Int) {
        let end = min(sample, history.count)
        skip(to: history.kept.lowerBound)
        if position < end, decoder == nil { createDecoder() }
        while position < end {
            let next = min(end, position + Self.step)
            history.withSamples(in: position..<next) {
                note(decoder?.receive($0) ?? [])
            } floats: {
                note(decoder?.receive($0) ?? [])
            }
            position = next
        }
        history.discard(before: position)
    }

    private mutating func createDecoder() {
        decoder = try? SwipeDecoder(configuration: .init(sampleRate: sampleRate))
        _ = decoder?.skip(position)
    }

    /// Decodes the sound before a burst of a modem, except for its carrier.
    /// - Parameter start: the sample at which the characters of the burst begin.
    mutating func look(untilBurstAt start: Double) { look(until: Int(start - Self.carrier * sampleRate)) }

    /// Skips a burst of a modem and its carrier.
    /// - Parameter end: the sample at which the characters of the burst end.
    mutating func skip(burstTo end: Int) { skip(to: end + Int(Self.carrier * sampleRate)) }

    /// Skips the sound before a sample, which belongs to a modem.
    mutating func skip(to sample: Int) {
        let end = min(sample, history.count)
        guard end > position else { return }
        note(decoder?.skip(end - position) ?? [])
        position = end
        history.discard(before: position)
    }

    /// Decodes the rest of the sound.
    mutating func finish() {
        look(until: .max)
        note(decoder?.finish() ?? [])
    }

    /// Whether a segment that may be a swipe is open at the end of the decoded sound.
    var isInSwipe: Bool { decoder?.isInSegment ?? false }

    /// Decodes all sound so far.
    /// - Returns: the last swipe between two samples; nil if there is none.
    mutating func swipe(from start: Double, to end: Double) -> SwipeSpan? {
        look(until: .max)
        if isInSwipe, var copy = decoder { note(copy.finish()) }
        return found.last { $0.stripe.lowerBound < end && $0.stripe.upperBound > start }?.span
    }

    /// The swipes that were found since the last call.
    mutating func takeSwipes() -> [SwipeSpan] {
        defer { swipes = [] }
        return swipes
    }

    private mutating func note(_ events: [SwipeEvent]) {
        for case .track(let track) in events {
            let span = track.span
            // Two decodings of a swipe, or two tracks of a channel, are one swipe.
            let isKnown = found.contains {
                $0.span.startSample < span.endSample && $0.span.endSample > span.startSample
            }
            let zeros = track.speed.mean > 0 ? Self.stripeInches / track.speed.mean * sampleRate : 0
            found.append((span, Double(span.startSample) - zeros...Double(span.endSample) + zeros))
            if found.count > Self.maxFound { found.removeFirst() }
            if !isKnown { swipes.append(span) }
        }
    }
}
