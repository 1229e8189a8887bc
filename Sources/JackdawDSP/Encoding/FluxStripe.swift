/// The flux transitions along one track of a card: what a head passes over.
///
/// F2F (Aiken biphase): one transition at every cell boundary, one more in the middle of a cell that holds a 1.
public struct FluxStripe: Sendable, CustomStringConvertible, CustomReflectable {
    /// Width of an ID-1 card, the length of its stripe: 85.60 mm (ISO/IEC 7810), in micrometres.
    public static let cardLength = 85_600.0
    /// From the card's edge to the first bit of the start sentinel: 0.293 in (ISO/IEC 7811-2), in micrometres.
    public static let firstBit = 0.293 * micrometresPerInch

    static let micrometresPerInch = 25_400.0
    /// Longest stripe and farthest transition that are taken, in micrometres: a swipe of it fits into memory at any speed.
    private static let longest = 1_000_000.0

    /// Positions from the card's edge in micrometres, ascending.
    public let transitions: WipedArray<Double>
    /// Length of the stripe in micrometres.
    public let length: Double

    /// A stripe with transitions wherever they are wanted: worn cards, jitter, other codes.
    /// - Parameters:
    ///   - transitions: positions from the card's edge in micrometres, sorted here; a metre from it at most.
    ///   - length: length of the stripe in micrometres, a metre at most.
    /// - Throws: ``SwipeSynthesizerError`` that names the value out of range.
    public init(transitions: [Double], length: Double = cardLength) throws(SwipeSynthesizerError) {
        try SwipeSynthesizerError.check("stripe length", length, 0...Self.longest, "um")
        for place in transitions {
            guard abs(place) <= Self.longest else {
                // Without the place: it is the card's data.
                throw SwipeSynthesizerError(
                    code: .outOfRange, message: "a transition lies more than \(Self.longest) um from the card's edge")
            }
        }
        var sorted = transitions.sorted()
        defer { sorted.wipe() }
        self.transitions = WipedArray(sorted)
        self.length = length
    }

    /// A stripe that holds a message between clocking zeros, as the standard places it; longer than a card if the message is.
    /// - Parameters:
    ///   - message: what to write.
    ///   - track: gives the density, and with it the number of leading zeros.
    public init(_ message: TrackMessage, track: TrackNumber) {
        self = message.bits.withElements { bits in
            FluxStripe(bits: bits, Layout(bitCount: bits.count, bitsPerInch: track.bitsPerInch))
        }
    }

    /// A stripe that holds any bits between clocking zeros, a metre long at most.
    /// - Parameters:
    ///   - bits: 0 or 1 each, in stripe order.
    ///   - bitsPerInch: recording density, 1 to 10,000.
    ///   - leadingZeros: clocking cells before the bits; by default as many as fit before ``firstBit``.
    ///   - trailingZeros: clocking cells after the bits; by default to the end of the card, but ten at least.
    /// - Throws: ``SwipeSynthesizerError`` that names the value out of range.
    public init(
        bits: Span<UInt8>, bitsPerInch: Double, leadingZeros: Int? = nil, trailingZeros: Int? = nil
    ) throws(SwipeSynthesizerError) {
        try SwipeSynthesizerError.check("recording density", bitsPerInch, 1...10_000, "bits/in")
        let mostCells = Self.longest * bitsPerInch / Self.micrometresPerInch
        try SwipeSynthesizerError.check("leading zeros", Double(leadingZeros ?? 0), 0...mostCells, "cells")
        try SwipeSynthesizerError.check("trailing zeros", Double(trailingZeros ?? 0), 0...mostCells, "cells")
        let layout = Layout(
            bitCount: bits.count, bitsPerInch: bitsPerInch, leadingZeros: leadingZeros, trailingZeros: trailingZeros)
        try SwipeSynthesizerError.check("stripe length", layout.end, 0...Self.longest, "um")
        self.init(bits: bits, layout)
    }

    private init(bits: Span<UInt8>, _ layout: Layout) {
        var positions: [Double] = []
        defer { positions.wipe() }
        positions.reserveCapacity(2 * layout.cells + 1)
        for index in 0...layout.cells {
            positions.append(layout.origin + Double(index) * layout.cell)
            let bit = index - layout.leading
            if bits.indices.contains(bit), bits[bit] != 0 {
                positions.append(layout.origin + (Double(index) + 0.5) * layout.cell)
            }
        }
        transitions = WipedArray(positions)
        length = max(Self.cardLength, layout.end)
    }

    /// Where the cells lie, in micrometres from the card's edge.
    private struct Layout {
        let cell: Double
        let origin: Double
        let leading: Int
        let cells: Int

        var end: Double { origin + Double(cells) * cell }

        init(bitCount: Int, bitsPerInch: Double, leadingZeros: Int? = nil, trailingZeros: Int? = nil) {
            cell = micrometresPerInch / bitsPerInch
            leading = leadingZeros ?? Int(firstBit / cell)
            origin = leadingZeros == nil ? firstBit - Double(leading) * cell : 0
            let room = (cardLength - origin) / cell - Double(leading + bitCount)
            cells = leading + bitCount + (trailingZeros ?? max(10, Int(room)))
        }
    }

    /// How many transitions there are, not where: their places are the card's data.
    public var description: String { "\(transitions.count) flux transitions over \(length) um" }

    /// Reflection shows nothing of the places.
    public var customMirror: Mirror {
        Mirror(self, children: ["transitions": transitions.count, "length": length], displayStyle: .struct)
    }
}
