// Segments that other threads decode before their decoder needs them.

/// A segment of a recording that a scout found, with the looks at it that a decoder may take.
package struct FoundSegment: Sendable {
    /// Position of its first sample, counted from the last reset.
    package let start: Int
    let sound: SoundBuffer
    /// Samples from the start to each pause at which the decoder looks for complete messages.
    let pauses: [Int]
    /// Whether the decoder looks at the whole segment; it passes over steady noise.
    let isDecoded: Bool
    /// Whether the gate has detected nothing since the last pause. Then the decoder looks at no sound after it.
    let endsAtPause: Bool
}

/// A look of a decoder at a segment.
package struct SegmentLook: Sendable, Hashable {
    /// Position of the segment's first sample, counted from the last reset.
    package let start: Int
    /// Samples of the segment that the look covers.
    let count: Int
    /// Whether the segment may be incomplete: only messages that are complete count.
    let isEarly: Bool

    /// Whether both cover the same sound.
    func covers(_ other: SegmentLook) -> Bool { start == other.start && count == other.count }
}

/// The findings of a look, and how they were made.
package struct DecodedLook: Sendable {
    /// Nil if a look at a pause found no complete message.
    let findings: SegmentDecoder.Findings?
    let searches: [SearchPatience.Search]
}

/// Decodes segments that a scout found. The findings are those of the decoder itself.
package struct SegmentWorker: Sendable {
    /// Decides how thoroughly a decoder searches a segment; it depends on the segments before.
    package struct Outlook: Sendable {
        var patience = SearchPatience()

        /// The outlook at the start of a recording.
        package init() {}

        init(patience: SearchPatience) { self.patience = patience }

        /// The likely outlook some segments later.
        package func expected(after segments: Int) -> Outlook {
            var later = self
            later.patience = patience.expected(after: segments)
            return later
        }
    }

    private var decoder: SegmentDecoder

    /// Creates a worker for sound at a sample rate (Hz).
    package init(sampleRate: Double) {
        decoder = SegmentDecoder(sampleRate: sampleRate, usesStrongTier: true)
    }

    /// Takes all looks at a segment that its decoder may take.
    /// - Parameters:
    ///   - segment: the segment.
    ///   - outlook: the likely outlook before the segment; afterwards the one after it. If the decoder's differs, it may
    ///     search the segment itself.
    /// - Returns: the looks with their findings.
    package mutating func decode(_ segment: FoundSegment, outlook: inout Outlook) -> [SegmentLook: DecodedLook] {
        var looks: [SegmentLook: DecodedLook] = [:]
        decoder.patience = outlook.patience
        defer { outlook.patience = decoder.patience }
        var isFoundAtPause = false
        func take(_ count: Int, isEarly: Bool) -> DecodedLook {
            let look = SegmentLook(start: segment.start, count: count, isEarly: isEarly)
            let decoded = segment.sound.withSamples {
                decoder.look(look, at: isEarly ? $0.extracting(..<count) : $0)
            }
            looks[look] = decoded
            return decoded
        }
        defer { decoder.dropSound() }
        for pause in segment.pauses { isFoundAtPause = take(pause, isEarly: true).findings != nil }
        guard segment.isDecoded, !(segment.endsAtPause && isFoundAtPause) else { return looks }
        _ = take(segment.endsAtPause ? segment.pauses[segment.pauses.count - 1] : segment.sound.count, isEarly: false)
        return looks
    }
}

/// Collects the segments of a recording in place of decoding them.
struct SegmentScout: Sendable {
    private var segments: [FoundSegment] = []
    /// Pauses of the open segment at which a decoder would look, and whether it would look at the last one.
    private var pauses: [Int] = []
    private var looksAtLastPause = false

    /// Begins a segment, or forgets one.
    mutating func begin() {
        pauses.removeAll(keepingCapacity: true)
        looksAtLastPause = false
    }

    /// Notes a pause after `count` samples; nil if the decoder does not look at it.
    mutating func notePause(after count: Int?) {
        looksAtLastPause = count != nil
        if let count { pauses.append(count) }
    }

    /// Ends the open segment.
    mutating func end(_ sound: SoundBuffer, start: Int, isDecoded: Bool, isQuietSincePause: Bool) {
        guard isDecoded || !pauses.isEmpty else { return }
        segments.append(
            FoundSegment(
                start: start, sound: sound.compact(), pauses: pauses, isDecoded: isDecoded,
                endsAtPause: isQuietSincePause && looksAtLastPause))
    }

    /// Removes and returns the segments found.
    mutating func takeSegments() -> [FoundSegment] { move(&segments) }
}
