/// Why a stretch of a segment could not be read, and how far the decoder got.
struct SegmentFailure: Error {
    var reason: SwipeFailure.Reason
    /// The stretch, in samples of the segment.
    var range: Range<Int>
    var code: CharacterCode?
    var isReversed = false
    /// ASCII of the best guess, 0 where it is not certain.
    @Wiped var characters: [UInt8] = []
    /// Bits in the order of time and their boundaries in samples of the segment.
    @Wiped var bits: [UInt8] = []
    var boundaries: [Float] = []

    /// Characters of the best guess that are certain.
    var certainCharacters: Int { characters.count { $0 != 0 } }

    func moved(by offset: Int) -> SegmentFailure {
        var moved = self
        moved.range = range.lowerBound + offset..<range.upperBound + offset
        moved.boundaries = boundaries.map { $0 + Float(offset) }
        return moved
    }

    func swipeFailure(offset: Int, swipe: Int, sampleRate: Double) -> SwipeFailure {
        SwipeFailure(
            reason: reason, swipe: swipe,
            span: SwipeSpan(
                startSample: range.lowerBound + offset, endSample: range.upperBound + offset, sampleRate: sampleRate),
            code: code, direction: code.map { _ in isReversed ? .reverse : .forward },
            partialCharacters: WipedArray(characters), firstBadCharacter: characters.firstIndex(of: 0),
            bits: WipedArray(bits), cellBoundaries: boundaries.map { Double($0) + Double(offset) })
    }
}
