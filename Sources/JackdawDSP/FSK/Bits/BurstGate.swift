/// The squelch of a stream of bits: tells the bits in which a carrier is heard from those in which there is noise.
///
/// A burst begins where forty bits together have more of a carrier than noise has. Its first and its last bit are those
/// from which, and up to which, the carrier is nearer to its full strength than to none. Nothing is left out in between:
/// a bit less would move all that follow.
struct BurstGate: Sendable, Wipeable {
    /// Bits of a stretch that belong to a burst.
    struct Passage {
        // Bare numbers: an array of ranges could not be overwritten.
        fileprivate let start: Int
        fileprivate let end: Int
        fileprivate let endOfHeard: Int
        /// Those that are given now.
        var bits: Range<Int> { start..<end }
        /// Those in which the carrier is heard, with bits that are given later.
        var heard: Range<Int> { start..<endOfHeard }
        /// Whether the burst ends with them.
        let ends: Bool
    }

    private(set) var passages: [Passage] = []
    /// Whether a burst goes on.
    private(set) var isOpen = false
    /// What a bit of it has of the carrier; 0 where there is none.
    private(set) var level: Float = 0

    /// What a bit of the burst had that ended in this stretch or the one before.
    private var fading: Float = 0

    /// The same as a share of that burst's level below which another one is what filters have left of it, and the least that
    /// is believed at all: a full-scale step of 16-bit sound.
    private static let leastOfFading: Float = 0.01
    private static let leastAmplitude: Float = 1 / 32_768
    /// Bits without a carrier that end a burst.
    static let pauseBits = 40
    /// Bits that are looked at for the beginning of a burst.
    private static let window = 40
    private static let longWindow = 60
    /// Energy of a bit over the density of the noise in them, as a ratio.
    private static let leastEvidence: Float = 3.2
    /// Bits that tell how loud a carrier is, and those of them in which it is heard, at least.
    private static let loudBits = 8
    private static let leastHeard = 5
    /// What a bit has of a carrier that is heard in it, as a share of the level, at least.
    private static let leastShare: Float = 0.5
    /// A tone between the two is about as loud in both.
    private static let mostRivalry: Float = 0.95
    /// What may be missing of a carrier without more being asked of it when it comes back, in bits.
    private static let mostDeficit: Float = 3
    /// How fast the level is followed, a bit.
    private static let levelGain: Float = 0.02

    /// The burst, if any, is over.
    mutating func close() {
        isOpen = false
        (level, fading) = (0, 0)
        passages.removeAll(keepingCapacity: true)
    }

    mutating func wipe() { passages.wipeCapacity() }

    /// Finds the bursts in a stretch, as if all of its path were its own, and goes on from where it was.
    mutating func look(_ path: BitPath, _ tones: ToneCorrelations) {
        let (wasOpen, levelBefore, fadingBefore) = (isOpen, level, fading)
        pass(path, count: path.bits.count, tones)
        (isOpen, level, fading) = (wasOpen, levelBefore, fadingBefore)
    }

    /// Finds the bursts in a stretch.
    /// - Parameters:
    ///   - path: its bits, and some behind it.
    ///   - count: bits of the stretch itself.
    ///   - tones: the stretch.
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

    /// Follows a burst to its end, or to that of the stretch.
    /// - Returns: the bit behind it.
    private mutating func follow(_ bits: [BitPath.Bit], from start: Int, count: Int, begins: Bool) -> Int {
        var end = start
        var deficit: Float = 0
        var current = level
        for index in start..<bits.count {
            if index == count { level = current }
            // Where the carrier begins, nothing before it tells its phase.
            let isFirst = begins && index - start < Self.loudBits
            let gain = isFirst ? bits[index].gainFromBehind : bits[index].gain
            deficit = min(max(0, deficit + Self.leastShare * current - gain), Self.mostDeficit * current)
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
            // The window may hold no more than the first bits of a loud burst.
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

    /// The eight bits that have the most of the carrier, and how much that is a bit.
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

    /// The bit before which there is too little of a carrier, and enough behind it.
    private static func beginning(_ bits: [BitPath.Bit], in range: Range<Int>, level: Float) -> Int {
        var (sum, least, start) = (Float(0), Float(0), range.lowerBound)
        for index in range.dropLast() {
            sum += bits[index].gainFromBehind - leastShare * level
            if sum < least { (least, start) = (sum, index + 1) }
        }
        return start
    }

    /// Whether there is a carrier in most of the first bits, and one tone at a time.
    private static func isHeard(_ bits: ArraySlice<BitPath.Bit>, level: Float) -> Bool {
        let heard = bits.prefix(loudBits).count { $0.gainFromBehind > leastShare * level }
        var (own, other) = (Float(0), Float(0))
        for bit in bits {
            own += bit.own
            other += bit.other
        }
        return heard >= leastHeard && other <= mostRivalry * own
    }
}
