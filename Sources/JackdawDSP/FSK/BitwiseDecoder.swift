import JackdawBytes

/// The fast tier of frequency shift keying: decides bit by bit which tone is louder.
///
/// It decodes a stretch of the line only if all of it is beyond doubt: every bit is much louder in one tone than in the
/// other, all are about equally loud, every character has its start and stop bit, and between characters there is only
/// the mark. Everything else is left to the ``SequenceDecoder``.
struct BitwiseDecoder: Sendable {
    private let filters: ToneFilters
    private let shift: FrequencyShift
    private let sampleRate: Double
    private let samplesPerBit: Double
    private let bitCount: Int
    /// The least number of bits from one character to the next.
    private let bitsPerCharacter: Double
    /// Whether the stop bit is longer than one bit.
    private let isStopLong: Bool

    /// Bit rate relative to the nominal one.
    private(set) var clock = 1.0
    /// The state of the line at the start of the next stretch.
    private var beginning = Beginning.unknown
    private var turns: ToneOffset
    /// The last bit of mark in a character.
    private var lastMark = Line.Window(place: 0, measure: .init(parts: .zero))
    /// Power of the other tone within runs of one tone, in which it is only noise, and the number of bits measured.
    private var noise = (power: Float.zero, bits: Float.zero)
    /// The same over all bits: more than noise if tones change, but the only measure until a byte has runs.
    private var leak = (power: Float.zero, bits: Float.zero)

    /// The least power of a bit's tone over that of the other one.
    private static let leastRatio: Float = 3
    /// The largest power of a stretch's strongest bit over that of its weakest.
    private static let maxFading: Float = 4
    /// One step of 16-bit sound, as a power: a weaker signal is no carrier.
    private static let leastPower: Float = 1 / 32_768 / 32_768
    /// The largest difference (bits) between the start of a character and the time expected after the one before it.
    private static let maxSlip = 0.3
    /// Gains with which the start of characters and the clock are followed.
    private static let slipGain = 0.5
    private static let clockGain = 0.2
    private static let clocks = 0.94...1.06
    /// Bits that are compared with those before them, to estimate the tones' frequencies and the noise.
    private static let listened = [2, 5, 8]
    /// The number of such bits that suffices.
    private static let tellingBits: Float = 12
    /// Characters after a rest that make it worth starting again there.
    private static let leastCharacters = 2
    /// Bits by which a stop bit may be shorter than nominal.
    private static let shortStop = 0.25

    /// The known state of the line at the start of a stretch.
    enum Beginning: Sendable {
        /// Nothing is known.
        case unknown
        /// The line rests at the mark.
        case mark
        /// A character ends with a shortened stop bit, and another one may follow.
        case stopBit
    }

    /// Creates a decoder at the start of a recording; nil if a bit is too short to distinguish the tones in it alone.
    init?(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double) {
        samplesPerBit = sampleRate / shift.baud
        let (mark, space) = (shift.mark / sampleRate, shift.space / sampleRate)
        // If the shorter length suffices, a window lies within its bit at any position between two samples.
        let lengths = [Int(samplesPerBit.rounded(.up)) - 1, Int(samplesPerBit.rounded(.up))]
        let candidates = lengths.lazy.compactMap { ToneFilters(mark: mark, space: space, length: $0) }
        guard let filters = candidates.first else { return nil }
        self.filters = filters
        self.shift = shift
        self.sampleRate = sampleRate
        turns = ToneOffset(mark: mark, space: space, samplesPerBit: samplesPerBit, clocks: Self.clocks)
        bitCount = framing.bitsBeforeStop - 1
        isStopLong = framing.stopBits != .one
        bitsPerCharacter = Double(framing.bitsBeforeStop) + framing.stopBits.rawValue
    }

    mutating func reset() {
        forgetBurst()
        beginning = .unknown
        lastMark = Line.Window(place: 0, measure: .init(parts: .zero))
    }

