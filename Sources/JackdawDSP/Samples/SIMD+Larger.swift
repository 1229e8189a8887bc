// Written out for each kind: in a generic form, as in the library's own, the lanes are compared one by one.

extension SIMD8<Float> {
    /// The larger lane by lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }
}

extension SIMD8<Int16> {
    /// The larger lane by lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }
}

extension SIMD16<Float> {
    /// The larger lane by lane.
    @inline(__always)
    static func larger(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .> left) }

    /// The smaller lane by lane.
    @inline(__always)
    static func smaller(_ left: Self, _ right: Self) -> Self { left.replacing(with: right, where: right .< left) }

    /// The first and the second elements of sixteen pairs. Lanes that are set one by one go through memory each time.
    @inline(__always)
    static func columns(_ pairs: InlineArray<16, SIMD2<Float>>) -> (Self, Self) {
        unsafe pairs.span.withUnsafeBytes { bytes in
            let first = unsafe bytes.loadUnaligned(as: Self.self)
            let second = unsafe bytes.loadUnaligned(fromByteOffset: MemoryLayout<Self>.size, as: Self.self)
            return (
                Self(lowHalf: first.evenHalf, highHalf: second.evenHalf),
                Self(lowHalf: first.oddHalf, highHalf: second.oddHalf)
            )
        }
    }

    /// The largest lane.
    @inline(__always)
    var largest: Float {
        let eight = SIMD8.larger(lowHalf, highHalf)
        let four = eight.lowHalf.replacing(with: eight.highHalf, where: eight.highHalf .> eight.lowHalf)
        return Swift.max(Swift.max(four.x, four.y), Swift.max(four.z, four.w))
    }
}

extension SIMD16<UInt8> {
    /// Sixteen elements.
    @inline(__always)
    init(_ elements: InlineArray<16, UInt8>) {
        self = unsafe elements.span.withUnsafeBytes { unsafe $0.loadUnaligned(as: Self.self) }
    }
}
