/// The state of a decoder of frequency shift keying: reads one stretch of sound after the other, by the fast tier where all
/// of it is clear and by the strong one elsewhere.
struct FSKReceiver: Sendable, Wipeable {
    private let shift: FrequencyShift
    private let framing: CharacterFraming
    private let sampleRate: Double

    /// Sound of the next stretch, with some before it.
    private var sound: SoundBuffer
    /// Position of its first sample.
    private var soundStart = 0
    /// Where the next stretch begins and ends, in samples.
    private var chunkStart = 0.0
    private var chunkEnd: Double
    /// Where the recording ends, once that is known.
    private var recordingEnd = Double.infinity
    private var clear: BitwiseDecoder?
    private var sequence: SequenceDecoder
    /// The sound of a stretch without offset and hum.
    private var filtered: [Float] = []
    /// Whether the fast tier read the last stretch.
    private var isClear = false
    private var readings: [SequenceDecoder.Reading] = []
    private var burst: BurstMeter?
    private let samplesPerBit: Double
    private let isSquelched: Bool
    /// Corner of the high-pass filter in turns a sample, and samples in which it comes to rest.
    private let corner: Double
    private let settling: Int

    /// Bits a stretch, and those behind it that are looked at before it is decided on.
    private static let chunkBits = 160.0
    private static let aheadBits = 60.0
    /// The line rests for so many bits between two bursts, at least.
    private static let pauseBits = 60.0
    /// Bits that a stop bit may lack at the end of a recording.
    private static let mostMissing = 0.25
    /// So near behind a character another one is believed more readily.
    private static let holdBits = 20.0
    /// Corner of the filter that keeps offset and hum out, in Hz and over the lower tone: a higher one would bend the phase of
    /// the tones, which costs 0.4 dB at a quarter of the tone.
    private static let corner = 120.0
    private static let cornerShare = 0.12
    /// Turns of the corner's frequency in which the filter comes to rest, to some -90 dB.
    private static let settlingTurns = 2.4
    /// Bits by which a stretch may be longer than the others: one begins where a character ended.
    private static let spareBits = 20.0

    /// At the start of a recording, with a shift and a framing that are valid.
    init(_ shift: FrequencyShift, framing: CharacterFraming, sampleRate: Double, isSquelched: Bool = true) {
        self.isSquelched = isSquelched
        self.shift = shift
        self.framing = framing
        self.sampleRate = sampleRate
        samplesPerBit = sampleRate / shift.baud
        corner = min(Self.corner, Self.cornerShare * min(shift.mark, shift.space)) / sampleRate
        settling = Int(Self.settlingTurns / corner)
        clear = BitwiseDecoder(shift, framing: framing, sampleRate: sampleRate)
        sequence = SequenceDecoder(shift, framing: framing, sampleRate: sampleRate, isSquelched: isSquelched)
        chunkEnd = Self.chunkBits * samplesPerBit
        sound = SoundBuffer(
            capacity: settling + Int((Self.chunkBits + Self.aheadBits + Self.spareBits) * samplesPerBit) + 8)
    }

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

    mutating func finish(into events: inout [LineEvent]) {
        let end = Double(soundStart + sound.count)
        while chunkEnd < end { readChunk(into: &events) }
        chunkEnd = end
        recordingEnd = end
        if chunkStart < end { readChunk(into: &events) }
        closeBurst(into: &events)
        reset()
    }

    /// Forgets the past, overwrites all that tells of it and keeps the memory.
    mutating func reset() {
        wipe()
        clear?.reset()
        sequence.reset()
        soundStart = 0
        chunkStart = 0
        chunkEnd = Self.chunkBits * samplesPerBit
        recordingEnd = .infinity
        burst = nil
        isClear = false
    }

    mutating func wipe() {
        _ = sound.keepLast(0)
        sound.wipeDropped()
        filtered.wipeCapacity()
        readings.wipeCapacity()
        sequence.wipe()
    }

