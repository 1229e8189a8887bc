import JackdawBytes

/// A message that a tier decoded from a segment of sound and verified.
struct SegmentReading {
    let code: CharacterCode
    /// Data values from start sentinel to LRC.
    @Wiped private(set) var values: [UInt8]
    /// Whether the message runs against time: the card moved backwards.
    let isReversed: Bool
    /// Times of the message's cell boundaries in samples of the segment, ascending.
    private(set) var boundaries: [Float]
    /// The part of the segment that the pass of the card occupies, clocking zeros included, in samples.
    private(set) var extent: Range<Int>
    /// Bit cells in that part; they indicate the recording density of a numeric track.
    private(set) var passCells: Int
    let tier: DecoderTier
    let confidence: Double
    /// Characters whose bits differ from those that the sound alone gives; the last index is the LRC.
    let repaired: [Int]
    /// Whether the bits that the sound alone gives pass the character parity and the LRC.
    let passesParity: Bool
    let passesLRC: Bool

    /// At 75 bits per inch, a card's width of 3.4 inches holds 255 bit cells, at 210 it holds 714. For counts between
    /// those, the length of the message decides.
    private static let maxCellsAt75 = 330
    private static let maxCharactersAt75 = 40
    /// 714 cells, plus a margin for changes of speed at the ends.
    private static let maxCells = 760

    var track: TrackNumber {
        guard code == .numeric else { return .one }
        return passCells > Self.maxCellsAt75 || values.count > Self.maxCharactersAt75 ? .three : .two
    }

    /// The same reading with its pass measured from the sound, if its tier may have counted noise as clocking zeros:
    /// the strong one decodes bits to the end of the sound, and the fast one is checked if its count determines the
    /// track's number.
    func measured(in samples: Span<Float>) -> SegmentReading {
        guard tier == .strong || track == .three && values.count <= Self.maxCharactersAt75 else { return self }
        let zeros = ClockingZeros(beside: self, in: samples, maxCells: Self.maxCells)
        var measured = self
        measured.extent = zeros.extent
        measured.passCells = zeros.before + boundaries.count - 1 + zeros.after
        return measured
    }

    /// The number of clocking zeros after the message.
    func zerosBehind(in samples: Span<Float>) -> Int {
        ClockingZeros(beside: self, in: samples, maxCells: Self.maxCells).after
    }

    /// The same reading in a segment that begins `offset` samples earlier, with its extent limited to a range of that
    /// segment.
    func moved(by offset: Int, within range: Range<Int>) -> SegmentReading {
        var moved = self
        moved.boundaries = boundaries.map { $0 + Float(offset) }
        moved.extent = (extent.lowerBound + offset..<extent.upperBound + offset).clamped(to: range)
        return moved
    }

    /// Card speed, measured over stretches of eight cells.
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

    /// The track to report: `offset` is the samples before the segment since the last reset, `swipe` the number of the
    /// swipe.
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

/// Follows the clocking zeros beside a message as long as they are regular, so that neither noise nor another swipe
/// counts as part of its pass.
///
/// Transitions alternate in sign, and in zeros they are one cell apart. A loop locked to the message's clock predicts
/// each one, and a correlation with the message's mean pulse, in the expected sign, measures how much of a transition
/// is present.
struct ClockingZeros {
    /// Cells of zeros before and after the message, in time.
    private(set) var before = 0
    private(set) var after = 0
    /// The part of the segment that the pass occupies, in samples.
    private(set) var extent: Range<Int>

    /// Positions at which a cell around a transition is compared with the mean pulse.
    private static let places = 16
    /// Cells at each end of the message from which the clock at that end is estimated.
    private static let clockCells = 8
    /// Cells at each end of the message from which the level at that end is estimated.
    private static let levelCells = 24
    /// The shares of a transition's displacement (from its predicted time) that correct the
    /// loop's phase and its period.
    private static let phaseWeight: Float = 0.5
    private static let periodWeight: Float = 0.1
    /// The distance from its prediction within which a transition is searched, in cells.
    private static let reach: Float = 0.15
    /// The level follows the transitions by this share per cell: as fast as a card slows down, too slow for noise.
    private static let levelStep: Float = 0.01
    /// A position with less than this share of a pulse counts against the zeros continuing.
    private static let leastShare: Float = 0.5
    /// The zeros end when the shares have fallen short by this sum since the best count; a fade causes less.
    private static let maxLack: Float = 8

    /// The mean pulse, less its mean, divided by the sum of its squares.
    private var pulse: [Float] = []

