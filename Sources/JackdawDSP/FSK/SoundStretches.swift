/// Cuts a recording into stretches, of which each is read with some sound before it, for filters to come to rest, and some
/// behind it to look ahead at.
struct SoundStretches: Sendable {
    private var sound: SoundBuffer
    /// Position of its first sample.
    private var soundStart = 0
    /// Where the stretch begins and ends, in samples.
    private(set) var start = 0.0
    private(set) var end: Double

    private let length: Double
    private let ahead: Double
    private let settling: Int
    private let filter: ButterworthFilter

    /// Corner of the filter that keeps offset and hum out, in Hz and over the lower tone: a higher one would bend the phase of
    /// the tones, which costs 0.4 dB at a quarter of the tone.
    private static let corner = 120.0
    private static let cornerShare = 0.12
    /// Turns of the corner's frequency in which the filter comes to rest, to some -90 dB.
    private static let settlingTurns = 2.4

    /// - Parameters:
    ///   - length: samples of a stretch.
    ///   - ahead: samples behind it.
    ///   - spare: samples by which a stretch may be longer than the others: one begins where the last one was read up to.
    ///   - lowerTone: frequency of the lower tone in Hz.
    ///   - sampleRate: samples per second.
    init(length: Double, ahead: Double, spare: Double, lowerTone: Double, sampleRate: Double) {
        self.length = length
        self.ahead = ahead
        let corner = min(Self.corner, Self.cornerShare * lowerTone) / sampleRate
        filter = ButterworthFilter(.highPass, turns: corner)
        settling = Int(Self.settlingTurns / corner)
        end = length
        sound = SoundBuffer(capacity: settling + Int(length + ahead + spare) + 8)
    }

    /// The whole sample at or before which the stretch begins.
    var origin: Double { start.rounded(.down) }

    /// Samples until the stretch and what is behind it are complete.
    private var missing: Int { Int((end + ahead).rounded(.up)) - soundStart - sound.count }

    var isComplete: Bool { missing == 0 }

    /// Takes samples until the stretch is complete.
    /// - Returns: how many were taken.
    @inline(__always)
    mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, from first: Int, convert: (Sample) -> Float
    ) -> Int {
        let count = min(missing, samples.count - first)
        unsafe sound.append(samples.baseAddress! + first, count: count, convert: convert)
        return count
    }

    /// Hands over the sound as it came.
    /// - Parameter body: gets the sound, from some time before the stretch, and the place of ``origin`` in it.
    /// - Returns: what it returns.
    @inline(__always)
    func withSamples<Result>(_ body: (Span<Float>, Int) -> Result) -> Result {
        let base = Int(start) - soundStart
        return sound.withSamples { body($0, base) }
    }

    /// The sound from ``origin`` to a time and what is behind it, without offset and hum; silence behind the end of a
    /// recording.
    /// - Parameters:
    ///   - limit: time in samples, up to the end of the stretch.
    ///   - filtered: the sound is put here.
    func filter(before limit: Double, into filtered: inout [Float]) {
        let count = Int((limit - origin + ahead).rounded(.up)) + 2
        filtered.removeAll(keepingCapacity: true)
        filtered.growWiping(toHold: count)
        withSamples { sound, base in
            var filter = filter
            for index in 0..<base { _ = filter.filter(sound[index]) }
            for index in base..<min(base + count, sound.count) { filtered.append(filter.filter(sound[index])) }
        }
        filtered.resize(count)
    }

    /// The stretch is read up to a time.
    mutating func read(to time: Double) { start = time }

    /// Goes on to the next stretch, which begins where this one was read up to.
    mutating func advance() {
        let soundEnd = soundStart + sound.count
        soundStart += sound.keepLast(min(sound.count, soundEnd - Int(start) + settling))
        end += length
    }

    /// Where the sound ends that was taken, in samples.
    var recorded: Double { Double(soundStart + sound.count) }

    /// Whether there is sound that was not read; at the end of a recording the last stretch ends there.
    mutating func endsRecording() -> Bool {
        end = min(end, recorded)
        return start < recorded
    }

    /// Forgets all sound and overwrites it.
    mutating func reset() {
        _ = sound.keepLast(0)
        sound.wipeDropped()
        (soundStart, start, end) = (0, 0, length)
    }
}

/// What reads sound one stretch after the other.
protocol StretchReceiver {
    var stretches: SoundStretches { get set }

    /// Reads what begins in the stretch, and drops it.
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

    /// Takes samples, up to the end of one stretch after the other.
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

/// Energy of a stretch of sound from its beginning on: of all of it, and of what lies in the band of two tones.
///
/// Noise of another colour than white may be louder there than elsewhere; taken for white, it would look like a carrier.
struct SoundEnergy: Sendable, Wipeable {
    /// Energy before each sample, and behind the last one: of all, and in the band. In `Double`: what is quiet would vanish
    /// behind what was loud.
    private(set) var totals: [SIMD2<Double>] = []
    /// Share of the spectrum that the band takes up, 0 to 1.
    let bandShare: Float

    private let low: SteepButterworthFilter?
    private let high: SteepButterworthFilter?
    private var steadyTones: SteadyTones
    private var inBand: [Float] = []

    /// Bauds by which the band is wider than the tones on either side: there the main lobe of keyed tones ends.
    private static let bauds = 1.0
    /// Bauds by which a steady tone is away from those that a sender may have, at least: nearer, it would be taken for one.
    private static let clearance = 0.25
    /// Corners in turns a sample beyond which there is nothing worth keeping out.
    private static let corners = 0.001...0.45
    /// Turns of the band's width in which its filters come to rest.
    private static let settlingTurns = 20.0

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
    }

    /// Share of white noise that filters let through.
    /// - Parameters:
    ///   - low: keeps out what is below the band.
    ///   - high: keeps out what is above it.
    ///   - width: width of the band in turns a sample.
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

    /// Measures a stretch.
    mutating func load(_ samples: Span<Float>) {
        totals.removeAll(keepingCapacity: true)
        totals.growWiping(toHold: samples.count + 1)
        var (low, high) = (low, high)
        inBand.removeAll(keepingCapacity: true)
        inBand.growWiping(toHold: samples.count)
        for index in samples.indices {
            let sample = low?.filter(samples[index]) ?? samples[index]
            inBand.append(high?.filter(sample) ?? sample)
        }
        steadyTones.remove(from: &inBand)
        var total = SIMD2<Double>.zero
        totals.append(total)
        for index in samples.indices {
            let values = SIMD2(Double(samples[index]), Double(inBand[index]))
            total += values * values
            totals.append(total)
        }
    }

    mutating func wipe() {
        totals.wipeCapacity()
        inBand.wipeCapacity()
        steadyTones.wipe()
    }
}
