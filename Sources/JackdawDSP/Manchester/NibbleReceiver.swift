/// What is different between the lines that send nibbles of ten chips.
protocol NibbleFormat: Sendable {
    /// Chips a second.
    var chipRate: Double { get }
    /// What is looked for.
    var template: NibbleSyncSearch.Template { get }
    /// Nibbles without a signal that end a burst.
    var quietNibbles: Int { get }
    /// Nibbles at the template's end that are data.
    var dataInTemplate: Int { get }

    /// Appends what a burst says.
    func report(_ burst: NibbleBurst, _ judge: NibbleJudge, _ scale: NibbleScale, to events: inout [LineEvent])
}

/// From steps to samples.
struct NibbleScale {
    /// Samples per second (Hz).
    var sampleRate: Double
    /// Steps that a sample makes.
    var stepsPerSample: Double
    /// Samples that each of a burst's sound was made of.
    var samplesPerSound: Double
    /// Sample at step 0.
    var offset: Double

    /// The sample at a position.
    func sample(at position: Double) -> Double { offset + position / stepsPerSample }
}

/// The state of a decoder for nibbles of ten chips.
struct NibbleReceiver<Format: NibbleFormat>: LineReceiver {
    private let format: Format
    private let sampleRate: Double
    var integral: LineIntegral
    private var search: NibbleSyncSearch
    private var tracker: NibbleTracker
    private var burst: NibbleBurst
    private var judge: NibbleJudge
    private var isTracking = false

    init(format: Format, sampleRate: Double) {
        self.format = format
        self.sampleRate = sampleRate
        let samplesPerChip = sampleRate / format.chipRate
        integral = LineIntegral(
            samplesPerChip: samplesPerChip, chips: NibbleSyncSearch.chipsInReach + NibbleTracker.chipsInReach)
        judge = NibbleJudge(samplesPerChip: samplesPerChip * integral.stepsPerSample / Double(integral.stepsPerSound))
        burst = NibbleBurst(margin: judge.margin, stepsPerSample: integral.stepsPerSound)
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
        judge.wipe()
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
                    // The search goes on where it was.
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

    /// Reports the burst, and forgets it.
    private mutating func report(into events: inout [LineEvent]) {
        judge.decide(burst)
        // Half of the frames are right by chance: what has many wrong ones was no nibble line.
        if judge.bytes > 0, 8 * judge.upsideDown <= burst.nibbles + 7 {
            let scale = NibbleScale(
                sampleRate: sampleRate, stepsPerSample: integral.stepsPerSample,
                samplesPerSound: Double(integral.stepsPerSound) / integral.stepsPerSample,
                offset: integral.sample(at: 0))
            format.report(burst, judge, scale, to: &events)
        }
        burst.wipe()
        judge.wipe()
    }
}