    /// Ends the burst: the next one may have another clock and other tones.
    mutating func forgetBurst() {
        clock = 1
        turns.reset()
        noise = (0, 0)
        leak = (0, 0)
    }

    /// Continues after a stretch that the other tier decoded.
    mutating func follow(clock: Double, beginning: Beginning) {
        self.clock = min(max(clock, Self.clocks.lowerBound), Self.clocks.upperBound)
        self.beginning = beginning
    }

    /// Frequencies of space and mark in Hz; nil until the burst has enough data.
    var frequencies: SIMD2<Double>? {
        guard noise.bits >= Self.tellingBits else { return nil }
        let offsets = turns.offsets
        return SIMD2(shift.space + offsets.space * sampleRate, shift.mark + offsets.mark * sampleRate)
    }

    /// Decodes the characters that begin before a time, if all of the stretch is clear.
    /// - Parameters:
    ///   - sound: the recording, from some time before the stretch.
    ///   - base: index of the stretch in it.
    ///   - offset: time from there at which the stretch begins, 0 to 1 sample.
    ///   - limit: end of the stretch as a time from there, in samples.
    ///   - readings: the result: the characters that were decoded.
    /// - Returns: the time up to which everything is decoded; nil if a part is not clear.
    mutating func read(
        _ sound: Span<Float>, at base: Int, from offset: Double, before limit: Double,
        readings: inout [SequenceDecoder.Reading]
    ) -> Double? {
        readings.removeAll(keepingCapacity: true)
        guard offset < limit else { return nil }
        let before = (clock, turns, noise, leak, beginning)
        let end = unsafe sound.withUnsafeBufferPointer { sound in
            var line = unsafe Line(
                sound: sound, base: base, limit: Int(limit), filters: filters, samplesPerBit: samplesPerBit)
            let end = unsafe read(&line, from: offset, before: limit, &readings)
            return unsafe line.isEven ? end : nil
        }
        guard let end else {
            (clock, turns, noise, leak, beginning) = before
            return nil
        }
        weigh(&readings)
        return end
    }

    /// The time in a stretch at which the line begins to rest clearly, if everything from there on is clear and
    /// contains some characters.
    /// - Parameters: the same as for ``read(_:at:from:before:readings:)``.
    /// - Returns: the time; nil if there is no such time.
    func restBeforeClearCharacters(
        _ sound: Span<Float>, at base: Int, from offset: Double, before limit: Double,
        readings: inout [SequenceDecoder.Reading]
    ) -> Double? {
        let rest: Double? = unsafe sound.withUnsafeBufferPointer { sound in
            var line = unsafe Line(
                sound: sound, base: base, limit: Int(limit), filters: filters, samplesPerBit: samplesPerBit)
            let length = Int(bitsPerCharacter.rounded(.up))
            var first = 0
            // From the last bit of a possible rest to its first: one without a mark rules out all up to itself.
            while offset + Double(first + length - 1) * samplesPerBit < limit {
                let unclear = (first..<first + length).last { bit in
                    guard let window = unsafe line.window(at: offset + Double(bit) * samplesPerBit) else { return true }
                    return unsafe !line.acceptsMark(window)
                }
                guard let unclear else { return offset + Double(first) * samplesPerBit }
                first = unclear + 1
            }
            return nil
        }
        guard let rest else { return nil }
        var trial = self
        trial.reset()
        let whole = rest.rounded(.down)
        let end = trial.read(
            sound, at: base + Int(whole), from: rest - whole, before: limit - whole, readings: &readings)
        return end != nil && readings.count >= Self.leastCharacters ? rest : nil
    }

