import JackdawBytes

/// The signal of the head without noise and gain: pulses along the stripe, sampled as the card moves.
struct HeadSignal {
    /// Pulse widths to either side at which a pulse ends. A taper brings it to zero without a step.
    private static let reach = 16.0

    private let sampleRate: Double
    private let silence: Double
    private let motion: SwipeMotion
    /// Nominal speed in micrometres per second.
    private let speed: Double
    private let halfWidth: Double
    private let sign: Double
    private let length: Double
    private let stripe: FluxStripe
    private let isReversed: Bool

    init(_ configuration: SwipeSynthesizer.Configuration, _ stripe: FluxStripe) {
        sampleRate = configuration.sampleRate
        silence = configuration.silence
        motion = configuration.motion
        speed = configuration.speed * FluxStripe.micrometresPerInch
        halfWidth = configuration.pulseWidth / 2
        sign = configuration.isInverted ? -1 : 1
        length = stripe.length
        self.stripe = stripe
        isReversed = configuration.direction == .reverse
    }

    /// Renders the samples, and the range of those between the first and the last transition.
    func render() -> (samples: [Float], message: Range<Int>) {
        // The spectrum of a Lorentzian falls as exp(-pi * width * f): from this frequency on, images are below -100 dB.
        let shortestPulse = 2 * halfWidth / (speed * motion.fastest)
        let factor = max(1, Int(((3.7 / shortestPulse + sampleRate / 2) / sampleRate).rounded(.up)))
        var positions = travel(samplesPerSecond: sampleRate * Double(factor))
        let decimator = Decimator(factor: factor)
        positions.removeLast(positions.count % factor)

        var places = stripe.transitions.withElements { span in span.indices.map { span[$0] } }
        defer { places.wipe() }
        if isReversed {
            places.reverse()
            for index in places.indices { places[index] = length - places[index] }
        }

        var fine = pulses(at: places, positions: positions)
        defer { fine.wipe() }
        let samples = decimator.decimate(fine)
        guard let first = places.first, let last = places.last else { return (samples, 0..<0) }
        let start = positions.firstIndex { $0 >= first } ?? 0
        let end = positions.lastIndex { $0 <= last } ?? 0
        return (samples, start / factor..<min(samples.count, end / factor + 1))
    }

    /// The position of the head at each instant, in micrometres from the card's edge.
    private func travel(samplesPerSecond: Double) -> [Double] {
        let step = speed / samplesPerSecond
        var position = -silence * speed * motion.speed(at: 0)
        let end = length + silence * speed * motion.speed(at: 1)
        var positions: [Double] = []
        while position < end {
            positions.append(position)
            let half = position + step / 2 * motion.speed(at: position / length)
            position += step * motion.speed(at: half / length)
        }
        return positions
    }

    /// The sum of the pulses near each position, scaled by the card's speed there.
    private func pulses(at places: [Double], positions: [Double]) -> [Float] {
        let reach = Self.reach * 2 * halfWidth
        var oldest = 0
        return positions.map { position in
            while oldest < places.count, places[oldest] < position - reach { oldest += 1 }
            var sum = 0.0
            var index = oldest
            while index < places.count, places[index] < position + reach {
                let distance = position - places[index]
                let width = distance / halfWidth
                let share = distance / reach
                let taper = 1 - share * share
                let pulse = taper * taper / (1 + width * width)
                sum += index.isMultiple(of: 2) ? pulse : -pulse
                index += 1
            }
            return Float(sign * sum * motion.speed(at: position / length))
        }
    }
}

/// Reduces the sample rate by an integer factor: a Blackman-Harris windowed sinc, images below -90 dB.
struct Decimator {
    /// Output samples over which the filter extends to either side.
    private static let span = 48
    private let factor: Int
    private let taps: [Float]

    init(factor: Int) {
        self.factor = factor
        let half = Self.span * factor
        // The window's main lobe is 8 / (2 * span) of the output rate wide; the stop band begins at half that rate.
        let cutoff = (0.5 - 2 / Double(Self.span)) / Double(factor)
        var taps = (-half...half).map { offset in
            let share = Double(offset) / Double(2 * half + 2)
            let window = [(0.0, 0.35875), (1, 0.48829), (2, 0.14128), (3, 0.01168)].reduce(0) { sum, term in
                sum + term.1 * Numerics.sineAndCosine(turns: term.0 * share).cosine
            }
            guard offset != 0 else { return 2 * cutoff * window }
            return Numerics.sineAndCosine(turns: cutoff * Double(offset)).sine / (Double.pi * Double(offset)) * window
        }
        let gain = taps.reduce(0, +)
        taps = taps.map { $0 / gain }
        self.taps = taps.map(Float.init)
    }

