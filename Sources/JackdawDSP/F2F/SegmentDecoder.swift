/// Reads every message in a segment of sound: the fast tier first, the strong one on what is left, until nothing is left
/// that could be a swipe.
struct SegmentDecoder: Sendable {
    /// What a segment held.
    struct Findings {
        var readings: [SegmentReading] = []
        var failures: [SegmentFailure] = []
    }

    private let sampleRate: Double
    private let usesStrongTier: Bool
    private var fast = FastDecoder()
    private var strong = StrongDecoder()
    /// Of the segment being decoded.
    private var levels = LevelProfile([Float]().span, sampleRate: 44_100)

    /// Stretches shorter than this hold no swipe, in seconds.
    private static let shortest = 0.04
    /// Bit cells that look like a swipe cut short rather than like noise or the clocking zeros of a neighbour: so many in
    /// a row, so many ones among them.
    private static let leastCells = 40
    private static let leastOnes = 8
    /// Clear bit cells that are too few for a pass of a card where nothing else lies beside them, and more in a row than
    /// noise makes (19 at most in 640 bursts of it). The strong tier, which asks for 40 with its ends cut, finds none in them.
    private static let scrapCells = 24..<48
    /// Certain characters in a row that tell as much where the fast tier sees nothing.
    private static let leastCharacters = 8
    /// A stretch beside a swipe in which the fast tier sees no bit cells must hold sound for this share of its time to be
    /// worth the strong tier: two passes of one card under one hand differ by less.
    private static let leastTimeShare = 0.25
    /// Zeros behind a message that show it to be whole; every card has twenty or more at either end (ISO 7811-2).
    private static let zerosAtEnd = 10
    /// Messages sought in one segment at most; bounds the time.
    private static let mostMessages = 16

    init(sampleRate: Double, usesStrongTier: Bool) {
        self.sampleRate = sampleRate
        self.usesStrongTier = usesStrongTier
    }

    /// Forgets the segments so far: a recording is read alike whatever came before it.
    mutating func reset() {
        strong.reset()
    }

    mutating func decode(_ samples: Span<Float>) -> Findings {
        var findings = Findings()
        levels = LevelProfile(samples, sampleRate: sampleRate)
        let whole = 0..<samples.count
        if !decodeFast(samples, in: whole, &findings) {
            decodeStrongly(samples, in: whole, beside: nil, &findings)
        }
        findings.readings.sort { $0.boundaries[0] < $1.boundaries[0] }
        return findings
    }

    /// Reads what may be the beginning of a segment only. A hand that hesitates in mid-message leaves silence behind it too: what
    /// counts is a message with the card's clocking zeros behind it.
    /// - Returns: nil where no such message is read: nothing is known of it then, and the tiers are as before.
    mutating func decodeEarly(_ samples: Span<Float>) -> Findings? {
        let before = strong
        let findings = decode(samples)
        if !findings.readings.isEmpty, findings.readings.allSatisfy({ $0.zerosBehind(in: samples) >= Self.zerosAtEnd })
        {
            return findings
        }
        strong = before
        return nil
    }

    /// Adds what the fast tier reads and what lies beside it; false if it reads nothing.
    private mutating func decodeFast(_ samples: Span<Float>, in range: Range<Int>, _ findings: inout Findings) -> Bool {
        let readings = fast.decode(samples.extracting(range), sampleRate: sampleRate)
            .map { $0.moved(by: range.lowerBound, within: range).measured(in: samples) }
        fast.wipe()
        guard let last = readings.last else { return false }
        findings.readings += readings
        var start = range.lowerBound
        for reading in readings {
            look(at: start..<max(start, reading.extent.lowerBound), beside: reading, samples, &findings)
            start = max(start, reading.extent.upperBound)
        }
        look(at: start..<max(start, range.upperBound), beside: last, samples, &findings)
        return true
    }

    /// Looks for more beside a reading. Without its louder, faster or slower neighbour the fast tier may read what it did
    /// not read beside it.
    private mutating func look(
        at range: Range<Int>, beside reading: SegmentReading, _ samples: Span<Float>, _ findings: inout Findings
    ) {
        guard Double(levels.sound(in: range, beside: reading.extent)) >= Self.shortest * sampleRate,
            !decodeFast(samples, in: range, &findings)
        else { return }
        decodeStrongly(samples, in: range, beside: reading, &findings)
    }

    private mutating func decodeStrongly(
        _ samples: Span<Float>, in range: Range<Int>, beside neighbour: SegmentReading?, _ findings: inout Findings
    ) {
        let run = fast.clearestRun
        let hasCells = run.cells >= Self.leastCells && run.ones >= Self.leastOnes
        if let neighbour {
            let sound = levels.soundAboveNoise(in: range)
            guard hasCells || Double(sound) >= Double(neighbour.extent.count) * Self.leastTimeShare else { return }
        }
        let place = run.extent.lowerBound + range.lowerBound..<run.extent.upperBound + range.lowerBound
        let isScrap = Self.scrapCells.contains(run.cells) && levels.isAlone(place, in: range)
        guard usesStrongTier, findings.readings.count < Self.mostMessages else {
            if neighbour == nil || hasCells {
                let reason: SwipeFailure.Reason = isScrap ? .tooShort : hasCells ? .unproven : .noBitCells
                findings.failures.append(SegmentFailure(reason: reason, range: range))
            }
            return
        }
        guard Double(range.count) >= Self.shortest * sampleRate else {
            findings.failures.append(SegmentFailure(reason: .tooShort, range: range))
            return
        }
        // The strong tier needs the room, and a decoder of another channel may want it next.
        fast = FastDecoder()
        var sound: [Float] = []
        sound.reserveCapacity(range.count)
        for index in range { sound.append(samples[index]) }
        let outcome = strong.decode(sound, sampleRate: sampleRate)
        sound.wipe()
        switch outcome {
        case .success(let found):
            let reading = found.moved(by: range.lowerBound, within: range).measured(in: samples)
            findings.readings.append(reading)
            let extent = reading.extent.clamped(to: range)
            look(at: range.lowerBound..<extent.lowerBound, beside: reading, samples, &findings)
            look(at: extent.upperBound..<range.upperBound, beside: reading, samples, &findings)
        case .failure(var failure):
            guard neighbour == nil || hasCells || Self.isSwipe(failure) else { return }
            if isScrap, failure.reason == .noBitCells { failure.reason = .tooShort }
            findings.failures.append(failure.moved(by: range.lowerBound))
        }
    }

