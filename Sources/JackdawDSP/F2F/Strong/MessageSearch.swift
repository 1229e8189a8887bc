import JackdawBytes

/// The most likely message over the cells of a clock.
enum MessageSearch {
    /// A message, and whether it runs against time.
    typealias Found = (message: CodeTrellis.Reading, isReversed: Bool)

    /// Rounds of equalising and deciding, at most.
    private static let maxRounds = 3
    /// A lane of the trellis is not searched if the upper bound of its scores is this far
    /// (nats) below the best message.
    private static let hopeless: Float = 16

    /// The cells of a message in the order of time, in a pass with a number of cells.
    static func cells(of found: Found, inPassOf count: Int) -> Range<Int> {
        let (start, end) = (found.message.startCell, found.message.endCell)
        return found.isReversed ? count - end..<count - start : start..<end
    }

    /// Equalises and decides in turn until the bits no longer change.
    static func evidence(in signal: CellPhaseSignal, clock: BitClock) -> CellEvidence {
        @Wiped var bits = clock.bits
        var startSign = clock.startSign
        let lessons = CellEqualiser.Lessons(signal)
        var rounds = 0
        while true {
            let equaliser = CellEqualiser(signal, lessons, bits: bits, startSign: startSign)
            let evidence = equaliser.evidence(for: signal)
            let decided = evidence.bestBits(in: 0..<evidence.count)
            rounds += 1
            if decided.bits == bits || rounds == maxRounds { return evidence }
            bits = decided.bits
            startSign = decided.startSign
        }
    }