    /// Returns one output sample for each `factor` samples, without delay; beyond the ends, the input counts as zero.
    func decimate(_ samples: [Float]) -> [Float] {
        guard factor > 1 else { return samples }
        let half = taps.count / 2
        return stride(from: 0, to: samples.count, by: factor).map { centre in
            var sum: Float = 0
            for index in max(0, centre - half)..<min(samples.count, centre + half + 1) {
                sum += samples[index] * taps[index - centre + half]
            }
            return sum
        }
    }
}

/// The flux transitions along one track of a card, over which a head passes.
///
/// F2F (Aiken biphase): one transition at every cell boundary, one more in the middle of a cell that holds a 1.
public struct FluxStripe: Sendable, CustomStringConvertible {
    /// Width of an ID-1 card, the length of its stripe: 85.60 mm (ISO/IEC 7810), in micrometres.
    public static let cardLength = 85_600.0
    /// Distance from the card's edge to the first bit of the start sentinel: 0.293 in (ISO/IEC 7811-2), in micrometres.
    public static let firstBit = 0.293 * micrometresPerInch

    static let micrometresPerInch = 25_400.0
    /// The longest stripe and farthest transition that are accepted, in micrometres: a swipe of it fits into memory at
    /// any speed.
    private static let longest = 1_000_000.0

    /// Positions from the card's edge in micrometres, ascending.
    public let transitions: WipedArray<Double>
    /// Length of the stripe in micrometres.
    public let length: Double

    /// Creates a stripe with transitions at any positions, for worn cards, jitter and other codes.
    /// - Parameters:
    ///   - transitions: positions from the card's edge in micrometres, at most a metre from it; they need not be
    ///     sorted.
    ///   - length: length of the stripe in micrometres, at most a metre.
    /// - Throws: ``SwipeSynthesizerError`` with code `outOfRange` that names the value.
    public init(transitions: [Double], length: Double = cardLength) throws(SwipeSynthesizerError) {
        try SwipeSynthesizerError.check("stripe length", length, 0...Self.longest, "um")
        for place in transitions {
            guard abs(place) <= Self.longest else {
                // The message omits the position: it is the card's data.
                throw SwipeSynthesizerError(
                    code: .outOfRange, message: "a transition lies more than \(Self.longest) um from the card's edge")
            }
        }
        var sorted = transitions.sorted()
        defer { sorted.wipe() }
        self.transitions = WipedArray(sorted)
        self.length = length
    }

    /// Creates a stripe that holds a message between clocking zeros, at the standard's position; it is longer than a
    /// card if the message is.
    /// - Parameters:
    ///   - message: the message to write.
    ///   - track: the track, which determines the density, and with it the number of leading zeros.
    public init(_ message: TrackMessage, track: TrackNumber) {
        self = message.bits.withElements { bits in
            FluxStripe(bits: bits, Layout(bitCount: bits.count, bitsPerInch: track.bitsPerInch))
        }
    }

    /// Creates a stripe that holds any bits between clocking zeros, at most a metre long.
    /// - Parameters:
    ///   - bits: 0 or 1 each, in stripe order.
    ///   - bitsPerInch: recording density, 1 to 10,000.
    ///   - leadingZeros: clocking cells before the bits; by default as many as fit before ``firstBit``.
    ///   - trailingZeros: clocking cells after the bits; by default to the end of the card, but at least ten.
    /// - Throws: ``SwipeSynthesizerError`` with code `outOfRange` that names the value.
    public init(
        bits: Span<UInt8>, bitsPerInch: Double, leadingZeros: Int? = nil, trailingZeros: Int? = nil
    ) throws(SwipeSynthesizerError) {
        try SwipeSynthesizerError.check("recording density", bitsPerInch, 1...10_000, "bits/in")
        let maxCells = Self.longest * bitsPerInch / Self.micrometresPerInch
        try SwipeSynthesizerError.check("leading zeros", Double(leadingZeros ?? 0), 0...maxCells, "cells")
        try SwipeSynthesizerError.check("trailing zeros", Double(trailingZeros ?? 0), 0...maxCells, "cells")
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

    /// The positions of the cells, in micrometres from the card's edge.
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

    /// The number of transitions, without their positions, which are the card's data.
    public var description: String { "\(transitions.count) flux transitions over \(length) um" }
}
