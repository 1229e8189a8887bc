import JackdawDSP

/// The printed lines of a swipe: all that is kept of it while a recording goes on. It holds no sound, no bits, and the text as it
/// is printed.
struct SwipeSummary {
    /// How a track was read.
    struct Reading {
        let track: TrackNumber
        let direction: SwipeDirection
        let speed: SpeedProfile
    }

    /// Why it could not be read.
    struct Failure {
        let reason: SwipeFailure.Reason
        /// Why, in words.
        let description: KeptText
        /// Whether not one character of it was read.
        let isWithoutCharacters: Bool
    }

    let swipe: Int
    let span: SwipeSpan
    /// Track and direction, or why it could not be read.
    let title: KeptText
    /// The message as it is printed; of a failure as much as could be read.
    let text: KeptText
    /// Nil of a failure.
    let track: Reading?
    /// Nil of a track that was read.
    let failure: Failure?
    /// Number of bit cells.
    let cellCount: Int
    /// Mean length of a bit cell in seconds; nil without cells.
    let meanCell: Double?
    /// How uneven its bit cells are, in percent (``FluxPeaks/jitter``).
    let jitter: Double?
    /// Highest magnitude within the span in dBFS; nil if its sound is not at hand.
    let peakLevel: Double?

    /// - Parameters:
    ///   - inspection: the swipe with all that is known of it.
    ///   - texts: keeps its texts.
    init(_ inspection: SwipeInspection, in texts: KeptTexts) {
        swipe = inspection.swipe
        span = inspection.span
        title = texts.keep(inspection.title)
        text = texts.keep(inspection.text)
        track = inspection.track.map { Reading(track: $0.track, direction: $0.direction, speed: $0.speed) }
        failure = inspection.failure.map { failure in
            Failure(
                reason: failure.reason, description: texts.keep(failure.description),
                isWithoutCharacters: failure.partialCharacters.count == 0)
        }
        cellCount = inspection.cellCount
        meanCell = inspection.meanCell
        jitter = inspection.flux.jitter
        peakLevel = inspection.peakLevel
    }

    /// Where it lies, in samples from the start of the recording.
    var samples: Range<Int> { span.startSample..<max(span.startSample, span.endSample) }
}

/// The texts of many swipes in one piece of memory. A piece for each, between those that one swipe is decoded in, would keep the
/// system from using these again for the next.
final class KeptTexts: CustomReflectable {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1 << 16) }

    // If it was asked for, card data in clear.
    deinit { bytes.removeWiping() }

    /// Keeps a text.
    func keep(_ text: String) -> KeptText {
        let start = bytes.count
        bytes.growWiping(by: text.utf8.count)
        bytes.append(contentsOf: text.utf8)
        return KeptText(range: start..<bytes.count, texts: self)
    }

    fileprivate func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Reflection shows nothing of the texts of others.
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A text that is kept among others.
struct KeptText: CustomStringConvertible {
    fileprivate let range: Range<Int>
    fileprivate let texts: KeptTexts

    /// The text.
    var description: String { texts.text(range) }

    /// Whether there is none.
    var isEmpty: Bool { range.isEmpty }
}
