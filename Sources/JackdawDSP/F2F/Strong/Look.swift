/// Where the cells of a swipe seem to lie, at the sample rate of a step of the ladder.
struct Look {
    let clock: BitClock
    /// The clock as the timing search found it.
    let found: BitClock
    /// Share of the wanted levels that an equaliser explains, taught by the clock's own bits.
    let explained: Float
    /// A quarter of the cells are no longer than the first length, and a quarter no shorter than the second, in samples of
    /// the sound.
    let lengthQuartiles: (short: Float, long: Float)
    let sound: WorkingSound

    /// What an equaliser explains where noise is read as bits, at most, under the first filters.
    private static let noiseExplainsAtMost: Float = 0.77
    /// What it explains of a swipe that is not buried in noise, at least.
    private static let swipeExplains: Float = 0.8
    /// What it explains of a swipe that is hardly above the noise, at most, not counting what its many taps make of few cells.
    private static let weakExplains: Float = 0.85
    /// Bit cells of the shortest pass of a card, and of two passes at 210 bits an inch with the turn between them: the
    /// memory that a refinement takes goes by them. A search in noise settles for short cells, and so for more of them.
    private static let cells = 40..<1_800

    /// Whether it is more than noise read as bits.
    var isPromising: Bool { explained > Self.noiseExplainsAtMost }
    var isSwipe: Bool { explained > Self.swipeExplains }

    /// Whether it stands clear of the noise. Over `n` levels, `p` taps leave (n - p) / n of what they cannot explain.
    var isClear: Bool {
        let levels = Float(2 * clock.bits.count + 1)
        let missed = (1 - explained) * levels / max(levels - Float(CellEqualiser.taps), 1)
        return 1 - missed > Self.weakExplains
    }

    /// Cells of fewer samples than this, at the segment's own rate, leave transitions little room.
    private static let roomyCell: Float = 3

    /// Refines a clock twice; nil where no pass of a card is left.
    init?(at sound: WorkingSound, clock: BitClock, pace: BitClock.Pace) {
        let ends = (clock.boundaries.first ?? 0, clock.boundaries.last ?? 0)
        let cell = (sound.segmentTime(ends.1) - sound.segmentTime(ends.0)) / Float(max(clock.bits.count, 1))
        let isTight = pace == .even && cell < Self.roomyCell
        guard Self.cells.contains(clock.bits.count),
            let (second, _) = clock.refined(on: sound, pace: pace, scope: isTight ? .tight : .wide),
            Self.cells.contains(second.bits.count),
            let (third, explained) = second.refined(on: sound, pace: pace, scope: isTight ? .tight : .close),
            Self.cells.contains(third.bits.count)
        else { return nil }
        self.clock = third
        let lengths = third.cellLengths.sorted()
        lengthQuartiles = (lengths[lengths.count / 4], lengths[lengths.count * 3 / 4])
        found = clock
        self.explained = explained
        self.sound = sound
    }
}
