import JackdawTestSupport
import Testing

@testable import JackdawDSP

@Suite struct ActivityGateTests {
    private static func gate() -> ActivityGate {
        ActivityGate(hopSeconds: 0.0058, hopSamples: 256, leastEnergy: 1e-7)
    }

    @Test func opensOnASwipeAndClosesAfterIt() {
        var gate = Self.gate()
        for _ in 0..<400 { #expect(gate.receive(energy: 0) == .quiet) }
        #expect(gate.receive(energy: 1) == .opened)
        for _ in 0..<40 { #expect(gate.receive(energy: 1) == .active) }
        let decisions = (0..<40).map { _ in gate.receive(energy: 0) }
        #expect(decisions.filter { $0 == .closed }.count == 1)
        #expect(!gate.isOpen)
    }

    @Test func steadyNoiseDoesNotOpenItForLong() {
        var gate = Self.gate()
        var random = SeededRandom(seed: 8)
        var opened = 0
        for _ in 0..<100_000 {
            // The energy of 256 white samples scatters by about 9 %.
            let energy = (0..<12).reduce(Float(0)) { sum, _ in sum + Float.random(in: 0...1, using: &random) } / 6
            if gate.receive(energy: 1 + 0.09 * (energy - 1)) == .opened { opened += 1 }
        }
        #expect(opened <= 3)
    }

    @Test func overlongSegmentsAreCut() {
        var gate = Self.gate()
        var overlong = 0
        for hop in 0..<3_000 {
            // Syllables: never quiet for as long as it takes to close.
            let energy: Float = hop / 8 % 2 == 0 ? 4 : 1
            if gate.receive(energy: energy) == .overlong { overlong += 1 }
        }
        #expect(overlong >= 1)
    }
}
