/// The most likely message over one view of a swipe's cells, with what speaks for and against it.
struct MessageCandidate {
    private let message: CodeTrellis.Reading
    private let isReversed: Bool
    /// How much likelier (nats) the cells of the message and around it would be if no code bound them.
    private let codeGap: Float
    /// The part of that gap outside the message: ones where zeros belong.
    private let strayGap: Float
    /// Share of the cells that the message takes.
    private let coverage: Float
    /// Times of all cell boundaries in samples of the segment, in the order of the message.
    private let boundaries: [Float]
    /// The bits as they would be read without the code, in the order of the message.
    private let freeBits: [UInt8]

    /// Margin in nats below which another message is too close.
    private static let leastMargin: Float = 8
    /// The code may overrule the sound by no more than this share of the margin.
    private static let mostDoubt: Float = 0.5
    /// Two stray ones in the noise beside a message, no more.
    private static let mostStrayGap: Float = 4.5
    /// Rounds of equalising and deciding at most.
    private static let mostRounds = 3
    private static let leastCoverage: Float = 0.2
    /// Cells looked at on both sides of a message.
    private static let surroundings = 8

    private var doubt: Float { codeGap / max(message.margin, 0.5) }

    /// Whether the message can be told to a caller.
    var isCertain: Bool {
        message.margin >= Self.leastMargin && doubt <= Self.mostDoubt && strayGap <= Self.mostStrayGap
            && coverage >= Self.leastCoverage
    }

    /// Whether no other hypothesis needs a look.
    var isBeyondDoubt: Bool { isCertain && message.margin > 12 && doubt < 0.25 }

    func isBetter(than other: Self) -> Bool {
        isCertain == other.isCertain ? doubt < other.doubt : isCertain
    }

    /// Candidates from a clock, under a light and a heavy smoothing of its boundaries.
    static func candidates(in sound: WorkingSound, clock: BitClock) -> [MessageCandidate] {
        [3, 8].compactMap { reach in
            let boundaries = clock.smoothedBoundaries(reach: reach)
            let evidence = evidence(in: sound, clock: clock, boundaries: boundaries)
            guard let (message, isReversed) = bestMessage(evidence) else { return nil }
            return MessageCandidate(
                message, isReversed: isReversed, evidence: isReversed ? evidence.reversed() : evidence,
                boundaries: (isReversed ? boundaries.reversed() : boundaries).map(sound.segmentTime))
        }
    }

    private init(_ message: CodeTrellis.Reading, isReversed: Bool, evidence: CellEvidence, boundaries: [Float]) {
        self.message = message
        self.isReversed = isReversed
        self.boundaries = boundaries
        let inside = message.startCell..<message.endCell
        let around =
            max(0, inside.lowerBound - Self.surroundings)..<min(evidence.count, inside.upperBound + Self.surroundings)
        codeGap = evidence.bestBits(in: around).score - Self.score(of: message, in: around, evidence: evidence)
        let free = evidence.bestBits(in: inside)
        strayGap = codeGap - (free.score - Self.score(of: message, in: inside, evidence: evidence))
        freeBits = free.bits
        coverage = Float(inside.count) / Float(evidence.count)
    }

    /// Equalises and decides in turn until the bits stay the same.
    static func evidence(in sound: WorkingSound, clock: BitClock, boundaries: [Float]) -> CellEvidence {
        let signal = CellPhaseSignal(sound, boundaries: boundaries)
        var bits = clock.bits
        var startSign = clock.startSign
        var rounds = 0
        while true {
            let equaliser = CellEqualiser(signal, bits: bits, startSign: startSign)
            let evidence = equaliser.evidence(for: signal)
            let decided = evidence.bestBits(in: 0..<evidence.count)
            rounds += 1
            if decided.bits == bits || rounds == mostRounds { return evidence }
            bits = decided.bits
            startSign = decided.startSign
        }
    }

    // MARK: - The whole code

    /// A lane whose bound lies this far (nats) under the best message needs no exact search.
    private static let hopeless: Float = 30

