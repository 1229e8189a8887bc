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
