/// The flux transitions along one track of a card: what a head passes over.
///
/// F2F (Aiken biphase): one transition at every cell boundary, one more in the middle of a cell that holds a 1.
public struct FluxStripe: Sendable, CustomStringConvertible, CustomReflectable {
    /// Width of an ID-1 card, the length of its stripe: 85.60 mm (ISO/IEC 7810), in micrometres.
    public static let cardLength = 85_600.0
    /// From the card's edge to the first bit of the start sentinel: 0.293 in (ISO/IEC 7811-2), in micrometres.
    public static let firstBit = 0.293 * micrometresPerInch

    static let micrometresPerInch = 25_400.0

    /// Positions from the card's edge in micrometres, ascending.
    public let transitions: WipedArray<Double>
    /// Length of the stripe in micrometres.
    public let length: Double

    /// A stripe with transitions wherever they are wanted: worn cards, jitter, other codes.
    /// - Parameters:
    ///   - transitions: positions from the card's edge in micrometres; sorted here.
    ///   - length: length of the stripe in micrometres.
    public init(transitions: [Double], length: Double = cardLength) {
        var sorted = transitions.sorted()
        defer { sorted.wipe() }
        self.transitions = WipedArray(sorted)
        self.length = length
    }

    /// A stripe that holds a message between clocking zeros, as the standard places it.
    /// - Parameters:
    ///   - message: what to write.
    ///   - track: gives the density, and with it the number of leading zeros.
    public init(_ message: TrackMessage, track: TrackNumber) {
        let bits = message.bits
        self = bits.withElements { FluxStripe(bits: $0, bitsPerInch: track.bitsPerInch) }
    }

    /// A stripe that holds any bits between clocking zeros.
    /// - Parameters:
    ///   - bits: 0 or 1 each, in stripe order.
    ///   - bitsPerInch: recording density, more than 0.
    ///   - leadingZeros: clocking cells before the bits; by default as many as fit before ``firstBit``.
    ///   - trailingZeros: clocking cells after the bits; by default to the end of the card, but ten at least.
    public init(bits: Span<UInt8>, bitsPerInch: Double, leadingZeros: Int? = nil, trailingZeros: Int? = nil) {
        let cell = Self.micrometresPerInch / bitsPerInch
        let leading = leadingZeros ?? Int(Self.firstBit / cell)
        let origin = leadingZeros == nil ? Self.firstBit - Double(leading) * cell : 0
        let room = (Self.cardLength - origin) / cell - Double(leading + bits.count)
        let trailing = trailingZeros ?? max(10, Int(room))
        let cells = leading + bits.count + trailing

        var positions: [Double] = []
        defer { positions.wipe() }
        positions.reserveCapacity(2 * cells + 1)
        for index in 0...cells {
            positions.append(origin + Double(index) * cell)
            let bit = index - leading
            if bits.indices.contains(bit), bits[bit] != 0 {
                positions.append(origin + (Double(index) + 0.5) * cell)
            }
        }
        transitions = WipedArray(positions)
        length = max(Self.cardLength, origin + Double(cells) * cell)
    }

    /// How many transitions there are, not where: their places are the card's data.
    public var description: String { "\(transitions.count) flux transitions over \(length) um" }

    /// Reflection shows nothing of the places.
    public var customMirror: Mirror {
        Mirror(self, children: ["transitions": transitions.count, "length": length], displayStyle: .struct)
    }
}
