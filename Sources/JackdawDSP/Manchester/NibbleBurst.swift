/// The chips of a burst as they were read, in halves, the line the right way up.
struct NibbleBurst: Sendable, Wipeable {
    /// Nibbles after which a burst is cut: 8,192 bytes, more than any reader's buffer.
    private static let mostNibbles = 16_384
    /// Half chips in a nibble.
    static let halves = 2 * NibbleChips.count

    /// Means of the half chips, full scale 1.
    private(set) var line: [Float] = []
    private var starts: [Double] = []
    private var periods = 0.0

    /// Nibbles in the burst.
    var nibbles: Int { starts.count }

    /// Whether the burst is to be cut here.
    var isFull: Bool { starts.count >= Self.mostNibbles }

    /// Mean length of a nibble, in steps.
    var period: Double { periods / Double(max(1, starts.count)) }

    /// Position of a nibble, in steps.
    func start(_ nibble: Int) -> Double { starts[nibble] }

    /// Appends a nibble.
    /// - Parameters:
    ///   - start: its position, in steps.
    ///   - period: its length, in steps.
    ///   - half: the mean of a half chip, 0 to 19.
    mutating func append(start: Double, period: Double, half: (Int) -> Float) {
        for index in 0..<Self.halves { line.append(half(index)) }
        starts.append(start)
        periods += period
    }

    /// Overwrites all.
    mutating func wipe() {
        line.wipe()
        starts.wipe()
        periods = 0
    }
}
