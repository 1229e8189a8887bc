import Testing
import Foundation
import JackdawSpectrum

/// The spectrum of a stretch of a tone, its lines no wider than six bins to either side: a Blackman-Harris window,
/// whose own leakage lies 92 dB lower.
struct ToneSpectrum {
    private static let lineWidth = 6

    private let sampleRate: Double
    private let count: Int
    private let lines: [SIMD2<Float>]
    private let powers: [Double]
    private let highest: Int

    /// The spectrum of so many samples, an even number, from a place on.
    init(_ samples: [Float], from start: Int = 0, count: Int, sampleRate: Double) {
        self.sampleRate = sampleRate
        self.count = count
        let weights = WindowFunction.blackmanHarris.weights(count: count)
        var weighted = weights
        for index in 0..<count { weighted[index] *= samples[start + index] }
        var result = [SIMD2<Float>](repeating: .zero, count: count / 2 + 1)
        do {
            var transform = try RealTransform(count: count)
            var target = result.mutableSpan
            transform.transform(weighted.span, into: &target)
        } catch {
            Issue.record(error)
        }
        lines = result
        let powers = result.map { Double($0.x) * Double($0.x) + Double($0.y) * Double($0.y) }
        self.powers = powers
        highest = powers.indices.max { powers[$0] < powers[$1] } ?? 0
    }

    /// Turns of the highest line at the first sample, as a cosine.
    private var turns: Double { Double(atan2(lines[highest].y, lines[highest].x)) / (2 * .pi) }

    /// The highest of the lines that are none of the tone's.
    /// - Parameter frequencies: lines that are the tone's, in Hz; the highest line is one anyway.
    /// - Returns: dB relative to the tone.
    func worstSpurious(beside frequencies: [Double] = []) -> Double {
        var spurious = powers
        for own in frequencies.map({ Int(($0 / sampleRate * Double(count)).rounded()) }) + [highest] {
            let line = own - Self.lineWidth..<own + Self.lineWidth + 1
            for bin in line.clamped(to: powers.indices) { spurious[bin] = 0 }
        }
        return Decibels.ratio((spurious.max() ?? 0) / powers[highest])
    }

    /// The frequency of a tone in Hz: the highest line, and how its phase has moved on in the next stretch.
    static func frequency(_ samples: [Float], count: Int, sampleRate: Double) -> Double {
        let first = ToneSpectrum(samples, count: count, sampleRate: sampleRate)
        let second = ToneSpectrum(samples, from: count, count: count, sampleRate: sampleRate)
        var moved = second.turns - first.turns
        moved -= moved.rounded()
        return (Double(first.highest) + moved) * sampleRate / Double(count)
    }

    /// The phase of the highest line, its frequency known, at any sample.
    /// - Parameters:
    ///   - place: the sample, counted from the first one of the stretch.
    ///   - frequency: in Hz.
    /// - Returns: turns, as a cosine.
    func turns(at place: Double, frequency: Double) -> Double {
        // The window is even about its centre: there the highest bin has the tone's own phase.
        let centre = Double(count) / 2
        return turns + Double(highest) * centre / Double(count) + frequency / sampleRate * (place - centre)
    }
}
