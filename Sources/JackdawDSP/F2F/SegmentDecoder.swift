import JackdawBytes

/// Decodes every message in a segment of sound: the fast tier first, then the strong one on the rest, until no part is
/// left that could be a swipe.
struct SegmentDecoder: Sendable {
    /// The messages and failures of a segment.
    struct Findings {
        var readings: [SegmentReading] = []
        var failures: [SegmentFailure] = []
    }

    /// A look at a pause, with which the look at the whole segment begins if it covers the same sound.
    private struct LookAtPause {
        let look: SegmentLook
        var findings = Findings()
        /// The search of the strong tier, if it proved no message.
        var progress = StrongDecoder.Progress()
        var searches: [SearchPatience.Search] = []
    }

    private let sampleRate: Double
    private let usesStrongTier: Bool
    private var fast = FastDecoder()
    private var strong = StrongDecoder()
    /// The last look at a pause, until its segment ends.
    private var lookAtPause: LookAtPause?
    /// The levels of the segment being decoded.
    private var levels = LevelProfile([Float]().span, sampleRate: 44_100)

    /// The shortest stretch that can hold a swipe, in seconds.
    private static let shortest = 0.04
    /// Bit cells that look like an incomplete swipe, unlike noise or the clocking zeros of a neighbour: the least
    /// number in a row, and of ones among them.
    private static let leastCells = 40
    private static let leastOnes = 8
    /// Clear bit cells that are too few for a pass of a card if there is no other sound beside them, but more in a row
    /// than noise makes (19 at most in 640 bursts of it). The strong tier, which requires 40 after cutting the ends,
    /// finds no cells in them.
    private static let scrapCells = 24..<48
    /// Certain characters in a row that are equivalent evidence if the fast tier finds no bit cells.
    private static let leastCharacters = 8
    /// If the fast tier finds no bit cells in a stretch beside a swipe, it must hold sound for this share of the
    /// swipe's time to be worth the strong tier: two passes of one card by the same hand differ by less.
    private static let leastTimeShare = 0.25
    /// Zeros after a message that show it to be complete; every card has twenty or more at either end (ISO 7811-2).
    private static let zerosAtEnd = 10
    /// Messages in one segment at most; limits the time.
    private static let maxMessages = 16

    init(sampleRate: Double, usesStrongTier: Bool) {
        self.sampleRate = sampleRate
        self.usesStrongTier = usesStrongTier
    }

    /// Discards the state of earlier segments, so that a recording is decoded independently of those before it.
    mutating func reset() {
        strong.reset()
        dropSound()
    }

    /// Overwrites the sound that is kept between the looks at a segment.
    mutating func dropSound() { lookAtPause = nil }

    /// How thoroughly the next segment will be searched.
    var patience: SearchPatience {
        get { strong.patience }
        set { strong.patience = newValue }
    }

    /// Decodes a segment, or its sound until a pause.
    ///
    /// If a hand hesitates in mid-message, silence follows that too. So in a segment that may be incomplete, only a
    /// message followed by the card's clocking zeros counts.
    /// - Parameters:
    ///   - look: the position of the samples, and whether the segment may be incomplete.
    ///   - samples: the samples of the look; after a pause that ends the segment, also the silence after them.
    /// - Returns: the findings, or none if no message counts in a segment that may be incomplete; its searches are not
    ///   counted then.
    mutating func look(_ look: SegmentLook, at samples: Span<Float>) -> DecodedLook {
        let earlier = lookAtPause.flatMap { !look.isEarly && $0.look.covers(look) ? $0 : nil }
        lookAtPause = nil
        if let earlier, !earlier.findings.readings.isEmpty, let after = patience.repeating(earlier.searches) {
            patience = after
            return DecodedLook(findings: earlier.findings, searches: earlier.searches)
        }
        patience.begin()
        var progress = earlier?.progress ?? .init()
        let findings = decode(samples, look, &progress)
        let searches = patience.searches
        guard look.isEarly else { return DecodedLook(findings: findings, searches: searches) }
        if !findings.readings.isEmpty, findings.readings.allSatisfy({ $0.zerosBehind(in: samples) >= Self.zerosAtEnd })
        {
            return DecodedLook(findings: findings, searches: searches)
        }
        patience.takeBack()
        lookAtPause = LookAtPause(look: look, findings: findings, progress: progress, searches: searches)
        return DecodedLook(findings: nil, searches: searches)
    }

    /// Counts the searches of a look that another decoder has taken.
    /// - Returns: whether this decoder would have searched likewise; otherwise nothing is counted.
    mutating func take(_ look: DecodedLook, isEarly: Bool) -> Bool {
        guard let after = patience.repeating(look.searches) else { return false }
        if !isEarly || look.findings != nil { patience = after }
        return true
    }

    private mutating func decode(
        _ samples: Span<Float>, _ look: SegmentLook, _ progress: inout StrongDecoder.Progress
    ) -> Findings {
        var findings = Findings()
        levels = LevelProfile(samples.extracting(..<look.count), sampleRate: sampleRate)
        if !decodeFast(samples, in: 0..<look.count, &findings) {
            decodeStrongly(
                samples, in: 0..<look.count, beside: nil, effort: look.isEarly ? .atPause : .full, &progress, &findings)
        }
        findings.readings.sort { $0.boundaries[0] < $1.boundaries[0] }
        return findings
    }

