import JackdawBytes

/// The cells of a message with a few beside them, and an equaliser trained on the message alone.
struct MessageView {
    /// The assumption about the cells beside a message.
    enum Surroundings {
        /// The cells of the pass that it was found in.
        case ofPass
        /// Twice as many cells of the pass: a click or a drop-out may hide the nearest ones.
        case farther
        /// Cells whose length continues to change as at the end of the message.
        case continued
    }

    /// The message's cells in the pass.
    let cells: Range<Int>
    let signal: CellPhaseSignal
    let equaliser: CellEqualiser
    /// Cell boundaries in samples of the sound.
    private let boundaries: [Float]
    /// The levels at every boundary and middle that follow from the message and zeros around it.
    @Wiped private var levels: [Float]
    private let sound: WorkingSound
    /// Cells of the view on either side of the message.
    private let reach: Int

    /// The cells nearest to a message, on either side, that show where it ends.
    static let nearReach = 10
    /// The least score of zeros beside a message, relative to its own pulses: 1 if they are as good, -1 for silence.
    private static let leastZeros: Float = 0.75
    /// The same of the nearest zeros if they are examined together with farther ones.
    private static let leastZerosNear: Float = 0.5
    /// Standard deviations by which noise may lower the score of zeros.
    private static let noiseAllowed: Float = 2.5
    /// The same for single pulses, of which there are many.
    private static let noiseAllowedOnce: Float = 3.2
    /// A pulse weaker than this, beyond the effect of noise, is in a drop-out.
    private static let faintPulse: Float = 0.5
    /// Cells within which the level falls and rises in a dip, and the least ratio.
    private static let dipReach = 40
    private static let dipDepth: Float = 1.6
    /// The largest power of silence beside a message, as a share of the power at its end.
    private static let silence: Float = 0.35
    /// The same share if there is hardly any noise, and the largest ratio of the power of silence to that of noise. A
    /// slowing hand makes the sound weaker, but not by as much.
    private static let quiet: Float = 0.02
    private static let quietNoise: Float = 8
    /// The least margin (nats) of a message at the very edge of the sound, because it may be cut.
    private static let leastMarginAtEdge: Float = 20

    init(_ found: MessageSearch.Found, in sound: WorkingSound, pass: [Float], surroundings: Surroundings) {
        let message = found.message
        cells = MessageSearch.cells(of: found, inPassOf: pass.count - 1)
        let (first, count) = (cells.lowerBound, cells.count)
        let reach = surroundings == .farther ? 2 * Self.nearReach : Self.nearReach
        let kept =
            switch surroundings {
            case .ofPass, .farther: max(0, first - reach)...min(pass.count - 1, first + count + reach)
            case .continued: first...first + count
            }
        boundaries = BitClock.extended(
            pass[kept], before: reach - (first - kept.lowerBound), after: reach - (kept.upperBound - first - count))
        self.reach = reach
        signal = CellPhaseSignal(sound, boundaries: boundaries)
        self.sound = sound

        var inside = message.bits
        var bits = [UInt8](repeating: 0, count: inside.count + 2 * reach)
        defer {
            inside.wipe()
            bits.wipe()
        }
        bits.replaceSubrange(reach..<reach + inside.count, with: inside)
        var startSign = message.sign ^ (reach & 1)
        if found.isReversed {
            // Each zero inverts the polarity.
            startSign ^= bits.count { $0 == 0 } & 1
            bits.reverse()
        }
        levels = CellEqualiser.levels(bits: bits, startSign: startSign)
        equaliser = CellEqualiser(
            signal, .init(signal, cells: reach..<reach + count), bits: bits, startSign: startSign)
    }

    /// Whether the level falls within the message or beside it, and rises again, within `dipReach` cells.
    var hasDip: Bool {
        let gains = (0...signal.count).map { signal.gains[signal.offset(ofBoundary: $0)] }
        return gains.indices.contains { index in
            let before = gains[max(0, index - Self.dipReach)...index].reduce(.infinity, min)
            let after = gains[index..<min(gains.count, index + Self.dipReach + 1)].reduce(.infinity, min)
            return gains[index] > Self.dipDepth * max(before, after)
        }
    }

    /// How well the message explains its sound.
    func fit() -> WaveformFit {
        WaveformFit(signal, levels: levels, cells: reach..<reach + cells.count)
    }

    /// The level of the pulses at each boundary: 1, and less in a drop-out, which is detected by the pulse that every
    /// boundary has. Nil if there is no drop-out.
    ///
    /// In a drop-out, a pulse that is not visible may still exist: two drop-outs that hide the same two bits in two
    /// characters would pass every check of the code.
    func pulseLevels() -> [Float]? {
        let (output, levels, usualError) = (equaliser.output, levels, equaliser.usualError)
        var pulses = (0...signal.count).map { boundary in
            let place = signal.offset(ofBoundary: boundary)
            // A pulse lost at a rail is known to be there.
            let isLost = !signal.lost.isEmpty && signal.lost[place] != 0
            return isLost ? 1 : output[place] * levels[2 * boundary]
        }
        defer { pulses.wipe() }
        var pulseLevels = [Float](repeating: 1, count: pulses.count)
        for width in [1, 2, 4, 8] {
            for first in reach...signal.count - reach - width + 1 {
                let window = first..<first + width
                let mean = pulses[window].reduce(0, +) / Float(width)
                let certainty = equaliser.certainty[signal.offset(ofBoundary: first + width / 2)]
                let noise = usualError / (certainty * Float(width)).squareRoot()
                if mean < min(Self.faintPulse, 1 - Self.noiseAllowedOnce * noise) {
                    for boundary in window { pulseLevels[boundary] = min(pulseLevels[boundary], max(mean, 0)) }
                }
            }
        }
        return pulseLevels.contains { $0 < 1 } ? pulseLevels : nil
    }

