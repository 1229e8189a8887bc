import JackdawBytes

/// The differences between the lines that send nibbles of ten chips.
protocol NibbleFormat: Sendable {
    /// Chips per second on the line.
    var chipRate: Double { get }
    /// The preamble and sync to search for.
    var template: NibbleSyncSearch.Template { get }
    /// Nibbles without a signal after which a burst ends.
    var quietNibbles: Int { get }
    /// Nibbles at the template's end that are already data.
    var dataInTemplate: Int { get }

    /// Appends the events of a burst.
    func report(_ burst: NibbleBurst, _ scorer: NibbleScorer, _ scale: NibbleScale, to events: inout [LineEvent])
}

/// Converts steps to samples.
struct NibbleScale {
    /// Samples per second (Hz).
    var sampleRate: Double
    /// Steps per sample of the recording.
    var stepsPerSample: Double
    /// Samples of the recording per sample of a burst's sound.
    var samplesPerSound: Double
    /// The sample at step 0.
    var offset: Double

    /// The sample at a position.
    func sample(at position: Double) -> Double { offset + position / stepsPerSample }
}

/// The state of a decoder for nibbles of ten chips, on any line that sends them.
struct NibbleReceiver<Format: NibbleFormat>: LineReceiver {
    private let format: Format
    private let sampleRate: Double
    var integral: LineIntegral
    private var search: NibbleSyncSearch
    private var tracker: NibbleTracker
    private var burst: NibbleBurst
    private var scorer: NibbleScorer
    private var isTracking = false

    init(format: Format, sampleRate: Double) {
        self.format = format
        self.sampleRate = sampleRate
        let samplesPerChip = sampleRate / format.chipRate
        integral = LineIntegral(
            samplesPerChip: samplesPerChip, chips: NibbleSyncSearch.chipsInReach + NibbleTracker.chipsInReach)
        scorer = NibbleScorer(samplesPerChip: samplesPerChip * integral.stepsPerSample / Double(integral.stepsPerSound))
        burst = NibbleBurst(margin: scorer.margin, stepsPerSample: integral.stepsPerSound)
        tracker = NibbleTracker(quietNibbles: format.quietNibbles)
        search = NibbleSyncSearch(
            template: format.template, stepsPerChip: samplesPerChip * integral.stepsPerSample)
    }

    var samplesInReach: Int {
        Int(Double(NibbleSyncSearch.chipsInReach) * sampleRate / format.chipRate)
    }

    mutating func close(into events: inout [LineEvent]) {
        guard isTracking else { return }
        _ = integral.withSums { sums, base in tracker.end(sums, base: base, into: &burst) }
        report(into: &events)
    }

    mutating func reset() {
        wipe()
        search.start()
        isTracking = false
    }

    mutating func wipe() {
        integral.wipe()
        search.wipe()
        burst.wipe()
        scorer.wipe()
    }

    mutating func advance(into events: inout [LineEvent]) {
        while true {
            if isTracking {
                let outcome = integral.withSums { sums, base in tracker.advance(sums, base: base, into: &burst) }
                switch outcome {
                case .goesOn:
                    guard burst.isFull else { return drop() }
                    report(into: &events)
                case .ended(let end):
                    report(into: &events)
                    isTracking = false
                    search.start(after: end)
                case .lost:
                    // The search continues at its previous position.
                    burst.wipe()
                    isTracking = false
                }
            } else {
                let result = integral.withSums { sums, base in search.advance(sums, base: base) }
                guard case .found(var sync) = result else { return drop() }
                sync.position -= Double(format.dataInTemplate) * sync.period
                tracker.begin(sync, nibbles: format.template.nibbles - format.dataInTemplate)
                isTracking = true
            }
        }
    }

    private mutating func drop() {
        integral.drop(
            before: isTracking && tracker.isConfirmed ? tracker.neededFrom - search.reach : search.neededFrom)
    }

