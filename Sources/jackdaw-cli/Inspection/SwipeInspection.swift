import JackdawBytes
import JackdawCards
import JackdawDSP

/// A swipe, read or failed, with its bit cells and its sound: everything that a picture needs, in clear, and too large
/// to keep for every swipe (``SwipeSummary``).
struct SwipeInspection {
    /// A character of the message with its bit cells.
    struct Character {
        /// The label in the picture: `*` if the character is masked, a middle dot if it is uncertain.
        let label: String
        /// Its bit cells, in the order of time.
        let cells: Range<Int>
        /// Whether its bits may show too.
        let isShown: Bool
        /// Whether the decoder corrected it or is uncertain of it.
        let isDoubtful: Bool
    }

    let swipe: Int
    let span: SwipeSpan
    /// Track and direction, or why it could not be read.
    let title: String
    /// The message, masked unless it may be revealed; for a failure the part that could be read.
    let text: String
    let track: DecodedTrack?
    let failure: SwipeFailure?
    /// Times of the cell boundaries, in samples from the start of the recording.
    let boundaries: [Double]
    /// The bits in the order of time, one for each cell; empty if they are not known.
    let bits: WipedArray<UInt8>
    let characters: [Character]
    /// The sound with a margin around it, and the number of its first sample.
    let samples: WipedArray<Float>
    let firstSample: Int
    let flux: FluxPeaks

    /// The inspection of a track that was read.
    init(_ track: DecodedTrack, history: SampleHistory, isRevealed: Bool) {
        let report = TrackReport(track, file: "", channel: 1, isRevealed: isRevealed)
        swipe = track.swipe
        span = track.span
        self.track = track
        failure = nil
        text = report.text
        title = "track \(track.track.rawValue), \(track.direction.rawValue)"
        boundaries = track.cellBoundaries
        let message = Self.bits(of: track)
        bits = message.count == boundaries.count - 1 ? message : WipedArray([])
        characters =
            bits.count > 0 ? Self.characters(of: track, labels: report.text, isRevealed: isRevealed) : []
        (samples, firstSample) = history.samples(in: Self.surroundings(of: span))
        flux = FluxPeaks(boundaries: boundaries, bits: bits, samples: samples, firstSample: firstSample)
    }

    /// The inspection of a swipe that could not be read.
    init(_ failure: SwipeFailure, history: SampleHistory, isRevealed: Bool) {
        swipe = failure.swipe
        span = failure.span
        track = nil
        self.failure = failure
        let labels = Self.labels(of: failure, isRevealed: isRevealed)
        text = labels.joined()
        title = failure.description
        boundaries = failure.cellBoundaries
        bits = failure.bits.count == boundaries.count - 1 ? failure.bits : WipedArray([])
        characters =
            bits.count > 0 ? Self.characters(of: failure, labels: labels, isRevealed: isRevealed) : []
        (samples, firstSample) = history.samples(in: Self.surroundings(of: span))
        flux = FluxPeaks(boundaries: boundaries, bits: bits, samples: samples, firstSample: firstSample)
    }

    var cellCount: Int { max(0, boundaries.count - 1) }

    /// Mean length of a bit cell in seconds; nil without cells.
    var meanCell: Double? {
        guard let first = boundaries.first, let last = boundaries.last, cellCount > 0 else { return nil }
        return (last - first) / Double(cellCount) / span.sampleRate
    }

    /// Highest magnitude within the span, full scale 1; nil if the sound is not at hand.
    var peak: Double? {
        let wanted = (span.startSample - firstSample)..<(span.endSample - firstSample)
        return samples.withElements { samples in
            samples.indices.clamped(to: wanted).map { Double(abs(samples[$0])) }.max()
        }
    }

    /// The span with a margin of a twentieth of its length on either side.
    private static func surroundings(of span: SwipeSpan) -> Range<Int> {
        let margin = max(1, span.endSample - span.startSample) / 20 + 1
        return max(0, span.startSample - margin)..<max(span.startSample, span.endSample) + margin
    }

    /// The bits of a message in the order of time, LRC included.
    private static func bits(of track: DecodedTrack) -> WipedArray<UInt8> {
        let bits = TrackMessage(track).bits
        guard track.direction == .reverse else { return bits }
        return bits.withElements { bits in
            var reversed = bits.indices.reversed().map { bits[$0] }
            defer { reversed.wipe() }
            return WipedArray(reversed)
        }
    }

    private static func characters(of track: DecodedTrack, labels: String, isRevealed: Bool) -> [Character] {
        let width = track.code.bitsPerCharacter
        let names = labels.map { (label: String($0), isShown: isRevealed || $0 != "*") }
        // The bits of the LRC would reveal a single masked character of the message.
        let hasHidden = names.contains { !$0.isShown }
        let all = names + [(label: "LRC", isShown: !hasHidden)]
        return all.enumerated().map { index, name in
            let place = track.direction == .forward ? index : all.count - 1 - index
            return Character(
                label: name.label, cells: place * width..<(place + 1) * width, isShown: name.isShown,
                isDoubtful: track.repairedCharacters.contains(index))
        }
    }

    /// The labels of a failure's characters in the picture.
    private static func labels(of failure: SwipeFailure, isRevealed: Bool) -> [String] {
        failure.partialCharacters.withElements { partial in
            let shown = isRevealed ? String(ascii: partial) : Masking.mask(partial)
            return zip(partial.indices, shown).map { partial[$0] == 0 ? "\u{B7}" : String($1) }
        }
    }

    /// Places the characters of a failure at the first position whose bits match all certain ones.
    private static func characters(of failure: SwipeFailure, labels: [String], isRevealed: Bool) -> [Character] {
        guard let code = failure.code, !labels.isEmpty else { return [] }
        let isReversed = failure.direction == .reverse
        let width = code.bitsPerCharacter
        return failure.bits.withElements { bits in
            failure.partialCharacters.withElements { partial in
                func cells(_ index: Int, from start: Int) -> Range<Int> {
                    let first = start + index * width
                    return isReversed ? bits.count - first - width..<bits.count - first : first..<first + width
                }
                func isSpelled(_ index: Int, from start: Int) -> Bool {
                    guard let value = code.value(ofASCII: partial[index]) else { return true }
                    let pattern = code.pattern(of: value)
                    return cells(index, from: start).enumerated().allSatisfy { place, cell in
                        bits[cell] == pattern >> UInt8(isReversed ? width - 1 - place : place) & 1
                    }
                }
                let starts = 0...max(0, bits.count - labels.count * width)
                guard labels.count * width <= bits.count,
                    let start = starts.first(where: { start in
                        partial.indices.allSatisfy { isSpelled($0, from: start) }
                    })
                else { return [] }
                return labels.enumerated().map { index, label in
                    let isDoubtful = partial[index] == 0
                    return Character(
                        label: label, cells: cells(index, from: start),
                        isShown: isRevealed || label != "*" && !isDoubtful, isDoubtful: isDoubtful)
                }
            }
        }
    }
}