    /// The ends of a message.
    struct Ends {
        /// Whether there are clocking zeros at one end, and zeros or silence at the other. If not, the message was cut
        /// out of a longer one, or the clock is wrong. A burst of data between silences is not a card.
        let arePlain: Bool
        /// Whether there are clocking zeros at both.
        let areZeros: Bool
    }

    /// Examines the sound beside the message.
    /// - Parameters:
    ///   - margin: the message's margin, in nats.
    ///   - evidence: the evidence of the message's equaliser for the view's cells.
    /// - Returns: what is at both ends.
    func ends(margin: Float, evidence: CellEvidence) -> Ends {
        let (near, start, end) = (Self.nearReach, reach, reach + cells.count)
        let sides = [
            Side(
                nearest: start - near..<start, inside: start..<start + near, all: 0..<start,
                isCut: boundaries[start - near / 2] < 0),
            Side(
                nearest: end..<end + near, inside: end - near..<end, all: end..<end + reach,
                isCut: boundaries[end + near / 2] > Float(sound.samples.count)),
        ]
        func areZeros(_ cells: Range<Int>) -> Bool {
            zeros(in: cells) >= Self.leastZeros
                && evidence.doubtOfZeros(in: cells, startSign: levels[2 * cells.lowerBound] > 0 ? 0 : 1)
                    <= MessageCandidate.maxDoubt * margin
        }
        let hasZeros = sides.map { side in
            areZeros(side.nearest) || zeros(in: side.nearest) >= Self.leastZerosNear && areZeros(side.all)
        }
        let arePlain =
            hasZeros.contains(true)
            && zip(sides, hasZeros).allSatisfy { side, hasZeros in hasZeros || isSilent(side, margin: margin) }
        return Ends(arePlain: arePlain, areZeros: !hasZeros.contains(false))
    }

    /// The cells on one side of the message.
    private struct Side {
        /// The cells nearest to the message.
        let nearest: Range<Int>
        /// As many cells inside the message, next to those.
        let inside: Range<Int>
        /// All cells of the view on this side.
        let all: Range<Int>
        /// Whether at least half of the nearest cells are outside the sound.
        let isCut: Bool
    }

    private func isSilent(_ side: Side, margin: Float) -> Bool {
        guard !side.isCut else { return margin >= Self.leastMarginAtEdge }
        let (outside, inside) = (power(of: side.nearest), power(of: side.inside))
        return outside <= Self.silence * inside
            && outside <= max(Self.quietNoise * noise(in: side.inside), Self.quiet * inside)
            && !soundGoesOn(beyond: side)
    }

    /// Whether, after the cells beside the message, there is sound again as loud as at the message's end.
    private func soundGoesOn(beyond side: Side) -> Bool {
        let samples = sound.samples
        func place(_ boundary: Int) -> Int { Int(min(max(boundaries[boundary], 0), Float(samples.count))) }
        func power(_ range: Range<Int>) -> Float {
            samples[range].reduce(0) { $0 + $1 * $1 } / Float(max(range.count, 1))
        }
        let inside = place(side.inside.lowerBound)..<place(side.inside.upperBound)
        let block = max(inside.count, 1)
        let limit = Self.silence * power(inside)
        let beyond =
            side.nearest.lowerBound < side.inside.lowerBound
            ? 0..<place(side.nearest.lowerBound) : place(side.nearest.upperBound)..<samples.count
        return stride(from: beyond.lowerBound, to: beyond.upperBound - block + 1, by: block).contains { start in
            power(start..<start + block) > limit
        }
    }

    /// Median power of noise in some cells, before the amplitude was levelled.
    private func noise(in cells: Range<Int>) -> Float {
        let expected = cells.map { cell in
            let place = signal.offset(ofBoundary: cell)
            return 1 / (equaliser.certainty[place] * signal.gains[place] * signal.gains[place])
        }
        return expected.sorted()[expected.count / 2] * equaliser.usualError * equaliser.usualError
    }

    /// Score of zeros in some cells, relative to the score expected for pulses as clear as the message's own.
    private func zeros(in outside: Range<Int>) -> Float {
        let (output, levels) = (equaliser.output, levels)
        var score: Float = 0
        var certainty: Float = 1e-9
        // The boundary next to the message belongs to the message.
        for boundary in outside.lowerBound < reach ? outside : outside.lowerBound + 1..<outside.upperBound + 1 {
            let place = signal.offset(ofBoundary: boundary)
            score += (output[place] * levels[2 * boundary] - 0.5) * equaliser.certainty[place]
            certainty += equaliser.certainty[place]
        }
        // The certainty determines both the mean and the variance of the score.
        return score / (0.5 * certainty) + Self.noiseAllowed * 2 / certainty.squareRoot()
    }

    /// Median power of some cells after the equaliser.
    private func power(of cells: Range<Int>) -> Float {
        cells.map { equaliser.power(ofCell: $0, signal) }.sorted()[cells.count / 2]
    }
}
