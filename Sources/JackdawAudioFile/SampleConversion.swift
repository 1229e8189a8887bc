/// A 16-bit sample at full scale ±1: exactly v / 32,768.
@inline(__always)
func scaled(_ sample: Int16) -> Float { Float(sample) * 0x1p-15 }

/// The inverse of reading an integer of some bits: x · 2^(bits-1), to the nearest, limited to what the bits can hold.
/// - Parameters:
///   - sample: full scale ±1; 0 is written for what is not finite.
///   - bits: 16 or 24.
/// - Returns: a number of that many bits.
@inline(__always)
func quantised(_ sample: Float, bits: Int) -> Int32 {
    let fullScale = Float(1 << (bits - 1))
    guard sample.isFinite else { return 0 }
    return Int32(min(max(sample * fullScale, -fullScale), fullScale - 1).rounded(.toNearestOrEven))
}

/// Takes one channel out of interleaved samples.
@inline(__always)
func take<From, To>(
    _ channel: Int, of channels: Int, from source: UnsafeBufferPointer<From>,
    into target: UnsafeMutableBufferPointer<To>, _ convert: (From) -> To
) {
    // The plain loop for one channel is the one that the compiler turns into vector instructions.
    if channels == 1 {
        for index in source.indices { unsafe target[index] = convert(source[index]) }
    } else {
        for index in 0..<(source.count / channels) {
            unsafe target[index] = convert(source[index * channels + channel])
        }
    }
}
