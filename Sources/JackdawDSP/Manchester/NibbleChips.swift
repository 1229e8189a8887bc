/// The ten chips of a nibble on the line, as +1 and -1.
enum NibbleChips {
    static let count = 10

    /// A nibble's chips: high, then high-low for a 1 and low-high for a 0, the least significant bit first, then low.
    static func levels(_ nibble: UInt8) -> [Float] {
        var levels: [Float] = [1]
        for place in 0..<4 { levels += nibble >> UInt8(place) & 1 == 1 ? [1, -1] : [-1, 1] }
        return levels + [-1]
    }
}
