/// Something that sounds frame by frame, on any number of channels.
protocol FrameSource {
    /// Samples of a frame.
    var channelCount: Int { get }

    /// Before the samples of a frame.
    mutating func beginFrame()
    /// A channel's sample of this frame.
    func sample(_ channel: Int) -> Float
    /// Goes on to the next frame.
    mutating func advance()
}

extension FrameSource {
    /// Fills a block with the next frames, channels interleaved.
    @inline(__always)
    mutating func fill(_ block: inout MutableSpan<Float>) {
        precondition(block.count.isMultiple(of: channelCount), "a block holds whole frames")
        for start in stride(from: 0, to: block.count, by: channelCount) {
            beginFrame()
            for channel in 0..<channelCount { block[start + channel] = sample(channel) }
            advance()
        }
    }

    /// Appends the next frames, channels interleaved.
    @inline(__always)
    mutating func extend(_ samples: inout [Float], frames count: Int) {
        for _ in 0..<count {
            beginFrame()
            for channel in 0..<channelCount { samples.append(sample(channel)) }
            advance()
        }
    }
}
