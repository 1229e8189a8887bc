import JackdawBytes

/// The fast tier: peaks, intervals, bits and checks. It reports a message only if every interval of it is clear, and
/// leaves the rest to the strong tier.
struct FastDecoder {
    private var peaks = PeakFinder()
    private var intervals = IntervalDecoder()
    private var filtered: [Float] = []
    /// The bits of `intervals` in reverse order.
    private var reversedBits: [UInt8] = []

    /// Consecutive cells that are clear.
    struct Run {
        var cells = 0
        var ones = 0
        /// The part of the sound that they span, in samples.
        var extent = 0..<0
    }

    /// The run with the most ones in the last segment that was decoded without a message.
    private(set) var clearestRun = Run()

    /// The largest deviation of an interval of a proven message from its ideal, as a share of the cell. The two
    /// readings of an interval are half a cell apart, so they meet at a quarter.
    private static let maxMisfit: Float = 0.18
    /// Cells around a message that must be as clear.
    private static let margin = 3
    /// The characters of a message, LRC included, from which on its checks suffice. If a hand nearly stops, intervals
    /// within a longer message can pass the checks of fewer.
    private static let leastCharacters = 10
    /// The clocking zeros, all of them clear, that fewer characters need on both sides: data of the codes has at most 12
    /// zeros in a row, and ISO/IEC 7811-2 leaves room for 22 before a message.
    private static let zerosBesideFew = 18
    /// The least evidence of a message's checks, in bits.
    private static let leastEvidence = 36
    /// A cell that differs from the running one by more than this share is not a clocking zero.
    private static let maxZeroMisfit: Float = 0.2
    /// Cells of the message that give the cell length of the zeros next to it.
    private static let clockCells = 8
    /// Weight of a new cell in the running one.
    private static let zeroWeight: Float = 0.15
    /// Clocking zeros end at this excess of other bits over zeros.
    private static let maxOddZeros = 4

    /// Filters tried in turn: the reach of a running mean that smooths and of one that is subtracted, in seconds, 0 for
    /// no filter; and the least reversal as a share of the largest magnitude. The first is for clean sound, in which a
    /// higher reversal keeps most of the noise next to the swipe out of the intervals; the others are for deep fades.
    private static let filters: [(smooth: Double, remove: Double, leastReversal: Float)] = [
        (0, 0, 0.05), (0, 0, 0.03), (2.3e-5, 2.3e-3, 0.03), (5.6e-5, 2.3e-3, 0.03), (1.1e-4, 2.3e-3, 0.03),
    ]

    /// The proven messages of a segment in order of time, from the first filter that yields any.
    mutating func decode(_ samples: Span<Float>, sampleRate: Double) -> [SegmentReading] {
        clearestRun = Run()
        var last: (Int, Int, Float) = (-1, -1, 0)
        for filter in Self.filters {
            let reaches = (Int((filter.smooth * sampleRate).rounded()), Int((filter.remove * sampleRate).rounded()))
            guard (reaches.0, reaches.1, filter.leastReversal) != last else { continue }
            last = (reaches.0, reaches.1, filter.leastReversal)
            if reaches == (0, 0) {
                peaks.find(in: samples, leastReversal: filter.leastReversal)
            } else {
                BandFilter.apply(samples, smooth: reaches.0, remove: reaches.1, into: &filtered)
                let sound = filtered
                peaks.find(in: sound.span, leastReversal: filter.leastReversal)
            }
            for backwards in [false, true] {
                intervals.decode(peaks.times, backwards: backwards)
                let readings = proven(backwards: backwards, sampleRate: sampleRate)
                if !readings.isEmpty { return readings }
                noteClearRuns(backwards: backwards)
            }
        }
        return []
    }

    /// Overwrites the data of the last segment.
    mutating func wipe() {
        filtered.wipe()
        peaks.wipe()
        intervals.wipe()
        reversedBits.wipe()
    }

