/// The state of a ``NibbleLineDecoder``.
struct NibbleReceiver: Sendable, Wipeable {
    private let line: NibbleLine
    private let sampleRate: Double
    private var integral: LineIntegral
    private var search: NibbleSyncSearch
    private var tracker = NibbleTracker()
    private var burst = NibbleBurst()
    private var judge = NibbleJudge()
    private var isTracking = false

    init(line: NibbleLine, sampleRate: Double) {
        self.line = line
        self.sampleRate = sampleRate
        let samplesPerChip = sampleRate / line.chipRate
        integral = LineIntegral(
            samplesPerChip: samplesPerChip, chips: NibbleSyncSearch.chipsInReach + NibbleTracker.chipsInReach)
        search = NibbleSyncSearch(line: line, stepsPerChip: samplesPerChip * integral.stepsPerSample)
    }

    @inline(__always)
    mutating func receive<Sample>(
        _ samples: Span<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while taken < samples.count {
            let count = min(samples.count - taken, integral.samplesToHop)
            if integral.append(samples.extracting(taken..<(taken + count)), convert: convert) { advance(into: &events) }
            taken += count
        }
    }

    mutating func finish(into events: inout [LineEvent]) {
        let chips = Double(NibbleSyncSearch.chipsInReach)
        for _ in 0...(Int(chips * sampleRate / line.chipRate) / LineIntegral.hop) {
            integral.hold()
            advance(into: &events)
        }
        if isTracking {
            _ = integral.withSums { sums, base in tracker.end(sums, base: base, into: &burst) }
            report(into: &events)
        }
        reset()
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

    private mutating func advance(into events: inout [LineEvent]) {
        while true {
            if isTracking {
                let end = integral.withSums { sums, base in tracker.advance(sums, base: base, into: &burst) }
                if end != nil || burst.isFull { report(into: &events) }
                guard let end else { break }
                isTracking = false
                search.start(at: end)
            } else {
                let result = integral.withSums { sums, base in search.advance(sums, base: base) }
                guard case .found(let sync) = result else { break }
                tracker.begin(sync)
                isTracking = true
            }
        }
        integral.drop(before: isTracking ? tracker.neededFrom : search.neededFrom)
    }

    /// Reports the burst, and forgets it.
    private mutating func report(into events: inout [LineEvent]) {
        let report = NibbleBurstReport(line: line, sampleRate: sampleRate, stepsPerSample: integral.stepsPerSample)
        judge.decide(burst)
        // Half of the frames are right by chance: what has many wrong ones was no nibble line.
        let wrong = burst.nibbles - judge.framedNibbles
        if 8 * wrong <= burst.nibbles + 7 { report.append(burst, judge, offset: integral.sample(at: 0), to: &events) }
        burst.wipe()
        judge.wipe()
    }
}
