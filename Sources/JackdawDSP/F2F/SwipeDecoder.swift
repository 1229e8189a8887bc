/// Decodes the sound of a magnetic-stripe head to messages, in blocks of any size and recordings of any length.
///
/// The events do not depend on the block size. The decoder works from 8 to 192 kHz, with either polarity and either
/// swipe direction.
///
/// ```swift
/// var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
/// for event in decoder.receive(samples.span) + decoder.finish() { ... }
/// ```
public struct SwipeDecoder: Sendable {
    /// The settings of a decoder.
    public struct Configuration: Sendable, Hashable {
        /// Samples per second, 8,000 to 192,000 Hz.
        public var sampleRate: Double
        /// Tracks to report; default: all three.
        public var tracks: Set<TrackNumber>
        /// Whether segments that the fast tier could not prove go to the strong tier; default: true.
        public var usesStrongTier: Bool

        /// Creates a configuration; only the sample rate has no default.
        /// - Parameters:
        ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
        ///   - tracks: tracks to report.
        ///   - usesStrongTier: whether to use the strong tier on segments that the fast tier could not prove.
        public init(
            sampleRate: Double, tracks: Set<TrackNumber> = Set(TrackNumber.allCases), usesStrongTier: Bool = true
        ) {
            self.sampleRate = sampleRate
            self.tracks = tracks
            self.usesStrongTier = usesStrongTier
        }
    }

    /// The settings with which this decoder was made.
    public let configuration: Configuration

    private var gate: ActivityGate
    private var tiers: SegmentDecoder
    /// Sound from the pre-roll on.
    private var buffer: SoundBuffer
    /// Position of the buffer's first sample, counted from the last reset.
    private var bufferStart = 0
    /// End of the last complete hop in the buffer.
    private var hopEnd = 0
    /// Messages that begin before this position are not reported again,
    private var readUntil = 0
    /// nor are failures that begin before this one.
    private var reportedUntil = 0
    private var swipes = 0
    /// Energies of the hops of the open segment, after those of some hops before it.
    private var energies: [Float] = []
    /// Index of the segment's first hop in them.
    private var firstHop = 0
    private var pause = PauseWatch()
    /// Samples that were decoded at pauses of the open segment.
    private var samplesTried = 0
    /// Samples of the open segment until the last pause; nil if they were not decoded.
    private var samplesUntilPause: Int?
    /// The failures at the last pause at which a message was decoded; nil if no message was.
    private var failuresAtPause: [SegmentFailure]?
    /// Collects the segments, if this decoder only finds them.
    private var scout: SegmentScout?
    /// Returns the findings of a look if another thread has them.
    package var findingsAhead: (@Sendable (SegmentLook) -> DecodedLook?)?

    private let hop: Int
    /// In silence, the sound cycles through a part of the buffer that fits in the nearest cache.
    private let quietRoom: Int
    /// Delay of the comb filter before the gate: it passes 0.5 to 6 kHz and removes hum.
    private let combDelay: Int

    /// Sample rates that the decoder accepts, in Hz.
    public static let sampleRates = 8_000.0...192_000.0
    /// One and a half steps of 16-bit sound: anything below is silence.
    private static let leastStep: Float = 1.5 / 32_768
    private static let combFrequency = 6_300.0
    private static let hopSeconds = 0.0058
    private static let quietSamples = 8_192
    /// Samples that are decoded at pauses, at most, as a multiple of the segment's length: speech pauses all the time.
    private static let maxAttempts = 2
    /// Hops before a segment whose energies are kept: 0.64 to 0.74 s.
    private static let hopsBefore = 128
    /// Hops by which the gate, because of its smoothing, may detect the end of a swipe later than a pause begins.
    private static let gateLag = 2

