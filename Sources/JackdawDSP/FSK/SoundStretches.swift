import JackdawBytes

/// Cuts a recording into stretches. Each is decoded with some sound before it, so that filters settle, and some after
/// it for look-ahead.
struct SoundStretches: Sendable {
    private var sound: SoundBuffer
    /// Position of the buffer's first sample.
    private var soundStart = 0
    /// Start and end of the stretch, in samples.
    private(set) var start = 0.0
    private(set) var end: Double

    private let length: Double
    private let ahead: Double
    private let settling: Int
    private let filter: ButterworthFilter
    /// The filter after the last sample that was filtered, and the positions of the filtered sound.
    private var running: ButterworthFilter
    private var filteredRange = 0..<0

    /// Corner of the filter that removes offset and hum, in Hz and as a share of the lower tone: a higher corner would
    /// distort the phase of the tones, which costs 0.4 dB at a quarter of the tone.
    private static let corner = 120.0
    private static let cornerShare = 0.12
    /// Turns of the corner frequency in which the filter settles to some -90 dB.
    private static let settlingTurns = 2.4

    /// - Parameters:
    ///   - length: samples of a stretch.
    ///   - ahead: samples after it for look-ahead.
    ///   - spare: samples by which a stretch may be longer than the others: it begins at the position up to which the
    ///     last one was decoded.
    ///   - lowerTone: frequency of the lower tone in Hz.
    ///   - sampleRate: samples per second.
    init(length: Double, ahead: Double, spare: Double, lowerTone: Double, sampleRate: Double) {
        self.length = length
        self.ahead = ahead
        let corner = min(Self.corner, Self.cornerShare * lowerTone) / sampleRate
        filter = ButterworthFilter(.highPass, turns: corner)
        running = filter
        settling = Int(Self.settlingTurns / corner)
        end = length
        sound = SoundBuffer(capacity: settling + Int(length + ahead + spare) + 8)
    }

    /// The integer sample position at or before the start of the stretch.
    var origin: Double { start.rounded(.down) }

    /// Samples until the stretch and its look-ahead are complete.
    private var missing: Int { Int((end + ahead).rounded(.up)) - soundStart - sound.count }

    var isComplete: Bool { missing == 0 }

    /// Appends samples until the stretch is complete.
    /// - Returns: the number of samples appended.
    @inline(__always)
    mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, from first: Int, convert: (Sample) -> Float
    ) -> Int {
        let count = min(missing, samples.count - first)
        unsafe sound.append(samples.baseAddress! + first, count: count, convert: convert)
        return count
    }

    /// Runs a body over the unfiltered sound.
    /// - Parameter body: receives the sound, from some time before the stretch, and the index of ``origin`` in it.
    /// - Returns: the result of the body.
    @inline(__always)
    func withSamples<Result>(_ body: (Span<Float>, Int) -> Result) -> Result {
        let base = Int(start) - soundStart
        return sound.withSamples { body($0, base) }
    }

    /// Computes the sound from ``origin`` to a time, plus the look-ahead, without offset and hum; silence after the end
    /// of a recording.
    /// - Parameters:
    ///   - limit: time in samples, up to the end of the stretch.
    ///   - filtered: the result: the filtered sound; before, the one of the last call.
    mutating func filter(before limit: Double, into filtered: inout [Float]) {
        let first = Int(start)
        let count = Int((limit - origin + ahead).rounded(.up)) + 2
        let filteredEnd = filteredRange.upperBound
        var kept = 0
        if filteredRange.contains(first), filtered.count >= filteredRange.count, first + count >= filteredEnd {
            kept = filteredEnd - first
            filtered.moveToFront(from: first - filteredRange.lowerBound, count: kept)
        } else {
            running = filter
        }
        // Silence after the end of a recording.
        filtered.resize(count)
        let place = first - soundStart
        var running = running
        let end = withSamples { sound, _ in
            if kept == 0 { for index in 0..<place { _ = running.filter(sound[index]) } }
            let range = place + kept..<max(place + kept, min(place + count, sound.count))
            var output = filtered.mutableSpan
            running.filter(sound, in: range, into: &output, at: kept)
            return kept + range.count
        }
        self.running = running
        filteredRange = first..<first + end
        for index in end..<count { filtered[index] = 0 }
    }

    /// Marks the stretch as decoded up to a time.
    mutating func read(to time: Double) { start = time }

    /// Advances to the next stretch, which begins at the position up to which this one was decoded.
    mutating func advance() {
        let soundEnd = soundStart + sound.count
        soundStart += sound.keepLast(min(sound.count, soundEnd - Int(start) + settling))
        end += length
    }

    /// The end of the recorded sound, in samples.
    var recorded: Double { Double(soundStart + sound.count) }

    /// Whether there is sound that was not decoded; the last stretch of a recording ends with the recording.
    mutating func endsRecording() -> Bool {
        end = min(end, recorded)
        return start < recorded
    }

    /// Discards and overwrites all sound.
    mutating func reset() {
        _ = sound.keepLast(0)
        sound.wipeDropped()
        (soundStart, start, end) = (0, 0, length)
        filteredRange = 0..<0
    }
}

/// A decoder that processes sound one stretch after another.
protocol StretchReceiver {
    var stretches: SoundStretches { get set }

    /// Decodes the events that begin in the stretch, and drops it.
    mutating func readStretch(into events: inout [LineEvent])
}

