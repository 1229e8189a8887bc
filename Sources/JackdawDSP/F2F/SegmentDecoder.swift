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

    /// Stretches shorter than this hold no swipe, in seconds.
    private static let shortest = 0.04
    /// A stretch beside a swipe must hold this share of its mean power to be looked at.
    private static let leastPowerShare: Float = 0.25
    /// For the strong tier it must last this share of its time too: two passes of one hand differ by less.
    private static let leastTimeShare = 0.5
    /// Messages sought in one segment at most; bounds the time.
    private static let mostMessages = 16

    init(sampleRate: Double, usesStrongTier: Bool) {
        self.sampleRate = sampleRate
        self.usesStrongTier = usesStrongTier
    }

    mutating func decode(_ samples: Span<Float>) -> Findings {
        var findings = Findings()
        decode(samples, in: 0..<samples.count, strongly: true, &findings)
        findings.readings.sort { $0.boundaries[0] < $1.boundaries[0] }
        return findings
    }

    private mutating func decode(
        _ samples: Span<Float>, in range: Range<Int>, strongly: Bool, _ findings: inout Findings
    ) {
        let readings = fast.decode(samples.extracting(range), sampleRate: sampleRate)
            .map { $0.moved(by: range.lowerBound, within: range) }
        fast.wipe()
        guard let last = readings.last else {
            if strongly { decodeStrongly(samples, in: range, &findings) }
            return
        }
        findings.readings += readings
        var start = range.lowerBound
        for reading in readings {
            look(at: start..<max(start, reading.extent.lowerBound), beside: reading, samples, &findings)
            start = max(start, reading.extent.upperBound)
        }
        look(at: start..<range.upperBound, beside: last, samples, &findings)
    }

    private mutating func look(
        at range: Range<Int>, beside reading: SegmentReading, _ samples: Span<Float>, _ findings: inout Findings
    ) {
        guard Double(range.count) >= Self.shortest * sampleRate,
            Self.power(of: samples, in: range) >= Self.power(of: samples, in: reading.extent) * Self.leastPowerShare
        else { return }
        // Without its louder, faster or slower neighbour the fast tier may read what it did not read beside it.
        let isLongEnough = Double(range.count) >= Double(reading.extent.count) * Self.leastTimeShare
        decode(samples, in: range, strongly: isLongEnough, &findings)
    }

    private mutating func decodeStrongly(_ samples: Span<Float>, in range: Range<Int>, _ findings: inout Findings) {
        guard usesStrongTier else {
            findings.failures.append(SegmentFailure(reason: .noBitCells, range: range))
            return
        }
        guard Double(range.count) >= Self.shortest * sampleRate, findings.readings.count < Self.mostMessages else {
            return
        }
        var sound: [Float] = []
        sound.reserveCapacity(range.count)
        for index in range { sound.append(samples[index]) }
        let outcome = strong.decode(sound, sampleRate: sampleRate)
        strong.wipe()
        sound.wipe()
        switch outcome {
        case .success(let reading):
            let moved = reading.moved(by: range.lowerBound, within: range)
            findings.readings.append(moved)
            look(at: range.lowerBound..<moved.extent.lowerBound, beside: moved, samples, &findings)
            look(at: moved.extent.upperBound..<range.upperBound, beside: moved, samples, &findings)
        case .failure(let failure):
            findings.failures.append(failure.moved(by: range.lowerBound))
        }
    }

    /// Mean power behind a first difference, which hum and offsets do not reach.
    private static func power(of samples: Span<Float>, in range: Range<Int>) -> Float {
        let sound = samples.extracting(range.clamped(to: 0..<samples.count))
        guard sound.count > 1 else { return 0 }
        return unsafe sound.withUnsafeBytes { bytes in
            let base = unsafe bytes.baseAddress!
            let last = sound.count - 9
            var sums = SIMD8<Float>.zero
            var index = 0
            while index <= last {
                let here = unsafe base.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
                let next = unsafe base.loadUnaligned(fromByteOffset: 4 &* (index &+ 1), as: SIMD8<Float>.self)
                sums += (next - here) * (next - here)
                index &+= 8
            }
            var sum = sums.sum()
            while index < sound.count - 1 {
                let change = sound[index + 1] - sound[index]
                sum += change * change
                index += 1
            }
            return sum / Float(sound.count)
        }
    }
}