    /// Creates a decoder at the start of a recording.
    /// - Throws: ``SwipeDecoderError`` with code `unsupportedSampleRate` outside ``sampleRates``.
    public init(configuration: Configuration) throws(SwipeDecoderError) {
        guard Self.sampleRates.contains(configuration.sampleRate) else {
            throw SwipeDecoderError(unsupportedSampleRate: configuration.sampleRate)
        }
        self.configuration = configuration
        hop = max(8, Int(configuration.sampleRate * Self.hopSeconds) / 8 * 8)
        combDelay = max(1, Int((configuration.sampleRate / Self.combFrequency).rounded()))
        gate = Self.makeGate(sampleRate: configuration.sampleRate, hop: hop)
        tiers = SegmentDecoder(sampleRate: configuration.sampleRate, usesStrongTier: configuration.usesStrongTier)
        quietRoom = max(Self.quietSamples, 3 * gate.preRollHops * hop)
        energies.reserveCapacity(2 * Self.hopsBefore)
        buffer = SoundBuffer(capacity: (gate.maxHops + 2 * gate.preRollHops + gate.quietHops + 8) * hop)
    }

    private static func makeGate(sampleRate: Double, hop: Int) -> ActivityGate {
        ActivityGate(
            hopSeconds: Double(hop) / sampleRate, hopSamples: hop, leastEnergy: leastStep * leastStep * Float(hop))
    }

