import JackdawBytes

/// The squelch of a stream of bits: separates the bits with a carrier from those with only noise.
///
/// A burst begins when forty bits together correlate with a carrier more than noise does. Its first and its last bit
/// are those between which the carrier is nearer to its full strength than to zero. No bit between them is left out: a
/// missing bit would shift all that follow.
struct BurstGate: Sendable, Wipeable {
    /// Bits of a stretch that belong to a burst.
    struct Passage {
        // Integers and not a range: an array can be overwritten only if its elements are `BitwiseCopyable`.
        fileprivate let start: Int
        fileprivate let end: Int
        fileprivate let endOfHeard: Int
        /// The bits to report now.
        var bits: Range<Int> { start..<end }
        /// The bits with the carrier present, including those to report later.
        var heard: Range<Int> { start..<endOfHeard }
        /// Whether the burst ends with these bits.
        let ends: Bool
    }

    private(set) var passages: [Passage] = []
    /// Whether a burst is open.
    private(set) var isOpen = false
    /// The correlation of a bit of the burst with the carrier; 0 if there is no burst.
    private(set) var level: Float = 0

    /// The level of the burst that ended in this stretch or the one before.
    private var fading: Float = 0

    /// The least level of a burst after another one, as a share of the level of that one: below it, the bits are the
    /// decay of the filters.
    private static let leastOfFading: Float = 0.01
    /// The least amplitude of a burst: one step of 16-bit sound.
    private static let leastAmplitude: Float = 1 / 32_768
    /// Bits without a carrier after which a burst ends.
    static let pauseBits = 40
    /// Bits that together must show a carrier for a burst to begin.
    private static let window = 40
    /// Bits among which the loudest give the level of a burst that begins: more than `window`, which may contain only
    /// the first bits of the burst.
    private static let longWindow = 60
    /// The least energy of a bit over the density of the noise for a burst to begin, as a ratio: 5 dB.
    private static let leastEvidence: Float = 3.2
    /// The loudest successive bits, whose mean correlation is the first estimate of the level.
    private static let loudBits = 8
    /// The least number of the first eight bits of a burst in which the carrier is present, and the least length of a
    /// burst in bits.
    private static let leastHeard = 5
    /// The least correlation of a bit with a carrier that is present in it, as a share of the level.
    private static let leastShare: Float = 0.5
    /// The largest correlation of the bits with the other tone, as a share of that with their own: a steady tone
    /// between the two correlates about equally with both.
    private static let maxOtherToneShare: Float = 0.95
    /// The largest deficit that accumulates, as a multiple of the level. A bit without a carrier adds half the level,
    /// and a bit of full strength removes it: after a longer pause, six bits of full strength continue the burst.
    private static let maxDeficit: Float = 3
    /// Gain with which the level is followed, per bit.
    private static let levelGain: Float = 0.02

    /// Closes the burst, if any.
    mutating func close() {
        isOpen = false
        (level, fading) = (0, 0)
        passages.removeAll(keepingCapacity: true)
    }

    mutating func wipe() { passages.wipeCapacity() }

    /// Finds the bursts in a stretch as if its whole path belonged to it, and then restores the previous state.
    mutating func look(_ path: BitPath, _ tones: ToneCorrelations) {
        let (wasOpen, levelBefore, fadingBefore) = (isOpen, level, fading)
        pass(path, count: path.bits.count, tones)
        (isOpen, level, fading) = (wasOpen, levelBefore, fadingBefore)
    }

    /// Finds the bursts in a stretch.
    /// - Parameters:
    ///   - path: the bits of the stretch, and some after it.
    ///   - count: number of bits in the stretch itself.
    ///   - tones: the correlations of the stretch.
    mutating func pass(_ path: BitPath, count: Int, _ tones: ToneCorrelations) {
        passages.removeAll(keepingCapacity: true)
        let before = fading
        var next = isOpen ? follow(path.bits, from: 0, count: count, begins: false) : 0
        while !isOpen, let start = beginning(path, from: next, before: count, tones) {
            isOpen = true
            next = follow(path.bits, from: start, count: count, begins: true)
        }
        if fading == before { fading = 0 }
    }

