// Sound of a magnetic head to cards.
import JackdawBytes
import JackdawCards
public import JackdawDSP

/// Reads cards from the sound of a magnetic head: decodes each channel and joins the tracks of one swipe to a card.
///
/// The events, and their order, do not depend on the block size. The reader works from 8 to 192 kHz; it does not
/// allocate while no card passes.
///
/// ```swift
/// var reader = try HeadReader(configuration: .init(sampleRate: 48_000, channelCount: 2))
/// for event in reader.receive(samples.span) + reader.finish() {
///     switch event {
///     case .card(let swipe): print(swipe.card)
///     case .failure(let failure, channel: let channel): print("channel \(channel + 1): \(failure)")
///     case .track: break
///     }
/// }
/// ```
public struct HeadReader: Sendable {
    /// The settings of a reader.
    public struct Configuration: Sendable, Hashable {
        /// Frames per second, 8,000 to 192,000 Hz.
        public var sampleRate: Double
        /// Samples in a frame of interleaved sound, 1 or more.
        public var channelCount: Int
        /// The channels to decode, from 0; a range that is not empty, below ``channelCount``.
        public var channels: Range<Int>
        /// Tracks that make a card; default: all three. Other tracks are reported, each by itself.
        public var tracks: Set<TrackNumber>
        /// Seconds that a card waits, after the end of its last track, for a track from another channel; 0 or more.
        /// Default: 2 s, because each channel reports its track only when it has fallen silent. A card that one channel
        /// reads does not wait.
        public var patience: Double
        /// Whether only the first channel is decoded as long as all channels are identical to the bit: a sound card
        /// with one input may deliver it on two channels. Default: true. Applies to interleaved sound.
        public var decodesEqualChannelsOnce: Bool

        /// Creates a configuration; only the sample rate has no default.
        /// - Parameters:
        ///   - sampleRate: frames per second, 8,000 to 192,000 Hz.
        ///   - channelCount: samples in a frame.
        ///   - channels: the channels to decode, from 0; nil for all.
        ///   - tracks: tracks that make a card.
        ///   - patience: seconds that a card waits for a track from another channel.
        ///   - decodesEqualChannelsOnce: whether channels are decoded once as long as they are identical.
        public init(
            sampleRate: Double, channelCount: Int = 1, channels: Range<Int>? = nil,
            tracks: Set<TrackNumber> = Set(TrackNumber.allCases), patience: Double = 2,
            decodesEqualChannelsOnce: Bool = true
        ) {
            self.sampleRate = sampleRate
            self.channelCount = channelCount
            self.channels = channels ?? 0..<max(0, channelCount)
            self.tracks = tracks
            self.patience = patience
            self.decodesEqualChannelsOnce = decodesEqualChannelsOnce
        }
    }

    /// The events of a channel's decoder that one sample completed.
    private struct Arrival {
        /// Samples of the channel until then, lost ones included.
        let position: Int
        let channel: Int
        let events: [SwipeEvent]
    }

    /// The settings with which this reader was made.
    public let configuration: Configuration

    /// A decoder for each channel, or a single one as long as the channels are identical.
    private var decoders: [SwipeDecoder]
    /// Samples of each decoded channel, lost ones included.
    private var positions: [Int]
    /// Events that wait until all channels have been decoded up to their positions.
    private var arrivals: [Arrival] = []
    private var assembler = CardAssembler()
    /// Returns the findings of a look at a channel's sound if another thread has them.
    private var findingsAhead: (@Sendable (Int, SegmentLook) -> DecodedLook?)?
    /// The samples of one channel of a block; overwritten after each block.
    private var lane: [Float] = []

    /// Creates a reader at the start of a recording. The channels must be in the range that
    /// ``Configuration/channels`` names.
    /// - Throws: `SwipeDecoderError` with code `unsupportedSampleRate`.
    public init(configuration: Configuration) throws(SwipeDecoderError) {
        let channels = configuration.channels
        precondition(
            !channels.isEmpty && channels.lowerBound >= 0 && channels.upperBound <= configuration.channelCount,
            "the channels to decode must be channels of a frame")
        self.configuration = configuration
        decoders = [try SwipeDecoder(configuration: .init(sampleRate: configuration.sampleRate))]
        positions = [0]
        if !configuration.decodesEqualChannelsOnce { decodeEachChannel() }
    }

    /// The channels that have a decoder of their own.
    package var distinctChannels: Range<Int> {
        configuration.channels.lowerBound..<configuration.channels.lowerBound + decoders.count
    }

