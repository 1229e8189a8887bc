import JackdawDSP

/// Decodes the swipes in captured sound, each channel on its own, and continues after lost frames.
///
/// A card with one input may deliver its sound on two channels. As long as all channels are identical to the bit, only
/// the first one is decoded.
struct LiveDecoder: ~Copyable {
    /// Channels that are decoded, from 0.
    let channels: Range<Int>
    private let channelCount: Int
    /// One decoder for each channel, or a single one as long as the channels are identical.
    private var decoders: [SwipeDecoder]
    /// The samples of one channel of a block.
    private var lane: [Float] = []

    /// Creates a decoder.
    /// - Parameters:
    ///   - sampleRate: frames per second (Hz).
    ///   - channels: the channels to decode, from 0.
    ///   - channelCount: samples of a frame.
    /// - Throws: ``CommandError`` if the decoder does not support the sample rate.
    init(sampleRate: Double, channels: Range<Int>, of channelCount: Int) throws(CommandError) {
        self.channels = channels
        self.channelCount = channelCount
        do throws(SwipeDecoderError) {
            decoders = [try SwipeDecoder(configuration: .init(sampleRate: sampleRate))]
        } catch {
            throw CommandError(.badData, error.description)
        }
    }

    /// The channels that have a decoder of their own.
    var distinctChannels: Range<Int> { channels.lowerBound..<channels.lowerBound + decoders.count }

    /// Decodes the next frames.
    /// - Parameters:
    ///   - samples: channels interleaved.
    ///   - heard: receives each channel's samples.
    /// - Returns: the events that these frames complete, each with its channel.
    mutating func receive(
        _ samples: Span<Float>, heard: (Int, Span<Float>) -> Void
    ) -> [(channel: Int, event: SwipeEvent)] {
        if decoders.count < channels.count, !areSame(samples) {
            // The other channels had the same samples so far, so they start with the first decoder's state.
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

    /// Continues after lost frames; a count of 0 ends any open swipe.
    /// - Returns: the events from before the gap, each with its channel.
    mutating func skip(_ frames: Int) -> [(channel: Int, event: SwipeEvent)] {
        var found: [(channel: Int, event: SwipeEvent)] = []
        for channel in distinctChannels {
            let index = channel - channels.lowerBound
            found += decoders[index].skip(frames).map { (channel, $0) }
        }
        return found
    }

    /// Whether all channels of a block are identical to the bit.
    private func areSame(_ samples: Span<Float>) -> Bool {
        for frame in stride(from: 0, to: samples.count, by: channelCount) {
            let first = samples[frame + channels.lowerBound].bitPattern
            for channel in channels.dropFirst() where samples[frame + channel].bitPattern != first { return false }
        }
        return true
    }
}