    private mutating func noteClearRuns(backwards: Bool) {
        var run = Run()
        var end: Int?
        for (index, (bit, misfit)) in zip(intervals.bits, intervals.misfits).enumerated() {
            guard misfit <= Self.maxMisfit else {
                run = Run()
                continue
            }
            run.cells += 1
            run.ones += Int(bit)
            if (run.ones, run.cells) > (clearestRun.ones, clearestRun.cells) {
                clearestRun = run
                end = index + 1
            }
        }
        guard let end else { return }
        let times = [end - clearestRun.cells, end].map { Int(time(ofBoundary: $0, backwards: backwards)) }.sorted()
        clearestRun.extent = times[0]..<times[1]
    }

    /// Time of the transition with which a bit cell begins, in samples.
    private func time(ofBoundary boundary: Int, backwards: Bool) -> Float {
        let index = Int(intervals.openings[boundary])
        return peaks.times[backwards ? peaks.times.count - 1 - index : index]
    }

    private mutating func proven(backwards: Bool, sampleRate: Double) -> [SegmentReading] {
        guard intervals.bits.count >= 20 else { return [] }
        reversedBits.wipe()
        reversedBits.append(contentsOf: intervals.bits.reversed())
        var readings: [SegmentReading] = []
        for flipped in [false, true] {
            let bits = flipped ? reversedBits : intervals.bits
            for message in MessageParser.messages(in: bits) where message.evidence >= Self.leastEvidence {
                let count = bits.count
                let range =
                    flipped ? count - message.range.upperBound..<count - message.range.lowerBound : message.range
                if let reading = reading(message, range: range, isReversed: backwards != flipped, backwards: backwards)
                {
                    readings.append(reading)
                }
            }
        }
        return readings.sorted { $0.boundaries[0] < $1.boundaries[0] }
    }

    /// The reading of a message whose bits have a range in the order of `intervals`; nil if an interval is not clear.
    private func reading(
        _ message: MessageParser.Message, range: Range<Int>, isReversed: Bool, backwards: Bool
    ) -> SegmentReading? {
        let bits = intervals.bits
        let isFew = message.values.count < Self.leastCharacters
        guard !isFew || Self.hasZeros(beside: range, bits: bits) else { return nil }
        let misfits = intervals.misfits
        let margin = isFew ? Self.zerosBesideFew : Self.margin
        let clear = max(0, range.lowerBound - margin)..<min(bits.count, range.upperBound + margin)
        let worst = misfits[clear].reduce(0, max)
        guard worst <= Self.maxMisfit else { return nil }
        let times = intervals.openings.indices.map { time(ofBoundary: $0, backwards: backwards) }
        var boundaries = Array(times[range.lowerBound...range.upperBound])
        let pass = Self.pass(around: range, bits: bits, times: times)
        if backwards { boundaries.reverse() }
        let ends = [times[pass.lowerBound], times[pass.upperBound]].sorted()
        return SegmentReading(
            code: message.code, values: message.values, isReversed: isReversed, boundaries: boundaries,
            extent: Int(ends[0])..<Int(ends[1]) + 1, passCells: pass.count, tier: .fast,
            confidence: 1 - 0.02 * Double(worst / Self.maxMisfit), repaired: [], passesParity: true, passesLRC: true)
    }

    private static func hasZeros(beside message: Range<Int>, bits: [UInt8]) -> Bool {
        let (start, end) = (message.lowerBound - zerosBesideFew, message.upperBound + zerosBesideFew)
        return start >= 0 && end <= bits.count
            && bits[start..<message.lowerBound].allSatisfy { $0 == 0 }
            && bits[message.upperBound..<end].allSatisfy { $0 == 0 }
    }

