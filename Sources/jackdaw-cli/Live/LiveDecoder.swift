import JackdawDSP

/// Decodes the swipes in captured sound, each channel by itself, across what was lost.
///
/// A card with one input may give its sound on two channels: while they are the same to the bit, the first one stands for all.
struct LiveDecoder: ~Copyable {
    /// Channels that are decoded, from 0.
    let channels: Range<Int>
    private let channelCount: Int
    /// One for each channel, or one alone while the channels are the same.
    private var decoders: [SwipeDecoder]
    /// The samples of one channel of a block.
    private var lane: [Float] = []

    /// A decoder.
    /// - Parameters:
    ///   - sampleRate: frames per second (Hz).
    ///   - channels: the channels to decode, from 0.
    ///   - channelCount: samples of a frame.
    /// - Throws: ``CommandError`` for a rate that cannot be decoded.
    init(sampleRate: Double, channels: Range<Int>, of channelCount: Int) throws(CommandError) {
        self.channels = channels
        self.channelCount = channelCount
        do throws(SwipeDecoderError) {
            decoders = [try SwipeDecoder(configuration: .init(sampleRate: sampleRate))]
        } catch {
            throw CommandError(.badData, error.description)
        }
    }

    /// Channels that are decoded by themselves.
    var distinctChannels: Range<Int> { channels.lowerBound..<channels.lowerBound + decoders.count }

    /// Takes the next frames.
    /// - Parameters:
    ///   - samples: channels interleaved.
    ///   - heard: gets each channel's samples.
    /// - Returns: what they completed, with its channel.
    mutating func receive(
        _ samples: Span<Float>, heard: (Int, Span<Float>) -> Void
    ) -> [(channel: Int, event: SwipeEvent)] {
        if decoders.count < channels.count, !areSame(samples) {
            // What the first has heard is what the others had.
            decoders = Array(repeating: decoders[0], count: channels.count)
        }
        var found: [(channel: Int, event: SwipeEvent)] = []
        var lane: [Float] = []
        swap(&lane, &self.lane)
        for channel in channels {
            lane.growWiping(by: samples.count / channelCount)
            for index in stride(from: channel, to: samples.count, by: channelCount) { lane.append(samples[index]) }
            heard(channel, lane.span)
            let index = channel - channels.lowerBound
            if index < decoders.count { found += decoders[index].receive(lane.span).map { (channel, $0) } }
            lane.removeWiping()
        }
        swap(&lane, &self.lane)
        return found
    }

    /// Goes on behind frames that were lost; 0 of them end what is open.
    /// - Returns: what lay before them, with its channel.
    mutating func skip(_ frames: Int) -> [(channel: Int, event: SwipeEvent)] {
        var found: [(channel: Int, event: SwipeEvent)] = []
        for channel in distinctChannels {
            let index = channel - channels.lowerBound
            found += decoders[index].skip(frames).map { (channel, $0) }
        }
        return found
    }

    /// Whether all channels of a block are the same to the bit.
    private func areSame(_ samples: Span<Float>) -> Bool {
        for frame in stride(from: 0, to: samples.count, by: channelCount) {
            let first = samples[frame + channels.lowerBound].bitPattern
            for channel in channels.dropFirst() where samples[frame + channel].bitPattern != first { return false }
        }
        return true
    }
}
