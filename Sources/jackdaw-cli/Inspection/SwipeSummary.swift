import JackdawBytes
import JackdawDSP

/// The printed results of a swipe, the only part that is kept while a recording goes on. It contains no sound, no bits,
/// and the text only in its printed form.
struct SwipeSummary {
    /// The properties of a track that was read.
    struct Reading {
        let track: TrackNumber
        let direction: SwipeDirection
        let speed: SpeedProfile
    }

    /// The reason why a swipe could not be read.
    struct Failure {
        let reason: SwipeFailure.Reason
        /// The reason in words.
        let description: KeptText
        /// Whether not a single character was read.
        let isWithoutCharacters: Bool
    }

    let swipe: Int
    let span: SwipeSpan
    /// Track and direction, or why it could not be read.
    let title: KeptText
    /// The message as it is printed; for a failure the part that could be read.
    let text: KeptText
    /// Nil for a failure.
    let track: Reading?
    /// Nil for a track that was read.
    let failure: Failure?
    let cellCount: Int
    /// Mean length of a bit cell in seconds; nil without cells.
    let meanCell: Double?
    /// Unevenness of its bit cells in percent (``FluxPeaks/jitter``).
    let jitter: Double?
    /// Highest magnitude within the span in dBFS; nil if its sound is not at hand.
    let peakLevel: Double?

    /// - Parameters:
    ///   - inspection: the inspected swipe.
    ///   - texts: stores its texts.
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

    /// Its span, in samples from the start of the recording.
    var samples: Range<Int> { span.startSample..<max(span.startSample, span.endSample) }
}

/// The texts of many swipes in one block of memory. A block for each, between the buffers of one swipe's decoding,
/// would keep the allocator from reusing those for the next swipe.
final class KeptTexts: CustomReflectable {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1 << 16) }

    // With `--reveal`, the texts are card data in clear.
    deinit { bytes.wipe() }

    func keep(_ text: String) -> KeptText {
        let start = bytes.count
        bytes.growWiping(toHold: bytes.count + text.utf8.count)
        bytes.append(contentsOf: text.utf8)
        return KeptText(range: start..<bytes.count, texts: self)
    }

    fileprivate func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// Reflection shows none of the other texts.
    var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

/// A text stored in ``KeptTexts``.
struct KeptText: CustomStringConvertible {
    fileprivate let range: Range<Int>
    fileprivate let texts: KeptTexts

    var description: String { texts.text(range) }

    var isEmpty: Bool { range.isEmpty }
}