    /// The range of a message's bits with the clocking zeros on both sides; `times` are those of the bits' boundaries.
    private static func pass(around message: Range<Int>, bits: [UInt8], times: [Float]) -> Range<Int> {
        func zeros(from start: Int, step: Int, cell: Float) -> Int {
            var cell = cell
            var count = 0
            var lack = 0
            var bit = start
            while bits.indices.contains(bit), lack <= maxOddZeros {
                let length = abs(times[bit + 1] - times[bit])
                if bits[bit] == 0, abs(length - cell) < maxZeroMisfit * cell {
                    cell += zeroWeight * (length - cell)
                    lack = max(0, lack - 1)
                    if lack == 0 { count = abs(bit - start) + 1 }
                } else {
                    // A pause counts as the number of cells that it spans.
                    lack += length > cell * Float(maxOddZeros + 1) ? maxOddZeros + 1 : max(1, Int(length / cell))
                }
                bit += step
            }
            return count
        }
        let reach = min(clockCells, message.count)
        func cell(_ first: Int) -> Float { abs(times[first + reach] - times[first]) / Float(reach) }
        let before = zeros(from: message.lowerBound - 1, step: -1, cell: cell(message.lowerBound))
        let after = zeros(from: message.upperBound, step: 1, cell: cell(message.upperBound - reach))
        return message.lowerBound - before..<message.upperBound + after
    }
}

/// Finds whole messages in a sequence of bits: zeros, start sentinel, characters of odd parity, end sentinel, a
/// matching LRC, zeros.
struct MessageParser {
    /// A message that passes every check.
    struct Message {
        let code: CharacterCode
        /// Data values from start sentinel to LRC.
        @Wiped private(set) var values: [UInt8]
        /// The bits that the message occupies.
        let range: Range<Int>
        /// The independent checks that it passed, in bits: random bits pass them with a probability of about two to the
        /// minus this.
        let evidence: Int
    }

    /// Zeros that count as evidence on each side.
    private static let maxZeros = 10
    /// The least number of zeros before the start sentinel.
    private static let leastZeros = 3
    /// Bits after the LRC that must be zero, as far as there are bits.
    private static let quietAfter = 5
    private static let leastCharacters = 4

    /// All messages, in the order of their bits.
    static func messages(in bits: [UInt8]) -> [Message] {
        var found: [Message] = []
        var zeros = 0
        var index = 0
        while index < bits.count {
            if bits[index] == 0 {
                zeros += 1
                index += 1
                continue
            }
            if zeros >= leastZeros, let message = message(in: bits, at: index, zerosBefore: zeros) {
                found.append(message)
                index = message.range.upperBound
                zeros = 0
                continue
            }
            zeros = 0
            index += 1
        }
        return found
    }

    private static func message(in bits: [UInt8], at start: Int, zerosBefore: Int) -> Message? {
        for code in CharacterCode.allCases {
            if let message = message(in: bits, at: start, zerosBefore: zerosBefore, code: code) { return message }
        }
        return nil
    }

    private static func message(
        in bits: [UInt8], at start: Int, zerosBefore: Int, code: CharacterCode
    ) -> Message? {
        let width = code.bitsPerCharacter
        func character(_ place: Int) -> UInt8? {
            guard place + width <= bits.count else { return nil }
            var pattern: UInt8 = 0
            for bit in 0..<width { pattern |= bits[place + bit] << UInt8(bit) }
            guard pattern.nonzeroBitCount & 1 == 1 else { return nil }
            return pattern & ((1 << UInt8(code.dataBits)) - 1)
        }
        guard character(start) == code.startSentinel else { return nil }
        var values: [UInt8] = []
        values.reserveCapacity(code.maximumCharacters + 1)  // growing would leave unwiped copies
        // On success the values move to the message; otherwise they are wiped here.
        var message: Message?
        defer { if message == nil { values.wipe() } }
        var check: UInt8 = 0
        var place = start
        while let value = character(place), values.count < code.maximumCharacters {
            values.append(value)
            check ^= value
            place += width
            guard value == code.endSentinel else { continue }
            guard values.count + 1 >= leastCharacters, character(place) == check else { return nil }
            values.append(check)
            place += width
            let after = bits[place..<min(place + maxZeros, bits.count)].prefix { $0 == 0 }.count
            guard after >= min(quietAfter, bits.count - place) else { return nil }
            let evidence =
                2 * width + values.count + code.dataBits + min(zerosBefore, maxZeros) + after
            message = Message(code: code, values: values, range: start..<place, evidence: evidence)
            break
        }
        return message
    }
}
