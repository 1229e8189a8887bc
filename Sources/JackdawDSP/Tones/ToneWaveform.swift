/// The waveform of a tone over its period, which begins as the tone rises through 0.
public enum ToneWaveform: String, Sendable, Hashable, CaseIterable {
    /// A single line in the spectrum.
    case sine
    /// A square of the odd partials below half the sample rate, with its edges at their exact positions between
    /// samples. Its fundamental has the amplitude of a sine of the same level, and no sample exceeds that: the plateaus
    /// are 2.1 dB lower.
    case square
    /// A square with one of two levels at every sample, as loud as samples can be; 0 if an edge falls on a sample. It
    /// is free of jitter if a period is a whole number of frames; otherwise its edges are up to half a frame early or
    /// late.
    case steppedSquare
}

extension ToneWaveform {
    /// The value at a position in the period.
    /// - Parameters:
    ///   - turns: position in the period, -1 or more.
    ///   - step: turns from one frame to the next, 0 to 1/2.
    /// - Returns: the value, -1 to 1.
    @inline(__always)
    func value(turns: Double, step: Double) -> Double {
        switch self {
        case .sine: Self.sine(turns)
        case .square: step < 1.0 / 6 ? BandLimitedSquare.value(turns: turns, step: step) : Self.sine(turns)
        case .steppedSquare: Self.stepped(turns + step / 2)
        }
    }

    /// Distance in turns within which an edge falls on a sample: far above rounding errors, far below anything audible.
    private static let edgeWidth = 1e-9

    /// Half a frame is added, so that with an even number of frames per period the frames lie around the edges, not on
    /// them.
    @inline(__always)
    private static func stepped(_ turns: Double) -> Double {
        let place = place(turns)
        let distance = min(place, abs(place - 0.5), 1 - place)
        guard distance > edgeWidth else { return 0 }
        return place < 0.5 ? 1 : -1
    }

    /// The sine of `2 * pi * turns`, within 1e-9: enough for samples of 24 bits, in a tenth of the time of an exact
    /// one. Taylor series on a quarter turn.
    @inline(__always)
    private static func sine(_ turns: Double) -> Double {
        let halves = Int(turns * 2 + 2.5) - 2
        let angle = (turns * 2 - Double(halves)) * Double.pi
        let square = angle * angle
        var sum = 1 - square * (1.0 / 156)
        sum = 1 - square * (1.0 / 110) * sum
        sum = 1 - square * (1.0 / 72) * sum
        sum = 1 - square * (1.0 / 42) * sum
        sum = 1 - square * (1.0 / 20) * sum
        sum = 1 - square * (1.0 / 6) * sum
        return halves.isMultiple(of: 2) ? angle * sum : -angle * sum
    }

    /// The fractional part of turns, 0 or more and less than 1. By truncation, because rounding is a call into the C
    /// library on some processors. The sum may round up to the next whole turn although `turns` is below it, hence the
    /// maximum.
    @inline(__always)
    static func place(_ turns: Double) -> Double { max(0, turns - Double(Int(turns + 1) - 1)) }
}

/// A square without partials above half the sample rate: each edge of an ideal square is replaced by a low-pass
/// filtered one. The difference around an edge is a table, added for every edge near a sample (E. Brandt, "Hard sync
/// without aliasing", ICMC 2001).
enum BandLimitedSquare {
    /// Frames to either side of an edge that the table covers.
    private static let reach = 32
    /// Values per frame in the table; linear interpolation between them is within 1e-5.
    private static let density = 256
    /// Scales the fundamental of the square, which is larger than its plateaus, to 1.
    private static let scale = Double.pi / 4

    /// The correction of an edge from -1 to 1, by the time after it; before it, the same with the opposite sign.
    private static let correction = makeCorrection()

    /// The value, -1 to 1, of a square that rises at 0 turns; a frame is `step` turns, less than a sixth.
    static func value(turns: Double, step: Double) -> Double {
        let table = correction
        let place = ToneWaveform.place(turns)
        var sum = place < 0.5 ? 1.0 : -1
        let framesPerTurn = 1 / step
        let span = step * Double(reach)
        // Edges are half a turn apart. Adding `reach`, more than the span in half turns, makes the truncation round
        // down.
        let first = Int((place - span) * 2 + Double(reach)) - reach
        let last = Int((place + span) * 2)
        var sign = first.isMultiple(of: 2) ? 1.0 : -1
        for edge in first...last {
            let distance = place - Double(edge) / 2
            let position = min(abs(distance) * framesPerTurn, Double(reach)) * Double(density)
            let index = min(Int(position), table.count - 2)
            let share = position - Double(index)
            let lack = table[index] + (table[index + 1] - table[index]) * share
            sum += (distance < 0 ? -sign : sign) * lack
            sign = -sign
        }
        return sum * scale
    }

    /// The integral of a Blackman-Harris windowed sinc, less the ideal edge. The window's main lobe ends at half the
    /// sample rate; lines above it are more than 90 dB lower.
    private static func makeCorrection() -> [Double] {
        let cutoff = 0.5 - 2 / Double(reach)
        let width = 1 / Double(density)
        var sums = [0.0]
        for index in 0..<reach * density {
            let start = Double(index) * width
            let area =
                impulse(start, cutoff) + 4 * impulse(start + width / 2, cutoff) + impulse(start + width, cutoff)
            sums.append(sums[index] + area * width / 6)
        }
        let half = sums[sums.count - 1]
        return sums.map { $0 / half - 1 }
    }

    private static func impulse(_ time: Double, _ cutoff: Double) -> Double {
        let share = time / Double(2 * reach)
        let window = [(0.0, 0.35875), (1, 0.48829), (2, 0.14128), (3, 0.01168)].reduce(0) { sum, term in
            sum + term.1 * Numerics.sineAndCosine(turns: term.0 * share).cosine
        }
        guard time > 0 else { return 2 * cutoff * window }
        return Numerics.sineAndCosine(turns: cutoff * time).sine / (Double.pi * time) * window
    }
}