    /// Adds the readings of the fast tier, and those found beside them; false if it reads no message.
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

    /// Searches for more beside a reading. Without its louder, faster or slower neighbour in the sound, the fast tier
    /// may now read a message that it missed before.
    private mutating func look(
        at range: Range<Int>, beside reading: SegmentReading, _ samples: Span<Float>, _ findings: inout Findings
    ) {
        guard Double(levels.sound(in: range, beside: reading.extent)) >= Self.shortest * sampleRate,
            !decodeFast(samples, in: range, &findings)
        else { return }
        var progress = StrongDecoder.Progress()
        decodeStrongly(samples, in: range, beside: reading, effort: .besideMessage, &progress, &findings)
    }

    private mutating func decodeStrongly(
        _ samples: Span<Float>, in range: Range<Int>, beside neighbour: SegmentReading?, effort: StrongDecoder.Effort,
        _ progress: inout StrongDecoder.Progress, _ findings: inout Findings
    ) {
        let run = fast.clearestRun
        let hasCells = run.cells >= Self.leastCells && run.ones >= Self.leastOnes
        if let neighbour {
            let sound = levels.soundAboveNoise(in: range)
            guard hasCells || Double(sound) >= Double(neighbour.extent.count) * Self.leastTimeShare else { return }
        }
        let place = run.extent.lowerBound + range.lowerBound..<run.extent.upperBound + range.lowerBound
        let isScrap = Self.scrapCells.contains(run.cells) && levels.isAlone(place, in: range)
        guard usesStrongTier, findings.readings.count < Self.maxMessages else {
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
        // Frees the fast tier's memory: the strong tier needs it, and a decoder of another channel may need it next.
        fast = FastDecoder()
        var sound = Self.copy(samples.extracting(range))
        var silence = effort == .full ? Self.copy(samples.extracting(range.upperBound...)) : []
        let outcome = strong.decode(sound, before: silence, sampleRate: sampleRate, effort: effort, &progress)
        sound.wipe()
        silence.wipe()
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

    private static func copy(_ samples: Span<Float>) -> [Float] {
        var copy: [Float] = []
        copy.reserveCapacity(samples.count)
        for index in samples.indices { copy.append(samples[index]) }
        return copy
    }

    /// Whether a failure beside a swipe is a swipe of its own, and not the noise and the clocking zeros around its
    /// neighbour: it has enough of a message, or clear bit cells with both ones and zeros. If noise separates a stretch
    /// of a swipe's clocking zeros, all its bits are the same: ones, if it is read at half its rate.
    private static func isSwipe(_ failure: SegmentFailure) -> Bool {
        if failure.reason == .noStartSentinel {
            let ones = failure.bits.count { $0 == 1 }
            return min(ones, failure.bits.count - ones) >= leastOnes
        }
        return (failure.characters.firstIndex(of: 0) ?? failure.characters.count) >= leastCharacters
    }
}

/// The level of a segment per window, and the level of its noise. It shows which parts beside a swipe are worth another
/// search.
struct LevelProfile {
    /// Mean powers of the windows after a first difference, which removes hum and offsets.
    private let powers: [Float]
    private let window: Int
    /// Power of the quietest window: noise, unless swipes fill the whole segment.
    private let floor: Float
    /// The ratio to the floor that a window of noise exceeds only by chance.
    private let noiseRatio: Float

    private static let windowSeconds = 0.02
    /// The difference is taken over half a period of this, in Hz.
    private static let frequency = 12_600.0
    /// Standard deviations of a window's power by which noise may exceed its quietest window.
    private static let noiseScatters: Float = 8
    /// A quietest window with more than this share of a swipe's power may be a swipe itself.
    private static let maxNoiseShare: Float = 0.1
    /// The least share of a swipe's power: another swipe at a tenth of the speed, without an integrating amplifier, has
    /// more than this.
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

    /// Samples in windows of a range that could hold a swipe beside another one, at any ratio of their speeds.
    func sound(in range: Range<Int>, beside neighbour: Range<Int>) -> Int {
        let level = mean(neighbour)
        let least = max(min(floor, Self.maxNoiseShare * level) * noiseRatio, Self.leastShare * level)
        return windows(range).count { $0 > least } * window
    }

    /// Samples in windows of a range with more power than noise, for which the quietest of them is the reference.
    func soundAboveNoise(in range: Range<Int>) -> Int {
        let windows = windows(range)
        let floor = windows.min() ?? 0
        return windows.count { $0 > floor * noiseRatio } * window
    }

    /// Whether everything in a range outside a part is far quieter than that part.
    func isAlone(_ part: Range<Int>, in range: Range<Int>) -> Bool {
        // The windows in which the part begins and ends belong to it.
        let first = part.lowerBound / window * window
        let end = (part.upperBound / window + 1) * window
        let before = range.lowerBound..<max(range.lowerBound, first)
        let after = min(range.upperBound, end)..<range.upperBound
        let rest = windows(before) + windows(after)
        let loudest = windows(first..<end).max() ?? 0
        return rest.reduce(0, +) <= Self.maxNoiseShare * loudest * Float(rest.count)
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
