/// Turns the sound of a magstripe head into messages, sample by sample or hour by hour.
///
/// Feed blocks of any size; the events are the same for every block size. Works from 8 to 192 kHz, either polarity,
/// either swipe direction.
///
/// ```swift
/// var decoder = try SwipeDecoder(configuration: .init(sampleRate: 44_100))
/// for event in decoder.receive(samples.span) + decoder.finish() { ... }
/// ```
public struct SwipeDecoder: Sendable, CustomReflectable {
    /// What a decoder is to look for.
    public struct Configuration: Sendable, Hashable {
        /// Samples per second, 8,000 to 192,000 Hz.
        public var sampleRate: Double
        /// Tracks to report; all three by default.
        public var tracks: Set<TrackNumber>
        /// Whether segments that the fast tier could not prove go to the strong tier; true by default.
        public var usesStrongTier: Bool

        /// A configuration.
        /// - Parameters:
        ///   - sampleRate: samples per second, 8,000 to 192,000 Hz.
        ///   - tracks: tracks to report.
        ///   - usesStrongTier: whether to spend the strong tier on what the fast tier could not prove.
        public init(
            sampleRate: Double, tracks: Set<TrackNumber> = Set(TrackNumber.allCases), usesStrongTier: Bool = true
        ) {
            self.sampleRate = sampleRate
            self.tracks = tracks
            self.usesStrongTier = usesStrongTier
        }
    }

    /// What this decoder looks for.
    public let configuration: Configuration

    private var gate: ActivityGate
    private var tiers: SegmentDecoder
    /// Sound since the pre-roll.
    private var buffer: SoundBuffer
    /// Position of the buffer's first sample since the last reset.
    private var bufferStart = 0
    /// End of the last complete hop in the buffer.
    private var hopEnd = 0
    /// No message that begins before this position is reported again,
    private var readUntil = 0
    /// and no failure that begins before this one.
    private var reportedUntil = 0
    private var swipes = 0
    /// Energies of the hops since the segment opened.
    private var energies: [Float] = []
    private var pause = PauseWatch()
    /// Samples that were decoded at pauses of the open segment.
    private var samplesTried = 0
    /// What failed at the pause at which something was read; nil where nothing was.
    private var failuresAtPause: [SegmentFailure]?

    private let hop: Int
    /// While nothing goes on, the sound goes round in as much of the buffer as stays in the nearest cache.
    private let quietRoom: Int
    /// Delay of the comb filter in front of the gate: it passes 0.5 to 6 kHz and keeps hum out.
    private let combDelay: Int

    /// Sample rates that the decoder takes, in Hz.
    public static let sampleRates = 8_000.0...192_000.0
    /// Full-scale step of 16-bit sound: what is below it is silence.
    private static let leastStep: Float = 1.5 / 32_768
    private static let combFrequency = 6_300.0
    private static let hopSeconds = 0.0058
    private static let quietSamples = 8_192
    /// Samples that are decoded at pauses, at most, as a multiple of what the segment holds: speech pauses all the time.
    private static let mostTries = 2
    /// Hops by which the gate, which smooths, may hear the end of a swipe later than a pause begins.
    private static let gateLag = 2

