/// Says how far a swipe that cannot be accepted can be read, and which check it fails first.
enum FailureDiagnosis {
    /// What makes a message worth telling of, in bits: the chance of random bits looking so at a given place is two to the
    /// minus this, and there are a thousand places.
    private static let leastEvidence = 20
    /// Zeros before the start sentinel that count as evidence.
    private static let mostZeros = 10
    /// A bit that is surer than its opposite by less than this (nats) makes its character uncertain.
    private static let leastMargin: Float = 3

    /// The longest readable message in one code and direction.
    private struct Attempt {
        let code: CharacterCode
        let isReversed: Bool
        let zerosBefore: Int
        @Wiped var values: [UInt8] = []
        /// Whether each character has the right parity and none but sure bits.
        var isGood: [Bool] = []
        var hasEnd = false
        var passesLRC = false
        var parityErrors = 0

        /// Good characters before the first bad one: a cell too many or too few spoils all that follow it.
        var goodCharacters: Int { isGood.prefix { $0 }.count }

        /// Zeros, the data bits of the start sentinel and the parity of each good character.
        var evidence: Int {
            goodCharacters == 0 ? 0 : min(zerosBefore, mostZeros) + code.dataBits + goodCharacters
        }
    }

    static func diagnose(_ evidence: CellEvidence, boundaries: [Float]) -> SegmentFailure {
        let free = evidence.bestBits(in: 0..<evidence.count)
        let bits = free.bits
        @Wiped var reversed = bits.reversed()
        let margins = evidence.bitMargins()
        let range = Int(max(0, boundaries[0]))..<Int(max(1, boundaries[boundaries.count - 1])) + 1
        var failure = SegmentFailure(reason: .noStartSentinel, range: range)
        failure.bits = bits
        failure.boundaries = boundaries
        let attempts = CharacterCode.allCases.flatMap { code in
            [false, true].compactMap { isReversed in
                attempt(
                    code: code, bits: isReversed ? reversed : bits,
                    margins: isReversed ? margins.reversed() : margins, isReversed: isReversed)
            }
        }
        guard let best = attempts.max(by: { $0.evidence < $1.evidence }), best.evidence >= leastEvidence else {
            return failure
        }
        failure.code = best.code
        failure.isReversed = best.isReversed
        failure.characters = zip(best.values, best.isGood).map { $1 ? best.code.ascii($0) : 0 }
        failure.reason =
            best.parityErrors > 0 ? .parity : !best.hasEnd ? .noEndSentinel : best.passesLRC ? .ambiguous : .lrc
        return failure
    }

    private static func attempt(
        code: CharacterCode, bits: [UInt8], margins: [Float], isReversed: Bool
    ) -> Attempt? {
        let width = code.bitsPerCharacter
        let sentinel = code.pattern(of: code.startSentinel)
        var best: Attempt?
        for start in 0..<max(0, bits.count - width) where pattern(bits, start, width) == sentinel {
            let zeros = bits[..<start].reversed().prefix { $0 == 0 }.count
            var attempt = Attempt(code: code, isReversed: isReversed, zerosBefore: zeros)
            attempt.values.reserveCapacity(code.maximumCharacters)  // growing would leave unwiped copies behind
            var check: UInt8 = 0
            var place = start
            while place + width <= bits.count, attempt.values.count < code.maximumCharacters {
                let word = pattern(bits, place, width)
                let value = word & ((1 << UInt8(code.dataBits)) - 1)
                let isOdd = word.nonzeroBitCount & 1 == 1
                let isSure = margins[place..<place + width].allSatisfy { $0 >= leastMargin }
                place += width
                check ^= value
                if attempt.hasEnd {
                    attempt.passesLRC = check == 0 && isOdd
                    break
                }
                attempt.values.append(value)
                attempt.isGood.append(isOdd && isSure)
                if !isOdd { attempt.parityErrors += 1 }
                if value == code.endSentinel, isOdd { attempt.hasEnd = true }
            }
            if attempt.evidence > (best?.evidence ?? .min) { best = attempt }
        }
        return best
    }

    private static func pattern(_ bits: [UInt8], _ start: Int, _ width: Int) -> UInt8 {
        var word: UInt8 = 0
        for bit in 0..<width { word |= bits[start + bit] << UInt8(bit) }
        return word
    }
}
