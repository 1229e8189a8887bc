import Testing

@testable import JackdawDSP

@Suite struct SwipeMotionTests {
    @Test(arguments: [
        (SwipeMotion.constant, [1.0, 1, 1, 1, 1]),
        (.linear(change: 0.5), [0.5, 0.75, 1, 1.25, 1.5]),
        (.exponential(ratio: 4), [0.5, 0.707_106_781_186_5, 1, 1.414_213_562_373, 2]),
        (.sinusoidal(depth: 0.3, cycles: 1), [1, 1.3, 1, 0.7, 1]),
        (.points([.init(position: 0.25, speed: 2), .init(position: 0.75, speed: 4)]), [2, 2, 3, 4, 4]),
    ])
    func speedsAtQuartersOfTheWay(motion: SwipeMotion, expected: [Double]) {
        for (quarter, speed) in expected.enumerated() {
            #expect(abs(motion.speed(at: Double(quarter) / 4) - speed) < 1e-9)
            #expect(motion.fastest >= speed - 1e-9)
        }
        #expect(motion.speed(at: -1) == motion.speed(at: 0))
        #expect(motion.speed(at: 2) == motion.speed(at: 1))
        #expect(motion.defect == nil)
    }

    @Test(arguments: [
        SwipeMotion.linear(change: 1), .linear(change: .nan), .exponential(ratio: 0), .exponential(ratio: .infinity),
        .sinusoidal(depth: 1, cycles: 1), .sinusoidal(depth: 0.1, cycles: -1), .points([]),
        .points([.init(position: 0.5, speed: 0)]), .points([.init(position: 2, speed: 1)]),
        .points([.init(position: 0.5, speed: 1), .init(position: 0.5, speed: 2)]),
    ])
    func motionsThatStandStillAreRefused(motion: SwipeMotion) {
        #expect(throws: SwipeSynthesizerError.self) {
            try SwipeSynthesizer(configuration: .init(sampleRate: 48_000, motion: motion))
        }
    }
}