    /// Follows a burst to its end, or to the end of the stretch.
    /// - Returns: the index after its last bit.
    private mutating func follow(_ bits: [BitPath.Bit], from start: Int, count: Int, begins: Bool) -> Int {
        var end = start
        var deficit: Float = 0
        var current = level
        for index in start..<bits.count {
            if index == count { level = current }
            // At the start of a carrier, there are no earlier bits to give its phase.
            let isFirst = begins && index - start < Self.loudBits
            let gain = isFirst ? bits[index].gainFromBehind : bits[index].gain
            deficit = min(max(0, deficit + Self.leastShare * current - gain), Self.maxDeficit * current)
            if deficit == 0 {
                end = index + 1
                current += Self.levelGain * (gain - current)
            } else if index - end >= Self.pauseBits {
                break
            }
        }
        isOpen = end > count
        if !isOpen { (fading, level) = (level, 0) }
        let next = max(start, min(end, count))
        guard !begins || end - start >= Self.leastHeard, !begins || next > start else { return start + 1 }
        passages.growWiping(toHold: passages.count + 1)
        passages.append(Passage(start: start, end: next, endOfHeard: end, ends: !isOpen))
        return next
    }

    /// The first bit of the next burst that begins before another bit.
    private mutating func beginning(_ path: BitPath, from first: Int, before limit: Int, _ tones: ToneCorrelations)
        -> Int?
    {
        let bits = path.bits
        for index in first..<max(first, min(limit, bits.count - Self.loudBits)) {
            let window = index..<min(index + Self.window, bits.count)
            guard path.evidence(in: window, tones).bitEnergyToNoise >= Self.leastEvidence else { continue }
            // The window may contain only the first bits of a loud burst.
            let loudest = Self.loudest(bits, in: index..<min(index + Self.longWindow, bits.count))
            let start = Self.beginning(bits, in: index..<loudest.start + 1, level: loudest.level)
            guard Self.isHeard(bits[start..<min(start + Self.window, bits.count)], level: loudest.level) else {
                continue
            }
            guard start < limit else { return nil }
            let least = Self.leastAmplitude * Float(tones.stepLength) * Float(ToneCorrelations.stepsPerBit) / 2
            guard loudest.level > max(least, Self.leastOfFading * fading) else { continue }
            level = loudest.level
            return start
        }
        return nil
    }

    /// The start of the eight bits with the highest correlation with the carrier, and their mean correlation per bit.
    private static func loudest(_ bits: [BitPath.Bit], in window: Range<Int>) -> (start: Int, level: Float) {
        var best = (start: window.lowerBound, level: Float(0))
        var sum: Float = 0
        for index in window {
            sum += bits[index].gainFromBehind
            let start = index - loudBits + 1
            guard start >= window.lowerBound else { continue }
            if start > window.lowerBound { sum -= bits[start - 1].gainFromBehind }
            if sum > best.level * Float(loudBits) { best = (start, sum / Float(loudBits)) }
        }
        return best
    }

    /// The first bit of the burst: in the bits before it, the correlations fall short of half the level by the most, in
    /// sum.
    private static func beginning(_ bits: [BitPath.Bit], in range: Range<Int>, level: Float) -> Int {
        var (sum, least, start) = (Float(0), Float(0), range.lowerBound)
        for index in range.dropLast() {
            sum += bits[index].gainFromBehind - leastShare * level
            if sum < least { (least, start) = (sum, index + 1) }
        }
        return start
    }

    /// Whether a carrier is present in most of the first bits, with one tone at a time.
    private static func isHeard(_ bits: ArraySlice<BitPath.Bit>, level: Float) -> Bool {
        let heard = bits.prefix(loudBits).count { $0.gainFromBehind > leastShare * level }
        var (own, other) = (Float(0), Float(0))
        for bit in bits {
            own += bit.own
            other += bit.other
        }
        return heard >= leastHeard && other <= maxOtherToneShare * own
    }
}