    /// The most likely message over both codes, both directions, all alignments and polarities.
    private static func bestMessage(
        _ evidence: CellEvidence
    ) -> (message: CodeTrellis.Reading, isReversed: Bool)? {
        var lanes: [(lane: CodeTrellis.Lane, trellis: CodeTrellis, isReversed: Bool)] = []
        for isReversed in [false, true] {
            let oriented = isReversed ? evidence.reversed() : evidence
            for code in CharacterCode.allCases {
                let trellis = CodeTrellis(evidence: oriented, code: code)
                lanes += trellis.lanes().map { ($0, trellis, isReversed) }
            }
        }
        lanes.sort { $0.lane.bound > $1.lane.bound }
        var best: (message: CodeTrellis.Reading, isReversed: Bool)?
        var runnerUp: Float = -1e30
        for (lane, trellis, isReversed) in lanes {
            let leader = best?.message.score ?? -1e30
            if lane.bound < leader - hopeless {
                runnerUp = max(runnerUp, lane.bound)
                break
            }
            guard let reading = trellis.bestReading(in: lane) else { continue }
            if reading.score > leader {
                runnerUp = max(runnerUp, leader, reading.score - reading.margin)
                best = (reading, isReversed)
            } else {
                runnerUp = max(runnerUp, reading.score)
            }
        }
        guard var best else { return nil }
        best.message.margin = best.message.score - runnerUp
        return best
    }

    /// Score of a message and the best strays around it, within some cells.
    private static func score(of reading: CodeTrellis.Reading, in cells: Range<Int>, evidence: CellEvidence) -> Float {
        var sign = reading.sign
        var total: Float = 0
        for (offset, bit) in reading.bits.enumerated() {
            let cell = reading.startCell + offset
            total += bit == 1 ? evidence.one(cell, sign) : evidence.zero(cell, sign)
            if bit == 0 { sign = 1 - sign }
        }
        var before: (Float, Float) = reading.sign == 0 ? (0, -1e9) : (-1e9, 0)
        for cell in stride(from: reading.startCell - 1, through: cells.lowerBound, by: -1) {
            let opensPlus = max(before.1 + evidence.zero(cell, 0), before.0 + evidence.one(cell, 0) - 2)
            let opensMinus = max(before.0 + evidence.zero(cell, 1), before.1 + evidence.one(cell, 1) - 2)
            before = (opensPlus, opensMinus)
        }
        var after: (Float, Float) = sign == 0 ? (0, -1e9) : (-1e9, 0)
        for cell in reading.endCell..<max(cells.upperBound, reading.endCell) {
            let closesPlus = max(after.1 + evidence.zero(cell, 1), after.0 + evidence.one(cell, 0) - 2)
            let closesMinus = max(after.0 + evidence.zero(cell, 0), after.1 + evidence.one(cell, 1) - 2)
            after = (closesPlus, closesMinus)
        }
        return total + max(before.0, before.1) + max(after.0, after.1)
    }

    // MARK: - The result

    /// The reading to report.
    var reading: SegmentReading {
        let width = message.code.bitsPerCharacter
        let bits = message.bits
        var repaired: [Int] = []
        var passesParity = true
        var check: UInt8 = 0
        for character in message.values.indices {
            let place = character * width..<(character + 1) * width
            if freeBits[place] != bits[place] { repaired.append(character) }
            var value: UInt8 = 0
            for (bit, cell) in place.enumerated() { value |= freeBits[cell] << UInt8(bit) }
            if value.nonzeroBitCount & 1 == 0 { passesParity = false }
            check ^= value & ((1 << UInt8(message.code.dataBits)) - 1)
        }
        var times = Array(boundaries[message.startCell...message.endCell])
        if isReversed { times.reverse() }
        let ends = [boundaries[0], boundaries[boundaries.count - 1]].sorted()
        return SegmentReading(
            code: message.code, values: message.values, isReversed: isReversed, boundaries: times,
            extent: max(0, Int(ends[0]))..<Int(ends[1]) + 1, passCells: boundaries.count - 1, tier: .strong,
            confidence: 1 - Numerics.exponential(-Double(min(message.margin - codeGap, 20))), repaired: repaired,
            passesParity: passesParity, passesLRC: check == 0)
    }
}
