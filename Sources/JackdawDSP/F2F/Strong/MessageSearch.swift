/// The most likely message over the cells of a clock.
enum MessageSearch {
    /// A message, and whether it runs against time.
    typealias Found = (message: CodeTrellis.Reading, isReversed: Bool)

    /// Rounds of equalising and deciding at most.
    private static let mostRounds = 3
    /// A lane whose bound lies this far (nats) under the best message needs no exact search.
    private static let hopeless: Float = 16

    /// Equalises and decides in turn until the bits stay the same.
    static func evidence(in signal: CellPhaseSignal, clock: BitClock) -> CellEvidence {
        @Wiped var bits = clock.bits
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

    /// The most likely message over both codes, both directions, all alignments and polarities.
    static func bestMessage(_ evidence: CellEvidence) -> Found? {
        var trellises: [CodeTrellis] = []
        defer { for index in trellises.indices { trellises[index].wipe() } }
        var lanes: [(lane: CodeTrellis.Lane, trellis: Int, isReversed: Bool)] = []
        for isReversed in [false, true] {
            let oriented = isReversed ? evidence.reversed() : evidence
            for code in CharacterCode.allCases {
                let trellis = CodeTrellis(evidence: oriented, code: code)
                lanes += trellis.lanes().map { ($0, trellises.count, isReversed) }
                trellises.append(trellis)
            }
        }
        lanes.sort { $0.lane.bound > $1.lane.bound }
        var best: Found?
        var runnerUp: Float = -1e30
        for (lane, trellis, isReversed) in lanes {
            let leader = best?.message.score ?? -1e30
            if lane.bound < leader - hopeless {
                runnerUp = max(runnerUp, lane.bound)
                break
            }
            guard let reading = trellises[trellis].bestReading(in: lane) else { continue }
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
}

/// A message that was found in a swipe, looked at alone: over its own cells and a few beside them, through an equaliser that
/// it taught itself. What decides on it so is not fitted to what it might have been instead.
struct MessageCandidate {
    private let message: CodeTrellis.Reading
    private let isReversed: Bool
    /// How much likelier (nats) its cells would be if no code bound them.
    private let codeGap: Float
    /// The bits as they would be read without the code, in the order of the message.
    private let free: CellEvidence.Bits
    /// Whether zeros or silence lie at both ends.
    private let endsPlainly: Bool
    /// Whether it can be told to a caller: all of `isConvincing`, and the sound looks like it throughout.
    private(set) var isCertain = false
    /// Share of the pass's cells that the message takes.
    private let coverage: Float
    private let passCells: Int
    /// Times in samples of the segment, rising: of the message's cell boundaries, and of both ends of the pass.
    private let boundaries: [Float]
    private let extent: ClosedRange<Float>

    /// Margin in nats below which another message is too close.
    private static let leastMargin: Float = 9.5
    /// How much less of a margin (nats) is asked for where pulses in a drop-out count for what is seen of them: what is left
    /// out is not all that they tell.
    private static let marginSpared: Float = 1.5
    /// The code may overrule the sound by no more than this share of the margin, and so may zeros beside the message.
    static let mostDoubt: Float = 0.35
    private static let leastCoverage: Float = 0.2
    /// Clocking zeros before a message, at least, of the 22 and 61 that ISO/IEC 7811-2 leaves room for.
    private static let leadingZeros = 18
    /// How much likelier (nats) other bits may be in their place, at most.
    private static let mostDoubtOfZeros: Float = 12
    /// Changes from one character to the next that are enough in a message of any length.
    private static let leastChanges = 6
    /// Margin (nats) at first sight from which a message gets a look of its own.
    private static let leastPromise: Float = 4
    /// Margin (nats) above which and doubt below which a message ends the search: so far within the limits of certainty
    /// that a look at other rates and through other filters would be time lost.
    private static let marginBeyondDoubt: Float = 12
    private static let doubtBeyondDoubt: Float = 0.25
    /// A gap in the code counts against a margin of this at least, so that no margin near zero makes it endless.
    private static let leastDoubtedMargin: Float = 0.5
    /// Cells to either side over which the boundaries are smoothed: few where the hand changes its speed fast, many where
    /// noise moves them.
    private static let smoothings = [3, 8]
    /// Nothing is surer than this (nats): the confidence stays below 1.
    private static let mostSurety: Float = 20

    private var doubt: Float { codeGap / max(message.margin, Self.leastDoubtedMargin) }

    /// Whether no other message on the same clock comes near.
    private var isConvincing: Bool {
        message.margin >= Self.leastMargin && doubt <= Self.mostDoubt && endsPlainly && coverage >= Self.leastCoverage
            && hasVariety
    }

    /// Whether its characters change often enough. Data of other codes idles in long runs of one pattern, and such a run passes
    /// every check of a card's code.
    private var hasVariety: Bool {
        let changes = zip(message.values, message.values.dropFirst()).count { $0 != $1 }
        return changes >= Self.leastChanges || 2 * changes >= message.values.count
    }

    /// Whether no other hypothesis needs a look.
    var isBeyondDoubt: Bool {
        isCertain && message.margin > Self.marginBeyondDoubt && doubt < Self.doubtBeyondDoubt
    }

    func isBetter(than other: Self) -> Bool {
        isCertain == other.isCertain ? doubt < other.doubt : isCertain
    }

    /// Candidates from a clock, under a light and a heavy smoothing of its boundaries.
    static func candidates(in sound: WorkingSound, clock: BitClock) -> some Sequence<MessageCandidate> {
        smoothings.lazy.compactMap { reach in
            let boundaries = clock.smoothedBoundaries(reach: reach)
            let evidence = MessageSearch.evidence(in: CellPhaseSignal(sound, boundaries: boundaries), clock: clock)
            guard let found = MessageSearch.bestMessage(evidence), found.message.margin >= leastPromise,
                followsZeros(found, in: evidence)
            else { return nil }
            // Beside the message the clock may have gone astray; then it may go on there as it ran at the end.
            let candidate = MessageCandidate(found, in: sound, pass: boundaries, surroundings: .ofPass)
            guard let candidate, !candidate.endsPlainly else { return candidate }
            return MessageCandidate(found, in: sound, pass: boundaries, surroundings: .continued)
        }
    }

    /// Whether zeros, or nothing that can be told, lie in the farther ones of the cells that every card leaves before its
    /// message. Bits there are those of a longer message, of which a drop-out hid what lies between.
    private static func followsZeros(_ found: MessageSearch.Found, in evidence: CellEvidence) -> Bool {
        let oriented = found.isReversed ? evidence.reversed() : evidence
        let start = found.message.startCell
        let far = max(0, start - leadingZeros)..<max(0, start - MessageView.reach)
        return far.isEmpty || oriented.doubtOfZeros(in: far) <= mostDoubtOfZeros
    }

    private init?(
        _ found: MessageSearch.Found, in sound: WorkingSound, pass: [Float], surroundings: MessageView.Surroundings
    ) {
        let view = MessageView(found, in: sound, pass: pass, surroundings: surroundings)
        let evidence = view.equaliser.evidence(for: view.signal)
        guard var again = Self.sameMessage(as: found, in: evidence) else { return nil }
        if let pulseLevels = view.pulseLevels() {
            let doubtful = view.equaliser.evidence(for: view.signal, pulseLevels: pulseLevels)
            guard let told = Self.sameMessage(as: found, in: doubtful) else { return nil }
            again.message.margin = min(again.message.margin, told.message.margin + Self.marginSpared)
        }
        message = again.message
        isReversed = again.isReversed
        let oriented = isReversed ? evidence.reversed() : evidence
        free = oriented.bestBits(in: message.startCell..<message.endCell)
        codeGap = free.score - Self.score(of: message, evidence: oriented)
        endsPlainly = view.endsPlainly(margin: message.margin, evidence: evidence)
        passCells = pass.count - 1
        coverage = Float(view.cells.count) / Float(passCells)
        boundaries = pass[view.cells.lowerBound...view.cells.upperBound].map(sound.segmentTime)
        extent = sound.segmentTime(pass[0])...sound.segmentTime(pass[passCells])
        isCertain = isConvincing && view.fit().holdsWhereFaint
    }

    /// The most likely message where it is one that was found before.
    private static func sameMessage(as found: MessageSearch.Found, in evidence: CellEvidence) -> MessageSearch.Found? {
        guard let again = MessageSearch.bestMessage(evidence), again.isReversed == found.isReversed,
            again.message.values == found.message.values
        else { return nil }
        return again
    }

    /// Score of a message's own cells.
    private static func score(of reading: CodeTrellis.Reading, evidence: CellEvidence) -> Float {
        let scores = evidence.scores
        var bits = reading.bits
        defer { bits.wipe() }
        var sign = reading.sign
        var total: Float = 0
        for (offset, bit) in bits.enumerated() {
            let cell = reading.startCell + offset
            total += bit == 1 ? scores.one(cell, sign) : scores.zero(cell, sign)
            if bit == 0 { sign = 1 - sign }
        }
        return total
    }

    /// The reading to report.
    var reading: SegmentReading {
        let width = message.code.bitsPerCharacter
        let freeBits = free.bits
        var bits = message.bits
        defer { bits.wipe() }
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
        return SegmentReading(
            code: message.code, values: message.values, isReversed: isReversed, boundaries: boundaries,
            extent: max(0, Int(extent.lowerBound))..<Int(extent.upperBound) + 1, passCells: passCells, tier: .strong,
            confidence: 1 - Numerics.exponential(-Double(min(message.margin - codeGap, Self.mostSurety))),
            repaired: repaired, passesParity: passesParity, passesLRC: check == 0)
    }
}
