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