    /// Processes the next samples, full scale -1 to 1, and returns the events that they complete. A sample that is not
    /// a number, or with a magnitude of 1e6 or more, counts as 0.
    public mutating func receive(_ samples: Span<Float>) -> [SwipeEvent] {
        var start = 0
        return unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source, from: &start, stopsAtEvents: false) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    /// Processes the next 16-bit samples and returns the events that they complete; the events are the same as for
    /// `Float` input.
    public mutating func receive(_ samples: Span<Int16>) -> [SwipeEvent] {
        var start = 0
        return unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source, from: &start, stopsAtEvents: false) { Float($0) * (1 / 32_768) }
        }
    }

    /// Processes samples until some of them complete an event, so that the caller knows the position of each event.
    /// - Parameters:
    ///   - samples: as for ``receive(_:)``.
    ///   - start: the index of the first sample to process; afterwards of the first one that was not processed.
    /// - Returns: the events that the last processed sample completes; none if all samples were processed.
    package mutating func receive(_ samples: Span<Float>, from start: inout Int) -> [SwipeEvent] {
        unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source, from: &start, stopsAtEvents: true) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    /// Processes 16-bit samples until some of them complete an event, as for `Float` samples.
    package mutating func receive(_ samples: Span<Int16>, from start: inout Int) -> [SwipeEvent] {
        unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source, from: &start, stopsAtEvents: true) { Float($0) * (1 / 32_768) }
        }
    }

    /// Whether a segment is open that may be a swipe; the result is reported at its end.
    package var isInSegment: Bool { gate.isOpen }

    /// Ends the recording: decodes the open segment and overwrites all sound. Call ``reset()`` before the next
    /// recording.
    public mutating func finish() -> [SwipeEvent] {
        defer { dropSound() }
        return gate.isOpen ? decodeSegment() : []
    }

    /// Reports missing samples: decodes the open segment, and continues at a position `count` samples later.
    /// - Parameter count: samples that were lost, 0 or more.
    /// - Returns: the events before the gap.
    public mutating func skip(_ count: Int) -> [SwipeEvent] {
        precondition(count >= 0, "the count must be 0 or more")
        let events = finish()
        bufferStart += count
        return events
    }

    /// Discards all state and starts a new recording; the memory stays allocated.
    public mutating func reset() {
        dropSound()
        tiers.reset()
        bufferStart = 0
        readUntil = 0
        reportedUntil = 0
        swipes = 0
    }

    private mutating func dropSound() {
        tiers.dropSound()
        bufferStart += buffer.keepLast(0)
        buffer.wipeDropped()
        gate = Self.makeGate(sampleRate: configuration.sampleRate, hop: hop)
        energies.removeAll(keepingCapacity: true)
        firstHop = 0
        beginPauses()
        hopEnd = 0
    }

    @inline(__always)
    private mutating func receive<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, from start: inout Int, stopsAtEvents: Bool, convert: (Sample) -> Float
    ) -> [SwipeEvent] {
        var events: [SwipeEvent] = []
        var taken = start
        defer { start = taken }
        while taken < samples.count, !stopsAtEvents || events.isEmpty {
            let count = min(samples.count - taken, hopEnd + hop - buffer.count)
            unsafe buffer.append(samples.baseAddress! + taken, count: count, convert: convert)
            taken += count
            if buffer.count == hopEnd + hop { completeHop(&events) }
        }
        return events
    }

    private mutating func completeHop(_ events: inout [SwipeEvent]) {
        let energy = hopEnergy()
        hopEnd += hop
        let decision = gate.receive(energy: energy)
        if decision == .opened {
            keepEnergies(Self.hopsBefore)
            firstHop = energies.count
            beginPauses()
        }
        if gate.isOpen { energies.append(energy) }
        switch decision {
        case .quiet:
            energies.append(energy)
            if energies.count >= 2 * Self.hopsBefore { keepEnergies(Self.hopsBefore) }
            if buffer.count >= quietRoom { keepLast(gate.preRollHops * hop) }
        case .opened:
            keepLast(gate.preRollHops * hop)
        case .active:
            if pause.receive(energy: energy) { events += readAtPause() }
        case .closed:
            events += decodeSegment()
            energies.append(energy)
            // The kept sound stays unchanged: if the sound has an offset, zeros instead of it would be a step.
            keepLast(gate.preRollHops * hop)
            buffer.wipeDropped()
        case .overlong:
            // A swipe may extend across the cut: the second half is decoded again with the sound that follows.
            let kept = gate.maxHops / 2 * hop
            failuresAtPause = nil
            events += decodeSegment(retriedFrom: buffer.count - kept)
            keepLast(kept)
            keepEnergies(gate.maxHops / 2)
            firstHop = 0
            beginPauses()
        }
    }

    /// Drops the energies of all hops except the last ones.
    private mutating func keepEnergies(_ count: Int) { energies.removeFirst(max(0, energies.count - count)) }

    /// Whether the segment is noise that cannot contain a swipe.
    private var isNoise: Bool {
        if SteadyNoise.isSteady(Array(energies[firstHop...]), hopSamples: hop) { return true }
        return buffer.withSamples { SteadyNoise.isBandNoise(energies, $0, delay: combDelay, hopSamples: hop) }
    }

    /// Whether the gate has detected nothing since the last pause: it closes this many hops after the last activity.
    private var isQuietSincePause: Bool { pause.hopsSincePause.map { $0 <= gate.quietHops + Self.gateLag } ?? false }

    private mutating func beginPauses() {
        pause.begin()
        scout?.begin()
        samplesTried = 0
        samplesUntilPause = nil
        failuresAtPause = nil
    }

    /// Decodes the messages that are already complete when an open segment pauses, so that a swipe is reported at once.
    /// Failures are tried again at the end of the segment.
    private mutating func readAtPause() -> [SwipeEvent] {
        // The failures at an earlier pause do not cover the sound since then.
        failuresAtPause = nil
        samplesUntilPause = nil
        guard samplesTried <= Self.maxAttempts * buffer.count, !isNoise else {
            scout?.notePause(after: nil)
            return []
        }
        let count = buffer.count
        samplesTried += count
        samplesUntilPause = count
        guard scout == nil else {
            scout?.notePause(after: count)
            return []
        }
        guard var found = findings(count, isEarly: true), let last = found.readings.last else { return [] }
        let end = Int(last.boundaries[0])
        failuresAtPause = found.failures.filter { $0.range.lowerBound >= end }
        found.failures.removeAll { $0.range.lowerBound >= end }
        return report(found)
    }

    /// Energy of the hop after the comb filter.
    private func hopEnergy() -> Float {
        let delay = combDelay
        let last = hopEnd + hop - 8
        var index = max(hopEnd, delay)
        return buffer.withSamples { samples in
            precondition(last + 8 <= samples.count)
            return unsafe samples.withUnsafeBytes { bytes in
                let base = bytes.baseAddress!
                var sum = SIMD8<Float>.zero
                while index <= last {
                    let here = unsafe base.loadUnaligned(fromByteOffset: 4 &* index, as: SIMD8<Float>.self)
                    let before = unsafe base.loadUnaligned(
                        fromByteOffset: 4 &* (index &- delay), as: SIMD8<Float>.self)
                    let change = here - before
                    sum += change * change
                    index &+= 8
                }
                return sum.sum()
            }
        }
    }

    /// Drops all samples except the last ones.
    private mutating func keepLast(_ count: Int) {
        let dropped = buffer.keepLast(count)
        hopEnd -= dropped
        bufferStart += dropped
    }

    /// Decodes the buffer, or the sound until the last pause if only silence has followed it. Failures from
    /// `retriedFrom` on are left for the next segment, which contains them again.
    private mutating func decodeSegment(retriedFrom: Int? = nil) -> [SwipeEvent] {
        let endsAtPause = retriedFrom == nil && isQuietSincePause
        guard scout == nil else {
            let (sound, start, isNoise) = (buffer, bufferStart, isNoise)
            scout?.end(sound, start: start, isDecoded: !isNoise, isQuietSincePause: endsAtPause)
            return []
        }
        if let failuresAtPause, isQuietSincePause { return report(.init(failures: failuresAtPause)) }
        let count = endsAtPause ? samplesUntilPause ?? buffer.count : buffer.count
        guard !isNoise, var found = findings(count, isEarly: false) else {
            return report(.init(failures: [SegmentFailure(reason: .noBitCells, range: 0..<buffer.count)]))
        }
        if let retriedFrom { found.failures.removeAll { $0.range.lowerBound >= retriedFrom } }
        // A failure that reaches the pause covers the silence after it.
        for index in found.failures.indices where found.failures[index].range.upperBound == count {
            found.failures[index].range = found.failures[index].range.lowerBound..<buffer.count
        }
        return report(found)
    }

    /// The findings in the first samples of the buffer: of another thread, if it has searched as this decoder would, or
    /// of its own search.
    private mutating func findings(_ count: Int, isEarly: Bool) -> SegmentDecoder.Findings? {
        let look = SegmentLook(start: bufferStart, count: count, isEarly: isEarly)
        if let ahead = findingsAhead?(look), tiers.take(ahead, isEarly: isEarly) { return ahead.findings }
        let sound = buffer
        return sound.withSamples { tiers.look(look, at: $0).findings }
    }

    /// The outlook for the next segment.
    package var outlook: SegmentWorker.Outlook { SegmentWorker.Outlook(patience: tiers.patience) }

    /// Lets this decoder only find segments from here on.
    package mutating func beginScouting() {
        scout = SegmentScout()
    }

    /// Removes and returns the segments that have ended since the last call.
    package mutating func takeSegments() -> [FoundSegment] { scout?.takeSegments() ?? [] }

    /// The events for findings that were not reported before, in the order of time.
    private mutating func report(_ found: SegmentDecoder.Findings) -> [SwipeEvent] {
        let offset = bufferStart
        let failures = found.failures.filter { offset + $0.range.lowerBound >= reportedUntil }
        let readings = found.readings.filter { offset + Int($0.boundaries[0]) >= readUntil }
        var events: [SwipeEvent] = []
        var unreported = failures.sorted { $0.range.lowerBound < $1.range.lowerBound }[...]
        for reading in readings {
            let before = unreported.prefix { Float($0.range.lowerBound) < reading.boundaries[0] }
            for failure in before { events.append(event(failure)) }
            unreported = unreported.dropFirst(before.count)
            readUntil = offset + reading.extent.upperBound
            reportedUntil = max(reportedUntil, readUntil)
            let track = reading.decodedTrack(offset: offset, swipe: swipes, sampleRate: configuration.sampleRate)
            swipes += 1
            if configuration.tracks.contains(track.track) { events.append(.track(track)) }
        }
        for failure in unreported { events.append(event(failure)) }
        return events
    }

    private mutating func event(_ failure: SegmentFailure) -> SwipeEvent {
        reportedUntil = max(reportedUntil, bufferStart + failure.range.upperBound)
        defer { swipes += 1 }
        return .failure(
            failure.swipeFailure(offset: bufferStart, swipe: swipes, sampleRate: configuration.sampleRate))
    }
}

/// The error of making a decoder.
public struct SwipeDecoderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unsupportedSampleRate }
        private let kind: Kind
        /// The sample rate is outside ``SwipeDecoder/sampleRates``.
        public static let unsupportedSampleRate = Code(kind: .unsupportedSampleRate)
    }

    /// The kind of error, for programs to compare.
    public let code: Code
    /// The value and its range, in one line.
    public let message: String

    public var description: String { message }

    init(unsupportedSampleRate rate: Double) {
        code = .unsupportedSampleRate
        message = "the sample rate is \(rate) Hz; swipes are decoded from 8000 to 192000 Hz"
    }
}
