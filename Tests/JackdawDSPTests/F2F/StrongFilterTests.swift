import Foundation
import JackdawTestSupport
import Testing

@testable import JackdawDSP

/// The strong tier's filters against the plain form of what they do.
@Suite struct StrongFilterTests {
    @Test(arguments: [1_000, 1_003], [0.0011, 1.0 / 160])
    func humBasisKnowsItsOwnProducts(count: Int, mains: Double) {
        let basis = HumBasis(mains: mains, count: count)
        var products = [Double](repeating: 0, count: HumBasis.unknowns * HumBasis.unknowns)
        basis.forEachRow { _, row in
            for first in row.indices {
                for second in row.indices { products[first * HumBasis.unknowns + second] += row[first] * row[second] }
            }
        }
        for (reported, summed) in zip(basis.gram, products) { #expect(abs(reported - summed) < 1e-6) }
    }

    /// Hum far over full scale leaves little but its steepest parts between the rails.
    @Test(arguments: [2.0, 5, 20, 60, 200])
    func humIsRemovedFromClippedSound(amplitude: Double) {
        for count in [9_000, 132_300] {
            var random = SeededRandom(seed: 6)
            let sound = (0..<count).map { index in
                let hum = amplitude * sin(2 * .pi * Double(index) * 50 / 44_100)
                return Float(min(max(hum + Double.random(in: -0.01...0.01, using: &random), -1), 1))
            }
            var cleaned = sound
            let lost = HumCanceller.removeHum(from: &cleaned, sampleRate: 44_100)
            #expect(lost.count == count)
            #expect(cleaned.allSatisfy { $0.isFinite })
            let left = zip(cleaned, lost).filter { $1 == 0 }.map(\.0)
            #expect(left.reduce(0) { $0 + $1 * $1 } < 1e-3 * Float(left.count))
        }
    }

    @Test(arguments: [90, 401, 402, 403, 404])
    func smoothingIsThreeRunningMeans(count: Int) {
        var random = SeededRandom(seed: 4)
        let sound = (0..<count).map { _ in Float.random(in: -1...1, using: &random) }
        let deviation = 9.0
        let reach = Int(((4 * deviation * deviation + 1).squareRoot() / 2).rounded())
        var wanted = sound
        for _ in 0..<3 {
            wanted = wanted.indices.map { index in
                wanted[max(0, index - reach)..<min(count, index + reach + 1)].reduce(0, +) / Float(2 * reach + 1)
            }
        }
        let smooth = PulseFilter.smooth(sound, deviation: deviation)
        #expect(smooth.count == count)
        for (found, wanted) in zip(smooth, wanted) { #expect(abs(found - wanted) < 1e-5) }
    }

    @Test func wholeNumbersAreTheNearestWithinTheLimit() {
        let values: [Float] = [0, 0.26, -0.26, 1, -1, 99, -99, 0.74, -0.74, 0.49, 2.9]
        #expect(values.wholeNumbers(unit: 2, limit: 5) == [0, 1, -1, 2, -2, 5, -5, 1, -1, 1, 5])
    }

    @Test(arguments: [1, 7, 8, 9, 100])
    func envelopeLevelsWithoutMovingSigns(count: Int) {
        var pulses = (0..<count).map { $0 % 5 == 0 ? Float($0 % 2 == 0 ? 0.2 : -0.2) : 0 }
        let before = pulses
        Envelope.normalise(&pulses, blockLength: 10, least: 0.3)
        for (after, before) in zip(pulses, before) { #expect(abs(after - 5.75 * before) < 1e-5) }
    }

    /// Far into a sound the least step between boundaries is lost to rounding.
    @Test func cellsOfLengthZeroAreExtendedWithLengthZero() {
        let boundaries = [Float](repeating: 40_000, count: 21)
        #expect(BitClock.extended(boundaries[...], before: 2, after: 3) == boundaries + boundaries.prefix(5))
    }

    @Test func lessonsBeyondTheSoundTeachNothing() {
        let samples = (0..<2_000).map { Float(sin(Double($0) * 0.2)) }
        let sound = WorkingSound(samples: samples, step: 0, lost: .init(repeating: 0, count: samples.count))
        let signal = CellPhaseSignal(sound, boundaries: (0..<60).map { 100 + 30 * Float($0) })
        let first = signal.offset(ofBoundary: 0)
        let inside = (4..<50).map { first + 16 * $0 }
        let levels = (4..<50).map { Float($0 % 2 == 0 ? 1 : -1) }
        let beyond = [-100_000, -50, signal.samples.count, 100_000]
        let plain = CellEqualiser(signal, .init(signal, at: inside), levels: levels)
        let both = CellEqualiser(
            signal, .init(signal, at: inside + beyond), levels: levels + [1, 1, 1, 1])
        #expect(both.output == plain.output)
        #expect(both.explained == plain.explained)
    }

    /// The taps are those of one system with the samples and the targets together.
    @Test func equalisersThatShareLessonsAreThoseOfTheirOwnBits() {
        var random = SeededRandom(seed: 12)
        let samples = (0..<2_000).map { _ in Float.random(in: -1...1, using: &random) }
        let sound = WorkingSound(samples: samples, step: 0, lost: [])
        let signal = CellPhaseSignal(sound, boundaries: (0..<60).map { 100 + 30 * Float($0) })
        let lessons = CellEqualiser.Lessons(signal)
        for seed in 0..<3 {
            let bits = (0..<signal.count).map { UInt8(($0 * 7 + seed) % 5 & 1) }
            let shared = CellEqualiser(signal, lessons, bits: bits, startSign: seed & 1)
            var system = FilterSystem(taps: CellEqualiser.taps)
            let levels = CellEqualiser.levels(bits: bits, startSign: seed & 1)
            for (offset, level) in zip(lessons.offsets, levels) {
                let gain = max(signal.gains[offset], 1)
                system.accumulate(
                    signal.samples, from: offset - CellEqualiser.taps / 2, target: level, weight: 1 / (gain * gain))
            }
            let output = FilterSystem.apply(system.solve(ridge: 0.02), to: signal.samples)
            for (one, other) in zip(shared.output, output) { #expect(abs(one - other) < 1e-4) }
        }
    }
}
