/// The power of both tones in the bits of characters, from which it follows whether a sender keys them.
///
/// Each bit is measured without the crosstalk of its tone in the correlation with the other one. A sender's mark is
/// loud in ones and quiet in zeros. One steady tone between the two, or both tones at the same time, are as loud in the
/// ones as in the zeros, at any strength of each; a search still finds bits that fit their beats.
struct ToneKeying: Sendable, BitwiseCopyable {
    /// Power of each tone in its own bits, and in those of the other one; space and mark.
    private var own = SIMD2<Float>.zero
    private var other = SIMD2<Float>.zero

    /// Adds one bit of a character.
    /// - Parameters:
    ///   - tone: the decided tone of the bit.
    ///   - seen: the correlation with it.
    ///   - rival: the correlation with the other one.
    ///   - crosstalk: the share of a tone's correlation in that of the other one.
    mutating func add(
        _ tone: Int, _ seen: SIMD2<Float>, _ rival: SIMD2<Float>, crosstalk: TonePair<SIMD2<Float>>
    ) {
        own[tone] += Self.power(seen - Self.product(tone == 0 ? crosstalk.mark : crosstalk.space, rival))
        other[1 - tone] += Self.power(rival - Self.product(tone == 0 ? crosstalk.space : crosstalk.mark, seen))
    }

    static func += (sum: inout ToneKeying, keying: ToneKeying) {
        sum.own += keying.own
        sum.other += keying.other
    }

    /// Power of the tones in bits of the other one over that in their own bits: 0 for a clear sender, 1 for steady
    /// sound. The mean over the tones is geometric, so that a line that weakens one of them makes no difference.
    var steadiness: Float {
        let product = own.x * own.y
        return product > 0 ? (other.x * other.y / product).squareRoot() : 1
    }

    private static func power(_ value: SIMD2<Float>) -> Float { value.x * value.x + value.y * value.y }

    private static func product(_ first: SIMD2<Float>, _ second: SIMD2<Float>) -> SIMD2<Float> {
        SIMD2(first.x * second.x - first.y * second.y, first.x * second.y + first.y * second.x)
    }
}