extension StretchReceiver {
    mutating func receive(_ samples: Span<Float>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    mutating func receive(_ samples: Span<Int16>, into events: inout [LineEvent]) {
        unsafe samples.withUnsafeBufferPointer { samples in
            unsafe take(samples, into: &events) { Float($0) * (1 / 32_768) }
        }
    }

    /// Consumes samples, up to the end of one stretch after another.
    @inline(__always)
    private mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while taken < samples.count {
            taken += unsafe stretches.take(samples, from: taken, convert: convert)
            if stretches.isComplete { readStretch(into: &events) }
        }
    }
}

/// Energy of a stretch of sound in the band of two tones.
///
/// Coloured noise may be louder in that band than elsewhere; if it were assumed white, it would look like a carrier. The
/// filters of the band and the search for steady tones run only if a rough measure shows more noise in the band than
/// outside it.
struct SoundEnergy: Sendable, Wipeable {
    /// Energy in the band before each sample, and after the last one. In `Double`, because the energy of quiet sound
    /// would be lost after loud sound.
    private(set) var totals: [Double] = []
    /// Whether they are those of the stretch.
    private(set) var isMeasured = false
    /// Whether the steady tones were removed from them.
    private var isWithoutTones = false
    /// The band's share of the spectrum, 0 to 1.
    let bandShare: Float
    /// Grid steps of the windows that hold roughly the band; 0 if the band is all of the spectrum.
    let windowSteps: Int

    private let low: SteepButterworthFilter?
    private let high: SteepButterworthFilter?
    /// Whether windows cannot measure the band, because it contains the mirror image of a tone or most of the spectrum.
    private let needsFilters: Bool
    private var steadyTones: SteadyTones
    private var inBand: [Float] = []

    /// Bauds by which the band extends beyond the tones on either side: the main lobe of keyed tones ends there.
    private static let bauds = 1.0
    /// Least distance of a steady tone from the possible tones of a sender, in bauds: nearer, it would count as one of
    /// them.
    private static let clearance = 0.25
    /// Corners in turns per sample outside which a filter would remove nothing relevant.
    private static let corners = 0.001...0.45
    /// Turns of the band's width in which its filters settle.
    private static let settlingTurns = 20.0
    /// The largest share of the spectrum that windows measure.
    private static let maxShareOfWindows = 0.7

    init(_ shift: FrequencyShift, sampleRate: Double) {
        let beside = Self.bauds * shift.baud
        let lower = min(shift.mark, shift.space)
        let least = max(0, lower - beside) / sampleRate
        let most = min((max(shift.mark, shift.space) + beside) / sampleRate, 0.5)
        low = least > Self.corners.lowerBound ? SteepButterworthFilter(.highPass, turns: least) : nil
        high = most < Self.corners.upperBound ? SteepButterworthFilter(.lowPass, turns: most) : nil
        bandShare = Self.share(of: low, high, width: most - least)
        steadyTones = SteadyTones(
            band: least...most, keyed: SIMD2(shift.space, shift.mark) / sampleRate,
            clearance: (FSKSender.reach(shift) + Self.clearance * shift.baud) / sampleRate)
        let isWhole = low == nil && high == nil
        let width = abs(shift.mark - shift.space) + 2 * beside
        let steps = Double(ToneCorrelations.stepsPerBit) * shift.baud / width
        windowSteps = isWhole ? 0 : max(1, Int(steps.rounded()))
        needsFilters = !isWhole && (lower < beside || most >= 0.5 || 2 * width > Self.maxShareOfWindows * sampleRate)
    }

    /// Share of white noise that the filters pass.
    /// - Parameters:
    ///   - low: high-pass that removes the sound below the band.
    ///   - high: low-pass that removes the sound above it.
    ///   - width: width of the band in turns per sample.
    /// - Returns: the energy of their response to a single sample.
    private static func share(
        of low: SteepButterworthFilter?, _ high: SteepButterworthFilter?, width: Double
    ) -> Float {
        var (low, high) = (low, high)
        var share: Float = 0
        for index in 0...Int(Self.settlingTurns / width) {
            let sample: Float = index == 1 ? 1 : 0
            var inBand = low?.filter(sample) ?? sample
            inBand = high?.filter(inBand) ?? inBand
            share += inBand * inBand
        }
        return share
    }

    /// Begins another stretch, and measures it if windows cannot; with its steady tones.
    mutating func load(_ samples: Span<Float>) {
        isMeasured = false
        if needsFilters { measure(samples) }
    }

    /// Measures the energy of the stretch in the band, with its steady tones.
    mutating func measure(_ samples: Span<Float>) {
        isMeasured = true
        isWithoutTones = false
        inBand.removeAll(keepingCapacity: true)
        inBand.growWiping(toHold: samples.count)
        switch (low, high) {
        case (var low?, var high?):
            for index in samples.indices { inBand.append(high.filter(low.filter(samples[index]))) }
        case (var filter?, nil), (nil, var filter?):
            for index in samples.indices { inBand.append(filter.filter(samples[index])) }
        case (nil, nil):
            for index in samples.indices { inBand.append(samples[index]) }
        }
        addUp()
    }

    /// Removes the steady tones from the energy in the band, once it was measured.
    /// - Returns: whether the energy has changed.
    mutating func removeTones() -> Bool {
        guard isMeasured, !isWithoutTones else { return false }
        isWithoutTones = true
        guard steadyTones.remove(from: &inBand) else { return false }
        addUp()
        return true
    }

    private mutating func addUp() {
        totals.removeAll(keepingCapacity: true)
        totals.growWiping(toHold: inBand.count + 1)
        var total = 0.0
        totals.append(total)
        for sample in inBand {
            total += Double(sample) * Double(sample)
            totals.append(total)
        }
    }

    mutating func wipe() {
        isMeasured = false
        totals.wipeCapacity()
        inBand.wipeCapacity()
        steadyTones.wipe()
    }
}