    /// Whether a failure beside a swipe is one of its own, rather than the noise and the clocking zeros around that: it has
    /// enough of a message, or bit cells clear of the noise that hold both ones and zeros. Where noise breaks off a stretch of
    /// a swipe's clocking zeros, all bits are the same: ones, if it is read at half its rate.
    private static func isSwipe(_ failure: SegmentFailure) -> Bool {
        if failure.reason == .noStartSentinel {
            let ones = failure.bits.count { $0 == 1 }
            return min(ones, failure.bits.count - ones) >= leastOnes
        }
        return (failure.characters.firstIndex(of: 0) ?? failure.characters.count) >= leastCharacters
    }
}

/// How loud a segment is, window after window, and how loud its noise: tells where beside a swipe there is more to look at.
struct LevelProfile {
    /// Mean powers of the windows behind a first difference, which hum and offsets do not reach.
    private let powers: [Float]
    private let window: Int
    /// Power of the quietest window: noise, unless the segment is nothing but swipes.
    private let floor: Float
    /// How many times the floor no window of noise is, but by chance.
    private let noiseRatio: Float

    private static let windowSeconds = 0.02
    /// The difference is taken over half a period of this, in Hz.
    private static let frequency = 12_600.0
    /// Standard deviations of a window's power by which noise may exceed its quietest window.
    private static let noiseScatters: Float = 8
    /// A quietest window with more than this share of a swipe's power may be a swipe itself.
    private static let mostNoiseShare: Float = 0.1
    /// A tenth of another one's speed, without an integrating amplifier, leaves more of its power than this.
    private static let leastShare: Float = 0.002

    init(_ samples: Span<Float>, sampleRate: Double) {
        window = max(8, Int(sampleRate * Self.windowSeconds) / 8 * 8)
        noiseRatio = 1 + Self.noiseScatters * (2 / Float(window)).squareRoot()
        let delay = max(1, Int((sampleRate / Self.frequency).rounded()))
        let window = window
        powers = stride(from: delay, through: samples.count - window, by: window).map { start in
            Self.power(samples.extracting(start - delay..<start + window), delay: delay)
        }
        floor = powers.min() ?? 0
    }

    private static func power(_ sound: Span<Float>, delay: Int) -> Float {
        unsafe sound.withUnsafeBytes { bytes in
            let base = bytes.baseAddress!
            let count = sound.count - delay
            var sums = SIMD8<Float>.zero
            for index in stride(from: 0, to: count, by: 8) {
                let before = unsafe base.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
                let here = unsafe base.loadUnaligned(fromByteOffset: 4 &* (index &+ delay), as: SIMD8<Float>.self)
                sums += (here - before) * (here - before)
            }
            return sums.sum() / Float(count)
        }
    }

    /// Samples in windows of a range that could hold a swipe beside another one, however much slower or faster it is.
    func sound(in range: Range<Int>, beside neighbour: Range<Int>) -> Int {
        let level = mean(neighbour)
        let least = max(min(floor, Self.mostNoiseShare * level) * noiseRatio, Self.leastShare * level)
        return windows(range).count { $0 > least } * window
    }

    /// Samples in windows of a range that hold more than noise as strong as in the quietest of them.
    func soundAboveNoise(in range: Range<Int>) -> Int {
        let windows = windows(range)
        let floor = windows.min() ?? 0
        return windows.count { $0 > floor * noiseRatio } * window
    }

    /// Whether all of a range but a part of it is far below that part.
    func isAlone(_ part: Range<Int>, in range: Range<Int>) -> Bool {
        // The windows that the part begins and ends in belong to it.
        let first = part.lowerBound / window * window
        let end = (part.upperBound / window + 1) * window
        let before = range.lowerBound..<max(range.lowerBound, first)
        let after = min(range.upperBound, end)..<range.upperBound
        let rest = windows(before) + windows(after)
        let loudest = windows(first..<end).max() ?? 0
        return rest.reduce(0, +) <= Self.mostNoiseShare * loudest * Float(rest.count)
    }

    private func windows(_ range: Range<Int>) -> ArraySlice<Float> {
        let first = min((range.lowerBound + window - 1) / window, powers.count)
        return powers[first..<max(first, min(range.upperBound / window, powers.count))]
    }

    private func mean(_ range: Range<Int>) -> Float {
        let powers = windows(range)
        return powers.isEmpty ? 0 : powers.reduce(0, +) / Float(powers.count)
    }
}
