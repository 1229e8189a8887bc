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
