import JackdawTestSupport
import JackdawTransport
import Testing

@Suite("Back-off")
struct BackOffTests {
    @Test("waits grow by the factor up to the greatest, and stay there")
    func growth() {
        let backOff = BackOff(first: .seconds(1), factor: 3, greatest: .seconds(20), jitter: 0)
        var waits: [Duration] = []
        for _ in 0..<5 { waits.append(backOff.wait(after: waits.last)) }
        #expect(waits == [.seconds(1), .seconds(3), .seconds(9), .seconds(20), .seconds(20)])
    }

    @Test("a factor of 1 waits the same each time")
    func constant() {
        let backOff = BackOff(first: .seconds(2), factor: 1, greatest: .seconds(20))
        #expect(backOff.wait(after: backOff.wait(after: nil)) == .seconds(2))
    }

    @Test("a wait that is too long to multiply is the greatest")
    func large() {
        let longest = Duration.seconds(Int64.max / 2)
        let backOff = BackOff(first: longest, factor: 1e300, greatest: longest)
        #expect(backOff.wait(after: longest) == longest)
    }

    @Test("jitter only shortens, by its part at most, and uses the whole range", arguments: [0, 0.25, 0.99])
    func jitter(_ jitter: Double) {
        let backOff = BackOff(jitter: jitter)
        var random = SeededRandom(seed: 5)
        let parts = (0..<2_000).map { _ in backOff.shortened(.seconds(8), using: &random) / .seconds(8) }
        #expect(parts.allSatisfy { (1 - jitter - 1e-9...1).contains($0) })
        let lowest = parts.min() ?? 0
        let highest = parts.max() ?? 0
        #expect(lowest < 1 - jitter * 0.99 + 1e-9)
        #expect(highest > 1 - jitter * 0.01 - 1e-9)
    }
}