    /// - Parameters:
    ///   - reading: a message.
    ///   - samples: the segment from which it was decoded.
    ///   - maxCells: the number of cells that a card can hold.
    init(beside reading: SegmentReading, in samples: Span<Float>, maxCells: Int) {
        let boundaries = reading.boundaries
        let last = boundaries.count - 1
        extent = Int(boundaries[0])..<Int(boundaries[last]) + 1
        guard last >= Self.levelCells else { return }
        var signs = Self.signs(of: reading)
        defer { signs.wipe() }
        let levels = learnPulse(samples, boundaries, signs)
        let most = max(0, maxCells - last)
        let clock = (boundaries[Self.clockCells] - boundaries[0]) / Float(Self.clockCells)
        let lateClock = (boundaries[last] - boundaries[last - Self.clockCells]) / Float(Self.clockCells)
        let level = levels.prefix(Self.levelCells).reduce(0, +) / Float(Self.levelCells)
        let lateLevel = levels.suffix(Self.levelCells).reduce(0, +) / Float(Self.levelCells)
        let start: Float
        let end: Float
        (before, start) = follow(
            samples, from: boundaries[0], step: -clock, sign: signs[0], level: level, most: most)
        (after, end) = follow(
            samples, from: boundaries[last], step: lateClock, sign: signs[last], level: lateLevel, most: most)
        extent = max(0, Int(start))..<min(samples.count, Int(end) + 1)
    }

    /// Signs of the transitions at a message's boundaries: a zero inverts the sign, and the two transitions of a one
    /// invert it twice.
    private static func signs(of reading: SegmentReading) -> [Float] {
        var bits = reading.code.bits(of: reading.values)
        defer { bits.wipe() }
        if reading.isReversed { bits.reverse() }
        var sign: Float = 1
        var signs: [Float] = []
        signs.reserveCapacity(bits.count + 1)  // growing would leave unwiped copies
        signs.append(sign)
        for bit in bits {
            if bit == 0 { sign = -sign }
            signs.append(sign)
        }
        return signs
    }

    /// Learns the mean pulse of the message; returns the share of it at each boundary.
    private mutating func learnPulse(_ samples: Span<Float>, _ boundaries: [Float], _ signs: [Float]) -> [Float] {
        let last = boundaries.count - 1
        func cell(_ index: Int) -> Float {
            let (first, final) = (max(0, index - 2), min(last, index + 2))
            return (boundaries[final] - boundaries[first]) / Float(final - first)
        }
        pulse = .init(repeating: 0, count: Self.places)
        for index in boundaries.indices {
            let step = cell(index) / Float(Self.places)
            let start = boundaries[index] - Float(Self.places - 1) / 2 * step
            for place in 0..<Self.places {
                pulse[place] += signs[index] * Self.value(samples, at: start + Float(place) * step)
            }
        }
        let mean = pulse.reduce(0, +) / Float(Self.places)
        let squares = pulse.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
        guard squares > 0 else { return .init(repeating: 0, count: boundaries.count) }
        for place in pulse.indices { pulse[place] = (pulse[place] - mean) * Float(boundaries.count) / squares }
        return boundaries.indices.map {
            signs[$0] * share(samples, at: boundaries[$0], cell: cell($0))
        }
    }

    /// Follows zeros from a transition with a given sign; `step` is the signed length of a cell. Returns the number of
    /// zeros and the time of their end.
    private func follow(
        _ samples: Span<Float>, from start: Float, step: Float, sign: Float, level: Float, most: Int
    ) -> (count: Int, end: Float) {
        guard level > 0 else { return (0, start) }
        var (time, step, sign, level) = (start, step, sign, level)
        var sum: Float = 0
        var best: (sum: Float, count: Int, end: Float) = (0, 0, start)
        for count in 1...max(1, most) where most > 0 {
            let predicted = time + step
            guard predicted >= 0, predicted < Float(samples.count) else { break }
            sign = -sign
            let offset = Self.reach * step
            let early = sign * share(samples, at: predicted - offset, cell: abs(step))
            let here = sign * share(samples, at: predicted, cell: abs(step))
            let late = sign * share(samples, at: predicted + offset, cell: abs(step))
            var displacement: Float = early > max(here, late) ? -1 : late > here ? 1 : 0
            let curvature = early - 2 * here + late
            guard curvature.isFinite else { break }
            if curvature < 0 { displacement = min(max(0.5 * (early - late) / curvature, -1), 1) }
            time = predicted + Self.phaseWeight * displacement * offset
            step += Self.periodWeight * displacement * offset
            // The value at the predicted place, not the largest of the three, which would be large in noise alone.
            sum += min(here / level, 1) - Self.leastShare
            level *= here > level ? 1 + Self.levelStep : 1 - Self.levelStep
            if sum > best.sum { best = (sum, count, time) }
            if sum < best.sum - Self.maxLack { break }
        }
        return (best.count, best.end)
    }

    /// The share of the mean pulse around a time.
    private func share(_ samples: Span<Float>, at time: Float, cell: Float) -> Float {
        let step = cell / Float(Self.places)
        let start = time - Float(Self.places - 1) / 2 * step
        var sum: Float = 0
        for place in 0..<Self.places { sum += pulse[place] * Self.value(samples, at: start + Float(place) * step) }
        return sum
    }

    /// The sound, interpolated between samples.
    private static func value(_ samples: Span<Float>, at time: Float) -> Float {
        let inside = min(max(time, 0), Float(samples.count - 1))
        let index = min(Int(inside), samples.count - 2)
        let rest = inside - Float(index)
        return samples[index] + rest * (samples[index + 1] - samples[index])
    }
}