    /// A decoder at the start of a recording.
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
        buffer = SoundBuffer(capacity: (gate.mostHops + 2 * gate.preRollHops + gate.quietHops + 8) * hop)
    }

    private static func makeGate(sampleRate: Double, hop: Int) -> ActivityGate {
        ActivityGate(
            hopSeconds: Double(hop) / sampleRate, hopSamples: hop, leastEnergy: leastStep * leastStep * Float(hop))
    }

    /// Takes the next samples, full scale -1 to 1, and returns what they completed. A sample that is not a number, or is
    /// beyond any scale, counts as 0.
    public mutating func receive(_ samples: Span<Float>) -> [SwipeEvent] {
        unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source) { $0.magnitude < 1e6 ? $0 : 0 }
        }
    }

    /// Takes the next 16-bit samples and returns what they completed; the same events as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>) -> [SwipeEvent] {
        unsafe samples.withUnsafeBufferPointer { source in
            unsafe receive(source) { Float($0) * (1 / 32_768) }
        }
    }

    /// Whether something goes on that may be a swipe; what comes of it is reported when it is over.
    package var isInSegment: Bool { gate.isOpen }

    /// Ends the recording: decodes what is still open and overwrites all sound. Call ``reset()`` before the next recording.
    public mutating func finish() -> [SwipeEvent] {
        defer { dropSound() }
        return gate.isOpen ? decodeSegment() : []
    }

    /// Samples are missing here: decodes what is still open, and goes on as if so many had passed.
    /// - Parameter count: samples that were lost, 0 or more.
    /// - Returns: what lay before the gap.
    public mutating func skip(_ count: Int) -> [SwipeEvent] {
        precondition(count >= 0, "what was lost cannot be taken back")
        let events = finish()
        bufferStart += count
        return events
    }

    /// Forgets the past and starts a new recording, keeping its memory.
    public mutating func reset() {
        dropSound()
        tiers.reset()
        bufferStart = 0
        readUntil = 0
        reportedUntil = 0
        swipes = 0
    }

    private mutating func dropSound() {
        bufferStart += buffer.keepLast(0)
        buffer.wipeDropped()
        gate = Self.makeGate(sampleRate: configuration.sampleRate, hop: hop)
        beginPauses()
        hopEnd = 0
    }

    /// Reflection shows nothing of the sound.
    public var customMirror: Mirror {
        Mirror(self, children: ["configuration": configuration], displayStyle: .struct)
    }

    @inline(__always)
    private mutating func receive<Sample>(
        _ samples: UnsafeBufferPointer<Sample>, convert: (Sample) -> Float
    ) -> [SwipeEvent] {
        var events: [SwipeEvent] = []
        var taken = 0
        while taken < samples.count {
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
            energies.removeAll(keepingCapacity: true)
            beginPauses()
        }
        if gate.isOpen { energies.append(energy) }
        switch decision {
        case .quiet:
            if buffer.count >= quietRoom { keepLast(gate.preRollHops * hop) }
        case .opened:
            keepLast(gate.preRollHops * hop)
        case .active:
            if pause.receive(energy: energy) { events += readAtPause() }
        case .closed:
            events += decodeSegment()
            // What stays is quiet as it was: zeros in its place would be a step, where the sound has an offset.
            keepLast(gate.preRollHops * hop)
            buffer.wipeDropped()
        case .overlong:
            // A swipe may lie across the cut: the second half is looked at again with what follows.
            let kept = gate.mostHops / 2 * hop
            failuresAtPause = nil
            events += decodeSegment(retriedFrom: buffer.count - kept)
            keepLast(kept)
            beginPauses()
        }
    }

    /// Whether the gate has heard nothing since the last pause: it closes so long after what it heard last.
    private var isQuietSincePause: Bool { pause.hopsSincePause.map { $0 <= gate.quietHops + Self.gateLag } ?? false }

    private mutating func beginPauses() {
        pause.begin()
        samplesTried = 0
        failuresAtPause = nil
    }

    /// Reads what is whole already where an open segment pauses, so that a swipe is answered for at once; what fails is
    /// tried again when the segment is over.
    private mutating func readAtPause() -> [SwipeEvent] {
        // What was found at an earlier pause says nothing of what has come since.
        failuresAtPause = nil
        guard samplesTried <= Self.mostTries * buffer.count, !SteadyNoise.isSteady(energies, hopSamples: hop) else {
            return []
        }
        samplesTried += buffer.count
        let sound = buffer
        guard var found = sound.withSamples({ tiers.decodeEarly($0) }), let last = found.readings.last else {
            return []
        }
        let end = Int(last.boundaries[0])
        failuresAtPause = found.failures.filter { $0.range.lowerBound >= end }
        found.failures.removeAll { $0.range.lowerBound >= end }
        return report(found)
    }

    /// Energy of the hop behind the comb filter.
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

    /// Drops all but the last samples.
    private mutating func keepLast(_ count: Int) {
        let dropped = buffer.keepLast(count)
        hopEnd -= dropped
        bufferStart += dropped
    }

    /// Decodes what the buffer holds. What fails from `retriedFrom` on is left for the next segment, which holds it again.
    private mutating func decodeSegment(retriedFrom: Int? = nil) -> [SwipeEvent] {
        if let failuresAtPause, isQuietSincePause { return report(.init(failures: failuresAtPause)) }
        guard !SteadyNoise.isSteady(energies, hopSamples: hop) else {
            return report(.init(failures: [SegmentFailure(reason: .noBitCells, range: 0..<buffer.count)]))
        }
        let sound = buffer
        var found = sound.withSamples { tiers.decode($0) }
        if let retriedFrom { found.failures.removeAll { $0.range.lowerBound >= retriedFrom } }
        return report(found)
    }

    /// What is new among the findings in a segment, in the order of time.
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

/// Why a decoder could not be made.
public struct SwipeDecoderError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What went wrong. A struct, so that codes can be added.
    public struct Code: Sendable, Hashable {
        private enum Kind { case unsupportedSampleRate }
        private let kind: Kind
        /// The sample rate is outside ``SwipeDecoder/sampleRates``.
        public static let unsupportedSampleRate = Code(kind: .unsupportedSampleRate)
    }

    /// What went wrong.
    public let code: Code
    /// One line for a person.
    public let description: String

    init(unsupportedSampleRate rate: Double) {
        code = .unsupportedSampleRate
        description = "the sample rate is \(rate) Hz; swipes are decoded from 8000 to 192000 Hz"
    }
}
