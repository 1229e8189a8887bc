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
