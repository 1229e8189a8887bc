import Foundation
import Testing

@testable import JackdawDSP

/// Slow swipes through the coupling capacitor of a sound input.
@Suite struct CouplingCapacitorTests {
    private static let sampleRate = 44_100.0

    /// A high-pass of first order from the step response of a capacitor and a resistor, exp(-t / RC).
    private static func highPass(_ samples: [Float], corner: Double) -> [Float] {
        let decay = Float(exp(-2 * .pi * corner / sampleRate))
        var (before, output) = (Float(0), Float(0))
        return samples.map { sample in
            output = decay * (output + sample - before)
            before = sample
            return output
        }
    }

    @Test func pulsesBehindACapacitorAreRestored() {
        // Pulses of 1 ms, of alternating polarity.
        let pulses = (0..<8_820).map { index in
            let time = Double(index % 147) / Self.sampleRate - 0.0015
            return Float(exp(-time * time / 0.00000025)) * (index / 147 % 2 == 0 ? 1 : -1)
        }
        var restored = Self.highPass(pulses, corner: 300)
        func likeness() -> Float {
            let (product, one, other) = zip(pulses, restored).reduce((Float(0), Float(0), Float(0))) { sums, pair in
                (sums.0 + pair.0 * pair.1, sums.1 + pair.0 * pair.0, sums.2 + pair.1 * pair.1)
            }
            return product / (one * other).squareRoot()
        }
        #expect(likeness() < 0.7)
        CouplingCapacitor.compensate(&restored, sampleRate: Self.sampleRate)
        #expect(likeness() > 0.95)
    }

    @Test(arguments: [(4.0, true), (40, false)]) func onlyASlowSwipeIsRestored(speed: Double, isRestored: Bool) throws {
        let swipe = try SwipeBench.samples(.two, configuration: .init(sampleRate: Self.sampleRate, speed: speed))
        let versions = RepairedSound.versions(of: swipe, sampleRate: Self.sampleRate)
        #expect(versions == (isRestored ? [.plain, .restored] : [.plain]))
    }

    /// None of these swipes is decoded without restoring the pulses.
    @Test(arguments: [(360.0, UInt64(2)), (360, 3), (400, 1), (400, 2), (400, 3)])
    func aSlowSwipeBehindACapacitorIsDecoded(corner: Double, seed: UInt64) throws {
        let swipe = try SwipeBench.samples(
            .two,
            configuration: .init(
                sampleRate: Self.sampleRate, speed: 4, pulseWidth: 100, signalToNoise: 20, seed: seed))
        let events = try SwipeBench.events(
            Self.highPass(swipe, corner: corner), sampleRate: Self.sampleRate)
        #expect(SwipeBench.texts(events) == [SwipeBench.texts[.two]])
    }
}
