/// A message that a tier read from a segment of sound and proved.
struct SegmentReading {
    let code: CharacterCode
    /// Data values from start sentinel to LRC.
    @Wiped private(set) var values: [UInt8]
    /// Whether the message runs against time.
    let isReversed: Bool
    /// Times of the message's cell boundaries in samples of the segment, rising.
    private(set) var boundaries: [Float]
    /// What the pass of the card takes of the segment, clocking zeros included, in samples.
    private(set) var extent: Range<Int>
    /// Bit cells in that stretch; tells the recording density of a numeric track.
    private(set) var passCells: Int
    let tier: DecoderTier
    let confidence: Double
    /// Characters whose bits the sound alone would have read otherwise; the last one is the LRC.
    let repaired: [Int]
    /// Whether the bits as the sound alone reads them pass the character parity and the LRC.
    let passesParity: Bool
    let passesLRC: Bool

    /// At 75 bits an inch a card's width of 3.4 inches holds 255 bit cells, at 210 it holds 714; between, the length of the
    /// message decides.
    private static let mostCellsAt75 = 330
    private static let mostCharactersAt75 = 40
    /// The 714 and a little for what the hand adds at the ends.
    private static let mostCells = 760

    var track: TrackNumber {
        guard code == .numeric else { return .one }
        return passCells > Self.mostCellsAt75 || values.count > Self.mostCharactersAt75 ? .three : .two
    }

    /// The same reading with its pass measured by the sound itself, where its tier could have taken noise for clocking
    /// zeros: the strong one reads bits to the end of the sound, and the fast one is doubted where they would change the
    /// track's number.
    func measured(in samples: Span<Float>) -> SegmentReading {
        guard tier == .strong || track == .three && values.count <= Self.mostCharactersAt75 else { return self }
        let zeros = ClockingZeros(beside: self, in: samples, mostCells: Self.mostCells)
        var measured = self
        measured.extent = zeros.extent
        measured.passCells = zeros.before + boundaries.count - 1 + zeros.after
        return measured
    }

    /// Clocking zeros that are heard behind the message.
    func zerosBehind(in samples: Span<Float>) -> Int {
        ClockingZeros(beside: self, in: samples, mostCells: Self.mostCells).after
    }

    /// The same reading in a segment that begins so many samples earlier, its extent kept within a range of that one.
    func moved(by offset: Int, within range: Range<Int>) -> SegmentReading {
        var moved = self
        moved.boundaries = boundaries.map { $0 + Float(offset) }
        moved.extent = (extent.lowerBound + offset..<extent.upperBound + offset).clamped(to: range)
        return moved
    }

    /// Card speed over stretches of eight cells.
    func speed(sampleRate: Double) -> SpeedProfile {
        let cellInches = 1 / track.bitsPerInch
        func speed(_ cells: Int, _ samples: Float) -> Double {
            Double(cells) * cellInches * sampleRate / Double(max(samples, 1e-3))
        }
        let stretch = min(8, boundaries.count - 1)
        let speeds = (0..<boundaries.count - stretch).map {
            speed(stretch, boundaries[$0 + stretch] - boundaries[$0])
        }
        let mean = speed(boundaries.count - 1, boundaries[boundaries.count - 1] - boundaries[0])
        return SpeedProfile(mean: mean, slowest: speeds.min() ?? mean, fastest: speeds.max() ?? mean)
    }

    /// What a caller gets: `offset` is the samples before the segment since the last reset, `swipe` the ordinal of the swipe.
    func decodedTrack(offset: Int, swipe: Int, sampleRate: Double) -> DecodedTrack {
        var text = values.dropLast().map { code.ascii($0) }
        defer { text.wipe() }
        let first = offset + Int(boundaries[0])
        let last = offset + Int(boundaries[boundaries.count - 1]) + 1
        return DecodedTrack(
            track: track, code: code, swipe: swipe, direction: isReversed ? .reverse : .forward,
            span: SwipeSpan(startSample: first, endSample: last, sampleRate: sampleRate),
            characters: WipedArray(text), parity: passesParity ? .ok : .repaired, lrc: passesLRC ? .ok : .repaired,
            repairedCharacters: repaired.filter { $0 < text.count }, confidence: confidence,
            speed: speed(sampleRate: sampleRate), tier: tier,
            cellBoundaries: boundaries.map { Double($0) + Double(offset) })
    }
}