    private mutating func read(
        _ line: inout Line, from offset: Double, before limit: Double, _ readings: inout [SequenceDecoder.Reading]
    ) -> Double? {
        var position = offset
        // Before the first character the line must rest for the length of one; otherwise any space could be a start
        // bit.
        var rest = beginning == .unknown ? 0 : bitsPerCharacter
        var isBehindCharacter = beginning == .stopBit
        if isBehindCharacter {
            position += Self.shortStop * samplesPerBit / clock
            guard let mark = unsafe line.window(at: position - samplesPerBit / clock) else { return nil }
            lastMark = mark
        }
        while position < limit {
            guard let window = unsafe line.window(at: position) else { return nil }
            if unsafe line.acceptsMark(window) {
                position += samplesPerBit / clock
                rest += 1
                isBehindCharacter = false
                while unsafe line.rests(from: position, step: samplesPerBit / clock, before: limit) {
                    position += Double(ToneFilters.together) * samplesPerBit / clock
                    rest += Double(ToneFilters.together)
                }
                continue
            }
            guard rest >= bitsPerCharacter else { return nil }
            if isBehindCharacter, isStopLong {
                guard let stop = unsafe line.window(at: position - samplesPerBit / clock),
                    unsafe line.acceptsMark(stop)
                else { return nil }
                lastMark = stop
            }
            var start: Double
            if isBehindCharacter, let edge = edge(from: lastMark, to: window) {
                let slip = (edge - position) / samplesPerBit
                guard abs(slip) < Self.maxSlip else { return nil }
                start = position + Self.slipGain * slip * samplesPerBit
                clock *= 1 - Self.clockGain * slip / bitsPerCharacter
                clock = min(max(clock, Self.clocks.lowerBound), Self.clocks.upperBound)
            } else {
                guard let edge = unsafe edge(in: window, line) else { return nil }
                start = edge
            }
            guard start < limit else { break }
            guard let reading = unsafe read(&line, characterAt: start, window) else { return nil }
            readings.growWiping(toHold: readings.count + 1)
            readings.append(reading)
            position = start + bitsPerCharacter * samplesPerBit / clock
            isBehindCharacter = true
        }
        beginning = isBehindCharacter ? .stopBit : .mark
        return isBehindCharacter ? position - Self.shortStop * samplesPerBit / clock : position
    }

    /// The time in a window at which the mark ends: first from the mark's share of the window, then twice from the
    /// phases of the bit before and the bit after.
    private func edge(in window: Line.Window, _ line: borrowing Line) -> Double? {
        var edge = unsafe line.edge(in: window)
        for _ in 0..<2 {
            guard let mark = unsafe line.window(at: edge - samplesPerBit), let space = unsafe line.window(at: edge),
                let better = self.edge(from: mark, to: space)
            else { return nil }
            edge = better
        }
        return edge
    }

    /// The time at which the mark of one window turned to the space of another: when their phases are the same.
    private func edge(from mark: Line.Window, to space: Line.Window) -> Double? {
        guard let turn = turns.expected(samples: space.place - mark.place) else { return nil }
        // The mark's phase at the start of the space's window, extrapolated from the first window.
        let parts = mark.measure.parts.lowHalf
        let carried = ToneFilters.Measure(parts: SIMD4(lowHalf: .zero, highHalf: parts))
        let ahead = space.measure.turn(beyond: carried, SIMD4(lowHalf: .zero, highHalf: turn.lowHalf))
        let angle = Numerics.angle(SIMD2(ahead.real.y, ahead.imaginary.y))
        return Double(space.place) - Double(angle) * sampleRate / (shift.space - shift.mark)
    }

