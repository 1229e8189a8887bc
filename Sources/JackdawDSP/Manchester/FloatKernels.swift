/// Sums of products over eight lanes: left to itself the compiler adds floats one by one, in their order.
enum FloatKernels {
    /// Products that are added up as floats.
    private static let block = 4_096

    /// The sum of the products of `count` numbers, from an index on in each.
    static func dot(_ left: Span<Float>, _ first: Int, _ right: Span<Float>, _ second: Int, count: Int) -> Double {
        precondition(first >= 0 && second >= 0 && first + count <= left.count && second + count <= right.count)
        let (one, other) = unsafe (left.bytes, right.bytes)
        var total = 0.0
        var start = 0
        while start < count {
            let end = min(start + block, count)
            // Four sums, none of which waits for another.
            var lanes = (SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero, SIMD8<Float>.zero)
            var index = start
            while index + 32 <= end {
                lanes.0 += load(one, first + index) * load(other, second + index)
                lanes.1 += load(one, first + index + 8) * load(other, second + index + 8)
                lanes.2 += load(one, first + index + 16) * load(other, second + index + 16)
                lanes.3 += load(one, first + index + 24) * load(other, second + index + 24)
                index += 32
            }
            while index + 8 <= end {
                lanes.0 += load(one, first + index) * load(other, second + index)
                index += 8
            }
            var sum = (lanes.0 + lanes.1 + (lanes.2 + lanes.3)).sum()
            while index < end {
                sum += left[first + index] * right[second + index]
                index += 1
            }
            total += Double(sum)
            start = end
        }
        return total
    }

    /// Takes what a filter makes of one sound off another, but for the ends that the filter reaches beyond.
    /// - Parameters:
    ///   - taps: an odd number, the middle one at no delay.
    ///   - spacing: samples from tap to tap.
    ///   - source: what is filtered.
    ///   - target: what it is taken off.
    static func subtract(
        _ taps: [Float], spacing: Int, of source: Span<Float>, from target: inout MutableSpan<Float>
    ) {
        let reach = taps.count / 2 * spacing
        precondition(source.count == target.count)
        let bytes = unsafe source.bytes
        var start = reach
        while start + 8 <= source.count - reach {
            var sum = SIMD8<Float>.zero
            for index in taps.indices {
                sum += taps[index] * load(bytes, start + reach - index * spacing)
            }
            for lane in 0..<8 { target[start + lane] -= sum[lane] }
            start += 8
        }
    }

    // The loads below stop at the bounds of the span by themselves: unsafe is that bytes are taken for numbers, and those of
    // a span of floats are such.

    /// Eight of a span's numbers from an index on; there have to be as many.
    @inline(__always)
    static func load(_ bytes: RawSpan, _ index: Int) -> SIMD8<Float> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: SIMD8<Float>.self)
    }

    /// Sixteen of a span's numbers from an index on; there have to be as many.
    @inline(__always)
    static func loadSixteen(_ bytes: RawSpan, _ index: Int) -> SIMD16<Float> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: 4 * index, as: SIMD16<Float>.self)
    }
}
