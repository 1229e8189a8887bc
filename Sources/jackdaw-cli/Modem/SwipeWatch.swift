import JackdawDSP

/// Looks for swipes of cards in the sound of a channel that its decoders of modems do not account for: bit cells of a card
/// sound somewhat like keyed tones. Each sound is looked at once, and a modem's not at all, for what it would take.
struct SwipeWatch {
    /// Zeros lie on either side of a message, up to the ends of the stripe.
    private static let stripeInches = 3.375
    /// Samples that are looked at together.
    private static let step = 4_096
    /// Swipes that are remembered.
    private static let mostFound = 16

    private let sampleRate: Double
    /// The last sound, which the owner adds to; it is looked at later.
    let history: SampleHistory
    /// None for a sample rate that holds no swipe.
    private var decoder: SwipeDecoder?
    /// What comes before this sample was looked at, or is a modem's.
    private var position = 0
    /// The last swipes that were found, with the zeros around them.
    private var found: [(span: SwipeSpan, stripe: ClosedRange<Double>)] = []
    /// Those of them that were not taken yet.
    private var swipes: [SwipeSpan] = []

    /// A watch at the start of a recording.
    /// - Parameters:
    ///   - sampleRate: in Hz.
    ///   - seconds: how long sound may wait.
    init(sampleRate: Double, seconds: Double) {
        self.sampleRate = sampleRate
        history = SampleHistory(capacity: max(1, Int(seconds * sampleRate)))
        decoder = try? SwipeDecoder(configuration: .init(sampleRate: sampleRate))
    }

    /// Looks at the sound before a sample.
    mutating func look(until sample: Int) {
        let end = min(sample, history.count)
        skip(to: history.kept.lowerBound)
        while position < end {
            let next = min(end, position + Self.step)
            let samples = history.samples(in: position..<next).samples
            position = next
            note(samples.withElements { decoder?.receive($0) } ?? [])
        }
    }

    /// Leaves out the sound before a sample: it is a modem's.
    mutating func skip(to sample: Int) {
        let end = min(sample, history.count)
        guard end > position else { return }
        note(decoder?.skip(end - position) ?? [])
        position = end
    }

    /// Looks at all sound that is left.
    mutating func finish() {
        look(until: .max)
        note(decoder?.finish() ?? [])
    }

    /// Whether something goes on, at the end of what was looked at, that may become a swipe.
    var isInSwipe: Bool { decoder?.isInSegment ?? false }

    /// Looks at all sound so far.
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
            // Two readings of a swipe, or two tracks on a channel, are one swipe.
            let isKnown = found.contains {
                $0.span.startSample < span.endSample && $0.span.endSample > span.startSample
            }
            let zeros = track.speed.mean > 0 ? Self.stripeInches / track.speed.mean * sampleRate : 0
            found.append((span, Double(span.startSample) - zeros...Double(span.endSample) + zeros))
            if found.count > Self.mostFound { found.removeFirst() }
            if !isKnown { swipes.append(span) }
        }
    }
}
