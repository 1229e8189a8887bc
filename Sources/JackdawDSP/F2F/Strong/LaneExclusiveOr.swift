/// Eight or more lanes at every exclusive-or of their index: what turns a running LRC by a character.
struct LaneExclusiveOr {
    private let blocks: Int
    /// [turn * blocks + block] for the eight turns within a vector.
    private var turned: [SIMD8<Float>]

    init(blocks: Int) {
        self.blocks = blocks
        turned = .init(repeating: .zero, count: 8 * blocks)
    }

    /// Takes the vectors of some states from one on.
    mutating func load(_ states: [SIMD8<Float>], from first: Int) {
        for turn in 0..<8 {
            for block in 0..<blocks {
                let vector = states[first + block]
                var lanes = vector
                if turn & 1 != 0 {
                    lanes.evenHalf = vector.oddHalf
                    lanes.oddHalf = vector.evenHalf
                }
                if turn & 2 != 0 {
                    lanes = SIMD8(lowHalf: Self.swapPairs(lanes.lowHalf), highHalf: Self.swapPairs(lanes.highHalf))
                }
                if turn & 4 != 0 { lanes = SIMD8(lowHalf: lanes.highHalf, highHalf: lanes.lowHalf) }
                turned[turn * blocks + block] = lanes
            }
        }
    }

    mutating func wipe() {
        turned.wipe()
    }

    private static func swapPairs(_ lanes: SIMD4<Float>) -> SIMD4<Float> {
        SIMD4(lowHalf: lanes.highHalf, highHalf: lanes.lowHalf)
    }

    /// Lane `l` of block `b` is the source's lane `(8 * b + l) ^ value`.
    @inline(__always)
    subscript(block: Int, value: Int) -> SIMD8<Float> { turned[(value & 7) * blocks + (block ^ (value >> 3))] }
}
