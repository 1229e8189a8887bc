import JackdawDSP
import JackdawSpectrum

/// The part of a recording that a picture shows: one swipe, the sound between two times, or all.
struct PicturePart: Sendable {
    /// The number of a swipe, from 1; nil for all swipes.
    var swipe: Int?
    /// From the start of the recording.
    var seconds = 0...Double.infinity

    /// Whether a swipe, or a part of it, is drawn.
    func holds(_ swipe: SwipeInspection) -> Bool { holds(swipe.swipe, swipe.span) }

    /// Whether a swipe, or a part of it, is drawn.
    func holds(_ swipe: SwipeSummary) -> Bool { holds(swipe.swipe, swipe.span) }

    private func holds(_ number: Int, _ span: SwipeSpan) -> Bool {
        (swipe ?? number + 1) == number + 1 && overlaps(span.start, span.end)
    }

    /// Whether any of these bit cells of a swipe is drawn.
    func holds(_ cells: Range<Int>, of swipe: SwipeInspection) -> Bool {
        let rate = swipe.span.sampleRate
        return overlaps(swipe.boundaries[cells.lowerBound] / rate, swipe.boundaries[cells.upperBound] / rate)
    }

    /// Whether a line code, or a part of it, is drawn.
    func holds(_ line: LineInspection) -> Bool {
        let samples = line.guess.samples
        return overlaps(Double(samples.lowerBound) / line.sampleRate, Double(samples.upperBound) / line.sampleRate)
    }

    /// Whether any of these characters of a line code is drawn.
    func holds(_ characters: Range<Int>, of line: LineInspection) -> Bool {
        let edges = line.characters[characters].flatMap(\.edges)
        guard let first = edges.first, let last = edges.last else { return false }
        return overlaps(first / line.sampleRate, last / line.sampleRate)
    }

    private func overlaps(_ start: Double, _ end: Double) -> Bool {
        start < seconds.upperBound && end > seconds.lowerBound
    }
}