    /// Decodes one character.
    /// - Parameters:
    ///   - line: the sound of the stretch.
    ///   - start: time at which its start bit begins.
    ///   - known: a window that was already measured near there.
    /// - Returns: the character; nil if it is not clear.
    private mutating func read(
        _ line: inout Line, characterAt start: Double, _ known: Line.Window
    ) -> SequenceDecoder.Reading? {
        let step = samplesPerBit / clock
        let count = bitCount + 2
        let place = unsafe line.place(of: start)
        guard let first = unsafe place == known.place ? known : line.window(at: place) else { return nil }
        // Elements beyond the character's bits stay copies of the start bit and are not read.
        var windows = InlineArray<16, Line.Window>(repeating: first)
        var powers = InlineArray<16, SIMD2<Float>>(repeating: first.measure.powers)
        for index in 1..<count {
            guard let window = unsafe line.window(at: line.place(of: start + Double(index) * step)) else { return nil }
            windows[index] = window
            powers[index] = window.measure.powers
        }
        var bits: UInt16 = 0
        for index in 0..<count { bits |= (powers[index].x > powers[index].y ? 1 : 0) << UInt16(index) }
        let (mark, space) = SIMD16.columns(powers)
        let own = SIMD16.larger(mark, space)
        let other = SIMD16.smaller(mark, space)
        let isStop = bits >> UInt16(count - 1) & 1 == 1
        guard bits & 1 == 0, isStop, unsafe line.accepts(own, other) else { return nil }
        lastMark = windows[count - 1]
        for index in Self.listened where index < count {
            // Within a run of one tone, the phase gives its frequency, and the power of the other tone is noise.
            let pair = bits >> UInt16(index - 1) & 3
            guard pair == 0 || pair == 3 else { continue }
            turns.add(
                from: windows[index - 1].measure, to: windows[index].measure,
                samples: windows[index].place - windows[index - 1].place,
                weights: pair == 3 ? SIMD2(1, 0) : SIMD2(0, 1))
            noise.power += other[index]
            noise.bits += 1
        }
        let unused = Float(16 - count) * own[0]
        leak.power += other.sum() - Float(16 - count) * other[0]
        leak.bits += Float(count)
        return .init(
            bits: bits >> 1 & (1 << UInt16(bitCount) - 1), start: start,
            end: start + (bitsPerCharacter - Self.shortStop) * step, likelihoods: other / own,
            evidence: .init(
                amplitude: ((own.sum() - unused) / Float(count)).squareRoot(), noise: 0, bitEnergyToNoise: 0),
            ownEvidence: 0)
    }

    /// Sets the noise level of each character, and the likelihood of its bits.
    private func weigh(_ readings: inout [SequenceDecoder.Reading]) {
        let noise = noise.bits >= Self.tellingBits ? noise : leak
        let variance = max(noise.power / (filters.noise * max(noise.bits, 1)), 1e-12)
        for index in readings.indices {
            let amplitude = readings[index].evidence.amplitude
            let ratio = amplitude * amplitude * Float(samplesPerBit) / (4 * variance)
            readings[index].evidence = .init(amplitude: amplitude, noise: variance, bitEnergyToNoise: ratio)
            readings[index].ownEvidence = ratio
            readings[index].likelihoods = 2 * ratio * (1 - readings[index].likelihoods.squareRoot())
        }
    }

    /// The sound of a stretch, and the levels of its tones.
    @unsafe
    private struct Line {
        private let sound: UnsafeBufferPointer<Float>
        private let base: Int
        private let filters: ToneFilters
        private let mean: Float
        /// Samples by which a bit extends beyond its window, on either side.
        private let margin: Double
        /// Powers of the strongest bit and of the weakest one, the latter negative, so that both are stored and loaded
        /// as one vector.
        private var extremes = SIMD2<Float>(0, -.infinity)

        init(sound: UnsafeBufferPointer<Float>, base: Int, limit: Int, filters: ToneFilters, samplesPerBit: Double) {
            unsafe self.sound = unsafe sound
            unsafe self.base = base
            unsafe self.filters = filters
            unsafe margin = (samplesPerBit - Double(filters.length)) / 2
            unsafe mean = unsafe Self.mean(
                of: UnsafeBufferPointer(rebasing: sound[base..<min(sound.count, base + limit)]))
        }