    /// Reports the burst and discards it.
    private mutating func report(into events: inout [LineEvent]) {
        scorer.decide(burst)
        // Half of the frames are right by chance: a burst with many wrong ones was not from a nibble line.
        if scorer.bytes > 0, 8 * scorer.upsideDown <= burst.nibbles + 7 {
            let scale = NibbleScale(
                sampleRate: sampleRate, stepsPerSample: integral.stepsPerSample,
                samplesPerSound: Double(integral.stepsPerSound) / integral.stepsPerSample,
                offset: integral.sample(at: 0))
            format.report(burst, scorer, scale, to: &events)
        }
        burst.wipe()
        scorer.wipe()
    }
}

/// A burst as received, with its polarity corrected: its chips, and its sound for the second pass.
struct NibbleBurst: Sendable, Wipeable {
    /// Nibbles after which a burst is cut: 8,192 bytes, more than any reader's buffer.
    private static let maxNibbles = 16_384

    /// Means of the chips, full scale 1.
    private(set) var chips: [Float] = []
    /// The sound, from ``margin`` samples before the first nibble.
    private(set) var sound: [Float] = []
    private var starts: [Double] = []
    private var periods = 0.0
    private var firstSample = 0

    /// Samples before the first nibble and after the last one.
    let margin: Int
    /// Steps per sample of the sound.
    private let stepsPerSample: Int

    /// - Parameters:
    ///   - margin: samples before the first nibble and after the last one.
    ///   - stepsPerSample: steps per sample that is kept.
    init(margin: Int, stepsPerSample: Int) {
        self.margin = margin
        self.stepsPerSample = stepsPerSample
    }

    /// Nibbles in the burst.
    var nibbles: Int { starts.count }

    /// Whether the burst must be cut here.
    var isFull: Bool { starts.count >= Self.maxNibbles }

    /// Mean length of a nibble, in steps.
    var period: Double { periods / Double(max(1, starts.count)) }

    /// Mean length of a chip, in samples of the sound.
    var samplesPerChip: Double { period / Double(NibbleChips.count * stepsPerSample) }

    /// Position of a nibble, in steps.
    func start(_ nibble: Int) -> Double { starts[nibble] }

    /// The start of a nibble, in samples of the sound; after the last one, the end of the burst.
    func time(_ nibble: Int) -> Double {
        let place = nibble < starts.count ? starts[nibble] : starts[starts.count - 1] + period
        // A step lasts from its position to the next; its sample lies in its middle.
        return (place - 0.5) / Double(stepsPerSample) - Double(firstSample)
    }

    /// Appends a nibble.
    /// - Parameters:
    ///   - start: its position, in steps.
    ///   - period: its length, in steps.
    ///   - sums: the integral of the line.
    ///   - base: the position of its first sum.
    ///   - polarity: +1 or -1, the sign that corrects the line's polarity.
    mutating func append(start: Double, period: Double, of sums: Span<Double>, base: Int, polarity: Float) {
        if starts.isEmpty {
            firstSample = Int(start) / stepsPerSample - margin
            starts.growWiping(toHold: 512)
            chips.growWiping(toHold: 512 * NibbleChips.count)
        }
        let chip = period / Double(NibbleChips.count)
        starts.growWiping(toHold: starts.count + 1)
        starts.append(start)
        periods += period
        chips.growWiping(toHold: chips.count + NibbleChips.count)
        var previous = sums.interpolated(at: start - Double(base))
        for index in 1...NibbleChips.count {
            let next = sums.interpolated(at: start + Double(index) * chip - Double(base))
            chips.append(polarity * Float((next - previous) / chip))
            previous = next
        }
        let end = Int(start + period) / stepsPerSample + margin - firstSample
        sound.growWiping(toHold: end)
        let first = (firstSample + sound.count) * stepsPerSample - base
        for step in stride(from: first, to: first + (end - sound.count) * stepsPerSample, by: stepsPerSample) {
            // Outside the recording, its first and last values are repeated.
            let place = min(max(0, step), sums.count - 2)
            sound.append(polarity * Float(sums[place + 1] - sums[place]))
        }
    }

    /// Overwrites all sound and chips.
    mutating func wipe() {
        chips.wipe()
        sound.wipe()
        starts.wipe()
        periods = 0
    }
}

extension [Float] {
    /// Becomes an array of zeros.
    mutating func becomeZeros(_ count: Int) {
        growWiping(toHold: count)
        removeAll(keepingCapacity: true)
        append(contentsOf: repeatElement(0, count: count))
    }
}