    /// Takes samples, up to the end of one stretch after the other.
    @inline(__always)
    private mutating func take<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, into events: inout [LineEvent], convert: (Sample) -> Float
    ) {
        var taken = 0
        while taken < samples.count {
            let needed = Int((chunkEnd + Self.aheadBits * samplesPerBit).rounded(.up)) - soundStart - sound.count
            let count = min(needed, samples.count - taken)
            unsafe sound.append(samples.baseAddress! + taken, count: count, convert: convert)
            taken += count
            if count == needed { readChunk(into: &events) }
        }
    }

    /// Reads the characters that begin in the stretch, and drops it.
    private mutating func readChunk(into events: inout [LineEvent]) {
        if !readClearly(into: &events) {
            if let rest = restBeforeClearCharacters() {
                readStrongly(before: rest, into: &events)
                if !readClearly(into: &events) { readStrongly(before: chunkEnd, into: &events) }
            } else {
                readStrongly(before: chunkEnd, into: &events)
            }
        }
        let end = soundStart + sound.count
        soundStart += sound.keepLast(min(sound.count, end - Int(chunkStart) + settling))
        chunkEnd += Self.chunkBits * samplesPerBit
    }

    /// Where a carrier begins: the time from which on the line rests clearly, and goes on with clear characters.
    private mutating func restBeforeClearCharacters() -> Double? {
        let (base, origin) = (Int(chunkStart) - soundStart, chunkStart.rounded(.down))
        let rest = sound.withSamples { sound in
            clear?.restBeforeClearCharacters(
                sound, at: base, from: chunkStart - origin, before: chunkEnd - origin, readings: &readings)
        }
        return rest.map { origin + $0 }
    }

    /// Reads the stretch bit by bit.
    /// - Returns: whether all of it was clear; nothing has changed where it was not.
    private mutating func readClearly(into events: inout [LineEvent]) -> Bool {
        let (base, origin) = (Int(chunkStart) - soundStart, chunkStart.rounded(.down))
        let end = sound.withSamples { sound in
            clear?.read(
                sound, at: base, from: chunkStart - origin, before: chunkEnd - origin, readings: &readings)
        }
        guard let clear, let end else { return false }
        chunkStart = origin + end
        sequence.forgetCarrier()
        if let last = readings.last {
            sequence.follow(
                clock: clear.clock, frequencies: clear.frequencies ?? sequence.sender.frequencies,
                amplitude: last.evidence.amplitude)
        }
        isClear = true
        report(origin: origin, into: &events)
        return true
    }

    /// Reads the stretch as a sequence, up to a time.
    private mutating func readStrongly(before limit: Double, into events: inout [LineEvent]) {
        let (base, origin) = (Int(chunkStart) - soundStart, chunkStart.rounded(.down))
        // Behind the end of the recording there is silence.
        let count = Int((limit - origin + Self.aheadBits * samplesPerBit).rounded(.up)) + 2
        filtered.removeAll(keepingCapacity: true)
        filtered.growWiping(toHold: count)
        sound.withSamples { sound in
            var filter = ButterworthFilter(.highPass, turns: corner)
            for index in 0..<base { _ = filter.filter(sound[index]) }
            for index in base..<min(base + count, sound.count) { filtered.append(filter.filter(sound[index])) }
        }
        filtered.resize(count)
        let end = readFiltered(from: chunkStart - origin, before: limit - origin)
        chunkStart = origin + end
        let last = sequence.isLocked ? readings.last : nil
        clear?.follow(
            clock: sequence.isLocked ? sequence.sender.clock : 1,
            beginning: last.map { $0.end == end ? .stopBit : .mark } ?? .unknown)
        isClear = false
        report(origin: origin, into: &events)
    }

    /// Reports what was read, and what it says of the line.
    private mutating func report(origin: Double, into events: inout [LineEvent]) {
        for reading in readings { report(reading, isClear ? .fast : .strong, origin: origin, into: &events) }
        noteLine()
        if let burst, chunkStart - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
    }

    /// The filtered sound is held no longer than this: a change of it would leave a copy behind.
    private mutating func readFiltered(from offset: Double, before limit: Double) -> Double {
        let filtered = filtered
        return sequence.read(filtered.span, from: offset, before: limit, readings: &readings)
    }

    private mutating func report(
        _ reading: SequenceDecoder.Reading, _ tier: DecoderTier, origin: Double, into events: inout [LineEvent]
    ) {
        let start = origin + reading.start
        let isWithin = burst.map { start - $0.end < Self.holdBits * samplesPerBit } ?? false
        let least = isWithin ? SequenceDecoder.leastEvidenceWithin : SequenceDecoder.leastEvidence
        // The silence behind the end of a recording does not count as a stop bit.
        let isWhole = origin + reading.end <= recordingEnd + Self.mostMissing * samplesPerBit
        guard isWhole, !isSquelched || reading.evidence.bitEnergyToNoise >= least else { return }
        if let burst, start - burst.end > Self.pauseBits * samplesPerBit { closeBurst(into: &events) }
        let character = framing.character(reading, startSample: start, tier)
        events.append(.character(character))
        var meter = burst ?? BurstMeter(start: start)
        meter.add(character, evidence: reading.evidence, end: origin + reading.end)
        burst = meter
    }

    /// Tells the burst's meter of its clock and its tones. Those of the fast tier are those of clear sound.
    private mutating func noteLine() {
        burst?.note(
            baud: shift.baud * (isClear ? clear?.clock ?? 1 : sequence.sender.clock),
            frequencies: clear?.frequencies ?? sequence.sender.frequencies)
    }

    private mutating func closeBurst(into events: inout [LineEvent]) {
        noteLine()
        guard let burst else { return }
        events.append(.burst(burst.result(sampleRate: sampleRate)))
        self.burst = nil
        sequence.unlock()
        clear?.forgetBurst()
    }
}