        private static func mean(of samples: UnsafeBufferPointer<Float>) -> Float {
            var sums = SIMD8<Float>.zero
            let bytes = UnsafeRawBufferPointer(samples)
            for start in stride(from: 0, to: samples.count & ~7, by: 8) {
                sums += unsafe bytes.loadUnaligned(fromByteOffset: 4 * start, as: SIMD8<Float>.self)
            }
            return sums.sum() / Float(max(samples.count & ~7, 1))
        }

        /// Whether all bits are about equally loud, and above the least power.
        var isEven: Bool {
            let (strongest, weakest) = unsafe (extremes.x, -extremes.y)
            return weakest > leastPower && strongest <= maxFading * weakest
        }

        /// A window and its measurement.
        struct Window {
            let place: Int
            let measure: ToneFilters.Measure
        }

        /// The index of the first sample in the window of a bit that starts at this time.
        @inline(__always)
        func place(of time: Double) -> Int {
            // Adds half a sample and truncates: rounding would be a library call.
            unsafe Int(Double(base) + time + (margin + 0.5)) - base
        }

        /// The window at an index; nil beyond the sound.
        @inline(__always)
        func window(at place: Int) -> Window? {
            guard unsafe base + place >= 0, unsafe base + place + filters.reach <= sound.count else { return nil }
            return unsafe Window(
                place: place, measure: filters.measure(sound.baseAddress! + base + place, mean: mean))
        }

        /// The window of a bit that starts at a time; nil beyond the sound.
        @inline(__always)
        func window(at time: Double) -> Window? { unsafe window(at: place(of: time)) }

        /// Whether a window holds the mark beyond doubt.
        @inline(__always)
        mutating func acceptsMark(_ window: Window) -> Bool {
            let powers = window.measure.powers
            guard powers.x > leastRatio * powers.y else { return false }
            unsafe extremes = pointwiseMax(extremes, SIMD2(powers.x, -powers.x))
            return true
        }

        /// Whether four bits, all of them before a time, hold the mark beyond doubt. Only short ones are examined
        /// together: for long ones it saves nothing.
        /// - Parameters:
        ///   - time: time at which the first bit starts.
        ///   - step: samples from one bit to the next.
        ///   - limit: time in samples.
        /// - Returns: false if the bits must be examined one by one.
        @inline(__always)
        mutating func rests(from time: Double, step: Double, before limit: Double) -> Bool {
            guard unsafe filters.length <= ToneFilters.shortLength, time + Double(ToneFilters.together) * step < limit
            else { return false }
            // Fixed-point integers of 2^-32 samples: this loop is hot enough for each conversion to count.
            let first = unsafe Int((Double(base) + time + (margin + 0.5)) * 0x1p32)
            let next = Int(step * 0x1p32)
            let places = SIMD4(first, first &+ next, first &+ 2 &* next, first &+ 3 &* next) &>> 32
            guard places.x >= 0, unsafe places.w + filters.reach <= sound.count else { return false }
            let (mark, space) = unsafe filters.powers(sound.baseAddress!, at: places, mean: mean)
            guard all(mark .> leastRatio * space) else { return false }
            unsafe extremes = pointwiseMax(extremes, SIMD2(mark.max(), -mark.min()))
            return true
        }

        /// Whether all bits hold one tone beyond doubt, given the powers of their own tone and of the other one.
        @inline(__always)
        mutating func accepts(_ own: SIMD16<Float>, _ other: SIMD16<Float>) -> Bool {
            guard all(own .>= leastRatio * other) else { return false }
            unsafe extremes = pointwiseMax(extremes, SIMD2(own.largest, (-own).largest))
            return true
        }

        /// The time in a window at which the mark ends, from the shares of mark and space.
        func edge(in window: Window) -> Double {
            let amplitudes = window.measure.powers.squareRoot()
            let share = Double(amplitudes.x / max(amplitudes.sum(), .leastNormalMagnitude))
            return unsafe Double(window.place) + share * Double(filters.length)
        }
    }
}