    /// The most likely message over both codes, both directions, all alignments and polarities.
    /// - Parameters:
    ///   - evidence: the cells.
    ///   - leastMargin: the margin (nats) below which a message does not count; default: any counts.
    /// - Returns: the message; nil if there is none.
    static func bestMessage(_ evidence: CellEvidence, leastMargin: Float = -.infinity) -> Found? {
        var trellises: [CodeTrellis] = []
        defer { for index in trellises.indices { trellises[index].wipe() } }
        var lanes: [(lane: CodeTrellis.Lane, trellis: Int, isReversed: Bool)] = []
        for isReversed in [false, true] {
            let oriented = isReversed ? evidence.reversed() : evidence
            var patterns = CodeTrellis.patternScores(oriented)
            defer { patterns.wipe() }
            for code in CharacterCode.allCases {
                let trellis = CodeTrellis(evidence: oriented, patterns: patterns, code: code)
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
            // Two messages are close, and none of the others can be far above both.
            if leader - runnerUp < leastMargin, lane.bound - leader < leastMargin { return nil }
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
        return best.message.margin >= leastMargin ? best : nil
    }
}

/// A message that was found in a swipe, examined alone: over its own cells and a few beside them, with an equaliser
/// trained on the message itself. The decision is then not fitted to an alternative message.
struct MessageCandidate {
    private let message: CodeTrellis.Reading
    private let isReversed: Bool
    /// The log-likelihood (nats) by which its cells would be likelier without the constraint of the code.
    private let codeGap: Float
    /// The bits as decoded without the code, in the order of the message.
    private let free: CellEvidence.Bits
    /// The sound beside both ends.
    private let ends: MessageView.Ends
    /// Whether it can be reported to a caller: all of `isConvincing`, and the sound matches it throughout.
    private(set) var isCertain = false
    /// Whether the sound matches it in every stretch in which the level has fallen.
    private let matchesSound: Bool
    /// Share of the pass's cells that the message occupies.
    private let coverage: Float
    private let passCells: Int
    /// Times in samples of the segment, ascending: of the message's cell boundaries, and of both ends of the pass.
    private let boundaries: [Float]
    private let extent: ClosedRange<Float>
    /// Whether the level falls within the message and rises again: in a drop-out, or because the hand nearly stops.
    private let hasDip: Bool
    /// Whether the message is a small part of the pass, and data as loud as its own lie in the rest.
    private let leavesData: Bool

    /// The margin (nats) below which another message is too close.
    private static let leastMargin: Float = 9.5
    /// The same for a message with fewer characters than `shortMessage`, LRC included: it has few checks, and a slip of
    /// the clock makes one of a part of a longer message. A payment card with 16 digits has 27 or more.
    private static let leastMarginOfShort: Float = 20
    private static let shortMessage = 26
    /// The same for a message that no other look confirms. In clipped sound, two drop-outs that hide the same bits in
    /// two characters can leave a margin of 13 nats.
    private static let leastMarginAlone: Float = 20
    /// The same for a message that looks of two kinds find, without a rival. If the margins are right, one message in
    /// 400 is wrong at this one.
    private static let leastMarginAgreed: Float = 6
    /// Added to the margin (nats) that is left if weak pulses count only by their level. That margin is too small: a
    /// weak pulse in a drop-out is still a pulse, and its missing part also has information.
    private static let marginSpared: Float = 1.5
    /// The code may overrule the sound by no more than this share of the margin, and so may zeros beside the message.
    static let maxDoubt: Float = 0.35
    private static let maxDoubtOfRival: Float = 1
    private static let leastCoverage: Float = 0.2
    /// The share below which data in the rest of the pass may be the other part of the message: if a hand nearly stops
    /// between, what the clock makes of it can pass for zeros. Noise has fainter data.
    private static let usualCoverage: Float = 0.45
    private static let leastLevelOfData: Float = 0.7
    /// The least number of clocking zeros before a message; ISO/IEC 7811-2 leaves room for 22 and 61.
    private static let leadingZeros = 18
    /// The log-likelihood (nats) by which other bits may exceed the zeros, at most.
    private static let maxDoubtOfZeros: Float = 12
    /// Cells on either side of a message within which no data may be: a second pass of the card is farther away, because
    /// both have their clocking zeros. A one counts from this margin (nats) on, and a few of them may be clicks.
    private static let dataReach = 40
    private static let leastMarginOfOne: Float = 3
    private static let maxOnes = 4
    /// Changes from one character to the next that suffice in a message of any length.
    private static let leastChanges = 6
    /// The margin (nats) in the first pass from which a message is examined alone.
    private static let leastPromise: Float = 4
    /// The margin (nats) above which and the doubt below which a message ends the search. It is so far within the
    /// limits of certainty that other rates and filters would waste time.
    private static let marginBeyondDoubt: Float = 12
    private static let doubtBeyondDoubt: Float = 0.25
    /// The least margin by which a code gap is divided, so that a margin near zero does not make the doubt infinite.
    private static let leastDoubtedMargin: Float = 0.5
    /// Cells to either side over which the boundaries are smoothed: few if the card's speed changes fast, many if noise
    /// displaces them.
    private static let smoothings = [3, 8]
    /// The largest certainty (nats), so that the confidence stays below 1.
    private static let maxSurety: Float = 20

    private var doubt: Float { codeGap / max(message.margin, Self.leastDoubtedMargin) }

    /// Whether no other message on the same clock comes close.
    private func isConvincing(leastMargin: Float) -> Bool {
        message.margin >= (isShort ? Self.leastMarginOfShort : leastMargin) && doubt <= Self.maxDoubt
            && ends.arePlain && coverage >= Self.leastCoverage && hasVariety
    }

    /// Whether it meets all conditions with less margin, and may be reported if looks of two kinds find it and no look
    /// finds a rival.
    var isNearlyCertain: Bool { matchesSound && !mayBePart && isConvincing(leastMargin: Self.leastMarginAgreed) }

    /// Whether it has few characters, and thus few checks.
    var isShort: Bool { message.values.count < Self.shortMessage }

    /// Whether no other message comes near, far beyond the limits of certainty.
    private var isClear: Bool { isBeyondDoubt && message.margin >= Self.leastMarginAlone }

    /// Whether it may be a part of a longer message, or has few checks.
    private var mayBePart: Bool { isShort || !ends.areZeros || leavesData }

    /// Whether it could be wrong although no other message on the same clock comes close: clipping hides drop-outs, a
    /// clock can slip while the level falls, and a message without zeros at one end, or with data beside it, may be a
    /// part of a longer one. Then other versions of the sound and other clocks must agree.
    func needsConfirmation(in samples: [Float]) -> Bool { hasDip || mayBePart || Rails(of: samples).exist }

    /// Whether it is right unless another look contradicts it: only its level falls, as in a drop-out.
    func standsUncontradicted(in samples: [Float]) -> Bool {
        isClear && !mayBePart && !Rails(of: samples).exist
    }

    /// Whether a second search may report it without another look that agrees: its level does not fall, zeros lie at
    /// both ends, and no other message comes near.
    var standsAlone: Bool { isClear && !mayBePart && !hasDip }

    /// Whether another look that is certain of it may count this one. With less margin, drop-outs may hide the same
    /// bits of two characters; if its clock does not match the sound, it is no evidence.
    var isPromising: Bool { message.margin >= Self.leastPromise && matchesSound }

    /// Whether it may be the true message instead of another one. If the code overruled the sound by more than the
    /// margin over the next message, none of the messages on that clock is likely.
    var isRival: Bool { isPromising && doubt <= Self.maxDoubtOfRival }

    func isSameMessage(as other: Self) -> Bool {
        message.code == other.message.code && message.values == other.message.values && isReversed == other.isReversed
    }

    /// Whether its characters change often enough. Data of other codes idles in long repetitions of one pattern, which
    /// pass every check of a card's code.
    private var hasVariety: Bool {
        let changes = zip(message.values, message.values.dropFirst()).count { $0 != $1 }
        return changes >= Self.leastChanges || 2 * changes >= message.values.count
    }

    /// Whether no other hypothesis needs to be tried.
    var isBeyondDoubt: Bool {
        isCertain && message.margin > Self.marginBeyondDoubt && doubt < Self.doubtBeyondDoubt
    }

    func isBetter(than other: Self) -> Bool {
        isCertain == other.isCertain ? doubt < other.doubt : isCertain
    }

    /// Candidates from a clock, with a light and a heavy smoothing of its boundaries.
    static func candidates(in sound: WorkingSound, clock: BitClock) -> some Sequence<MessageCandidate> {
        smoothings.lazy.compactMap { reach in
            let boundaries = clock.smoothedBoundaries(reach: reach)
            let signal = CellPhaseSignal(sound, boundaries: boundaries)
            let evidence = MessageSearch.evidence(in: signal, clock: clock)
            guard let found = MessageSearch.bestMessage(evidence, leastMargin: leastPromise),
                isWhole(found, in: evidence)
            else { return nil }
            let leavesData = leavesData(found, in: evidence, signal)
            func candidate(_ surroundings: MessageView.Surroundings) -> MessageCandidate? {
                .init(found, in: sound, pass: boundaries, surroundings: surroundings, leavesData: leavesData)
            }
            // Outside the message the clock may be wrong; it may then continue there with the rate at the message's
            // ends. Or a click or a drop-out may hide the nearest zeros.
            let asFound = candidate(.ofPass)
            guard let asFound, !asFound.ends.arePlain else { return asFound }
            let continued = candidate(.continued)
            if continued?.ends.arePlain ?? false { return continued }
            let farther = candidate(.farther)
            return farther?.ends.arePlain ?? false ? farther : continued
        }
    }

    /// Whether the farther ones of the cells that every card leaves before its message contain zeros, or nothing that
    /// can be decoded, and no data follows on either side. Bits there belong to a longer message, of which a drop-out
    /// or a slip of the clock hid the part between.
    private static func isWhole(_ found: MessageSearch.Found, in evidence: CellEvidence) -> Bool {
        let oriented = found.isReversed ? evidence.reversed() : evidence
        let (start, end) = (found.message.startCell, found.message.endCell)
        let far = max(0, start - leadingZeros)..<max(0, start - MessageView.nearReach)
        guard far.isEmpty || oriented.doubtOfZeros(in: far) <= maxDoubtOfZeros else { return false }
        let before = max(0, start - dataReach)..<max(0, start - MessageView.nearReach)
        let after = min(oriented.count, end + MessageView.nearReach)..<min(oriented.count, end + dataReach)
        @Wiped var bits = oriented.bestBits(in: 0..<oriented.count).bits
        let margins = oriented.bitMargins()
        return [before, after].allSatisfy { cells in
            cells.count { bits[$0] == 1 && margins[$0] >= leastMarginOfOne } <= maxOnes
        }
    }

    /// Whether a message is a small part of its pass, and ones as clear and as loud as its own lie more than
    /// `MessageView.nearReach` cells away from it.
    private static func leavesData(
        _ found: MessageSearch.Found, in evidence: CellEvidence, _ signal: CellPhaseSignal
    ) -> Bool {
        let cells = MessageSearch.cells(of: found, inPassOf: evidence.count)
        guard Float(cells.count) < usualCoverage * Float(evidence.count) else { return false }
        func gain(_ cell: Int) -> Float { signal.gains[signal.offset(ofBoundary: cell)] }
        let gains = cells.map(gain).sorted()
        let mostGain = gains[gains.count / 2] / leastLevelOfData
        @Wiped var bits = evidence.bestBits(in: 0..<evidence.count).bits
        let margins = evidence.bitMargins()
        let before = 0..<max(0, cells.lowerBound - MessageView.nearReach)
        let after = min(evidence.count, cells.upperBound + MessageView.nearReach)..<evidence.count
        return [before, after].contains { beside in
            beside.count { bits[$0] == 1 && margins[$0] >= leastMarginOfOne && gain($0) < mostGain } > maxOnes
        }
    }

    private init?(
        _ found: MessageSearch.Found, in sound: WorkingSound, pass: [Float], surroundings: MessageView.Surroundings,
        leavesData: Bool
    ) {
        let view = MessageView(found, in: sound, pass: pass, surroundings: surroundings)
        let evidence = view.equaliser.evidence(for: view.signal)
        guard var again = Self.sameMessage(as: found, in: evidence) else { return nil }
        if let pulseLevels = view.pulseLevels() {
            let doubtful = view.equaliser.evidence(for: view.signal, pulseLevels: pulseLevels)
            guard let counterpart = Self.sameMessage(as: found, in: doubtful) else { return nil }
            again.message.margin = min(again.message.margin, counterpart.message.margin + Self.marginSpared)
        }
        message = again.message
        isReversed = again.isReversed
        let oriented = isReversed ? evidence.reversed() : evidence
        free = oriented.bestBits(in: message.startCell..<message.endCell)
        codeGap = free.score - Self.score(of: message, evidence: oriented)
        ends = view.ends(margin: message.margin, evidence: evidence)
        passCells = pass.count - 1
        coverage = Float(view.cells.count) / Float(passCells)
        boundaries = pass[view.cells.lowerBound...view.cells.upperBound].map(sound.segmentTime)
        extent = sound.segmentTime(pass[0])...sound.segmentTime(pass[passCells])
        hasDip = view.hasDip
        self.leavesData = leavesData
        matchesSound = message.margin >= Self.leastPromise && view.fit().holdsWhereFaint
        isCertain = isConvincing(leastMargin: Self.leastMargin) && matchesSound
    }

    /// The most likely message, if it is the one that was found before.
    private static func sameMessage(as found: MessageSearch.Found, in evidence: CellEvidence) -> MessageSearch.Found? {
        guard let again = MessageSearch.bestMessage(evidence), again.isReversed == found.isReversed,
            again.message.values == found.message.values
        else { return nil }
        return again
    }

    /// Score of the message's own cells.
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

    /// The reading to report for this candidate.
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
            confidence: 1 - Numerics.exponential(-Double(min(message.margin - codeGap, Self.maxSurety))),
            repaired: repaired, passesParity: passesParity, passesLRC: check == 0)
    }
}