    /// Processes the next frames.
    /// - Parameter samples: channels interleaved, full scale -1 to 1, whole frames. A sample that is not a number, or
    ///   with a magnitude of 1e6 or more, counts as 0.
    /// - Returns: the events that these frames complete.
    public mutating func receive(_ samples: Span<Float>) -> [HeadEvent] {
        guard configuration.channelCount > 1 else { return receive(samples, channel: 0) }
        return receive(samples, eachChannel: { _, _ in })
    }

    /// Processes the next 16-bit frames, channels interleaved. The events are the same as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>) -> [HeadEvent] {
        guard configuration.channelCount > 1 else { return receive(samples, channel: 0) }
        return receive(samples, needsAllLanes: false) { _, _ in
        } value: {
            Float($0) * (1 / 32_768)
        }
    }

    /// Processes the next frames, and passes on the samples of each channel to decode, also of identical ones.
    /// - Parameters:
    ///   - samples: channels interleaved.
    ///   - eachChannel: receives a channel, from 0, and its samples, in one or more pieces.
    /// - Returns: the events that these frames complete.
    package mutating func receive(
        _ samples: Span<Float>, eachChannel: (Int, Span<Float>) -> Void
    ) -> [HeadEvent] {
        receive(samples, needsAllLanes: true, eachChannel) { $0 }
    }

    /// Processes the next samples of one channel. All channels to decode must get the same number of samples before
    /// the recording ends, in any order.
    /// - Parameters:
    ///   - samples: full scale -1 to 1.
    ///   - channel: one of ``Configuration/channels``.
    /// - Returns: the events up to the position that all channels have reached.
    public mutating func receive(_ samples: Span<Float>, channel: Int) -> [HeadEvent] {
        decodeEachChannel()
        decode(samples, channel)
        return events()
    }

    /// Processes the next 16-bit samples of one channel. The events are the same as for `Float` input.
    public mutating func receive(_ samples: Span<Int16>, channel: Int) -> [HeadEvent] {
        decodeEachChannel()
        let index = channel - configuration.channels.lowerBound
        var taken = 0
        while taken < samples.count {
            note(decoders[index].receive(samples, from: &taken), index, taken)
        }
        positions[index] += samples.count
        return events()
    }

    /// Reports missing frames: ends any open swipe, and continues that many frames later.
    /// - Parameter count: lost frames, 0 or more.
    /// - Returns: the events before the gap. No card spans it.
    public mutating func skip(_ count: Int) -> [HeadEvent] {
        let last = positions.max() ?? 0
        for index in decoders.indices {
            note(decoders[index].skip(count), index, 0)
            positions[index] = last + count
        }
        return lastEvents()
    }

    /// Ends the recording: decodes any open swipe, completes all cards and overwrites all sound. Call ``reset()``
    /// before the next recording.
    /// - Returns: the last events.
    public mutating func finish() -> [HeadEvent] {
        for index in decoders.indices { note(decoders[index].finish(), index, 0) }
        return lastEvents()
    }

    /// Discards all state and starts a new recording; the memory stays allocated.
    public mutating func reset() {
        for index in decoders.indices {
            decoders[index].reset()
            positions[index] = 0
        }
        arrivals.removeAll(keepingCapacity: true)
        assembler = CardAssembler()
    }

    /// The outlook for the next segment of a channel that has a decoder of its own.
    package func outlook(channel: Int) -> SegmentWorker.Outlook {
        decoders[channel - configuration.channels.lowerBound].outlook
    }

    /// Lets this reader only find segments from here on. It reports no events.
    package mutating func beginScouting() {
        arrivals.removeAll()
        assembler = CardAssembler()
        for index in decoders.indices { decoders[index].beginScouting() }
    }

    /// Removes and returns the segments that have ended since the last call, each with its channel.
    package mutating func takeSegments() -> [(channel: Int, segment: FoundSegment)] {
        var segments: [(channel: Int, segment: FoundSegment)] = []
        for (index, channel) in distinctChannels.enumerated() {
            segments += decoders[index].takeSegments().map { (channel, $0) }
        }
        return segments
    }

    /// Lets this reader take the findings of other threads.
    /// - Parameter findings: returns the findings of a look at a channel's sound, or nil if there are none.
    package mutating func takeFindings(from findings: (@Sendable (Int, SegmentLook) -> DecodedLook?)?) {
        findingsAhead = findings
        passOnFindingsAhead()
    }

    /// Gives each channel a decoder of its own. The other channels had the same samples so far, so they start with the
    /// first decoder's state.
    private mutating func decodeEachChannel() {
        let count = configuration.channels.count
        guard decoders.count < count else { return }
        decoders = Array(repeating: decoders[0], count: count)
        positions = Array(repeating: positions[0], count: count)
        for index in decoders.indices.dropFirst() { _ = decoders[index].takeSegments() }
        passOnFindingsAhead()
    }

    private mutating func passOnFindingsAhead() {
        for (index, channel) in distinctChannels.enumerated() {
            decoders[index].findingsAhead = nil
            guard let findingsAhead else { continue }
            decoders[index].findingsAhead = { look in findingsAhead(channel, look) }
        }
    }

    @inline(__always)
    private mutating func receive<Sample: BitwiseCopyable & Equatable>(
        _ samples: Span<Sample>, needsAllLanes: Bool, _ eachChannel: (Int, Span<Float>) -> Void,
        value: (Sample) -> Float
    ) -> [HeadEvent] {
        let (count, channels) = (configuration.channelCount, configuration.channels)
        precondition(samples.count % count == 0, "the samples must be whole frames")
        let frames = samples.count / count
        var lane: [Float] = []
        swap(&lane, &self.lane)
        var start = 0
        if decoders.count < channels.count {
            // Up to the frame at which the channels begin to differ, whatever block it is in.
            var isEqual = true
            while start < frames, isEqual {
                let first = value(samples[start * count + channels.lowerBound]).bitPattern
                for channel in channels.dropFirst()
                where value(samples[start * count + channel]).bitPattern != first {
                    isEqual = false
                }
                if isEqual { start += 1 }
            }
            pass(0..<start)
            if start < frames { decodeEachChannel() }
        }
        pass(start..<frames)
        swap(&lane, &self.lane)
        return events()

        func pass(_ part: Range<Int>) {
            guard !part.isEmpty else { return }
            for channel in needsAllLanes ? channels : distinctChannels {
                lane.growWiping(toHold: part.count)
                for frame in part { lane.append(value(samples[frame * count + channel])) }
                eachChannel(channel, lane.span)
                if distinctChannels.contains(channel) { decode(lane.span, channel) }
                lane.wipe()
            }
        }
    }

    private mutating func decode(_ samples: Span<Float>, _ channel: Int) {
        let index = channel - configuration.channels.lowerBound
        var taken = 0
        while taken < samples.count {
            note(decoders[index].receive(samples, from: &taken), index, taken)
        }
        positions[index] += samples.count
    }

    private mutating func note(_ events: [SwipeEvent], _ index: Int, _ taken: Int) {
        guard !events.isEmpty else { return }
        let channel = configuration.channels.lowerBound + index
        arrivals.append(Arrival(position: positions[index] + taken, channel: channel, events: events))
    }

    /// The events up to the position that all channels have reached.
    private mutating func events() -> [HeadEvent] {
        guard !arrivals.isEmpty || assembler.isOpen else { return [] }
        let position = positions.min() ?? 0
        var events = events(upTo: position)
        completeCards(at: position, &events)
        return events
    }

    /// All events that are left, and the cards that are still open.
    private mutating func lastEvents() -> [HeadEvent] {
        var events = events(upTo: .max)
        completeCards(at: nil, &events)
        return events
    }

    /// The events in the order of their positions, then of their channels.
    private mutating func events(upTo position: Int) -> [HeadEvent] {
        guard !arrivals.isEmpty else { return [] }
        let ready = arrivals.filter { $0.position <= position }.sorted {
            ($0.position, $0.channel) < ($1.position, $1.channel)
        }
        arrivals.removeAll { $0.position <= position }
        var events: [HeadEvent] = []
        for (index, arrival) in ready.enumerated() {
            let isFirst = index == 0 || ready[index - 1].position < arrival.position
            if isFirst { completeCards(at: arrival.position, &events) }
            for event in arrival.events { receive(event, arrival.channel, &events) }
            let isLast = index == ready.count - 1 || ready[index + 1].position > arrival.position
            if isLast { completeCards(at: arrival.position, &events) }
        }
        return events
    }

    private mutating func receive(_ event: SwipeEvent, _ channel: Int, _ events: inout [HeadEvent]) {
        switch event {
        case .track(let decoded):
            let track = HeadTrack(decoded, channel: channel)
            events.append(.track(track))
            guard configuration.tracks.contains(decoded.track) else { return }
            if let card = assembler.add(track) { events.append(.card(card)) }
        case .failure(let failure): events.append(.failure(failure, channel: channel))
        }
    }

    /// Appends the cards that are complete at a position; nil at the end of the sound.
    private mutating func completeCards(at position: Int?, _ events: inout [HeadEvent]) {
        guard assembler.isOpen else { return }
        let isAlone = decoders.count == 1
        let time = isAlone ? nil : position.map { Double($0) / configuration.sampleRate }
        for card in assembler.completeCards(at: time, patience: configuration.patience) { events.append(.card(card)) }
    }
}
