import JackdawDSP

/// Sample rates that tones are tried at, in Hz.
let toneRates = [8_000.0, 24_000, 44_100, 48_000, 96_000, 192_000]

/// The frames of a source in blocks of a size: 1, 7, 240 or all of them.
func inBlocks(
    of size: Int, frames: Int, channels: Int, _ render: (inout MutableSpan<Float>) -> Void
) -> [Float] {
    var result: [Float] = []
    var start = 0
    while start < frames {
        let count = min(size, frames - start)
        var block = [Float](repeating: .nan, count: count * channels)
        var span = block.mutableSpan
        render(&span)
        result += block
        start += count
    }
    return result
}

/// One channel of interleaved frames.
func channel(_ index: Int, of samples: [Float], count: Int) -> [Float] {
    stride(from: index, to: samples.count, by: count).map { samples[$0] }
}

/// The largest difference between neighbouring samples.
func largestStep(_ samples: [Float]) -> Float {
    zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
}
