import Testing

@testable import JackdawDSP

@Suite struct TonePhaseTests {
    /// 1,000 Hz at 44.1 kHz comes back to the same 441 phases for ever; a sum of rounded steps does not.
    @Test func isExactAfterMillionsOfFrames() {
        var phase = TonePhase(frequency: 1_000, sampleRate: 44_100, isWholeFrames: false)
        var wrong = 0
        for frame in 0..<20_000_000 {
            if frame % 99_991 == 0, abs(phase.turns - Double(frame % 441 * 1_000 % 44_100) / 44_100) > 4e-16 {
                wrong += 1
            }
            if frame % 441 == 0, phase.turns != 0 { wrong += 1 }
            phase.advance()
        }
        #expect(wrong == 0)
    }

    /// Ten hours.
    @Test(arguments: [
        (1_000.0, 44_100.0, 36_000_000, 1_587_600_000), (22_050, 48_000, 793_800_000, 1_728_000_000),
        (2_000, 192_000, 72_000_000, 6_912_000_000), (62.5, 8_000, 2_250_000, 288_000_000),
    ])
    func periodsOfHoursAreCountedExactly(frequency: Double, rate: Double, periods: Int, frames: Int) {
        let phase = TonePhase(frequency: frequency, sampleRate: rate, isWholeFrames: false)
        #expect(phase.frames(toEndOf: periods) == frames)
        #expect(phase.frames(toEndOf: 0) == 0)
    }

    /// A period ends at the first frame at or after its end, wherever it is asked.
    @Test(arguments: [3_400.0, 999.9, 7, 44_100.0 / 3])
    func countsFramesAsSteppingDoes(frequency: Double) {
        var phase = TonePhase(frequency: frequency, sampleRate: 44_100, isWholeFrames: false)
        for start in 0..<50 {
            for periods in [1, 2, 5] {
                var stepped = phase
                var (frames, ends) = (0, 0)
                while ends < periods {
                    let before = stepped.turns
                    stepped.advance()
                    frames += 1
                    if stepped.turns < before { ends += 1 }
                }
                #expect(phase.frames(toEndOf: periods) == frames, "from frame \(start)")
                #expect(stepped.isAtPeriodStart)
            }
            phase.advance()
        }
    }

    @Test(arguments: [(2_400.0, 18), (3_400, 13), (4_000, 11), (22_050, 2), (1, 44_100)])
    func thePhaseOfWholeFramesReturnsToZero(frequency: Double, frames: Int) {
        var phase = TonePhase(frequency: frequency, sampleRate: 44_100, isWholeFrames: true)
        for frame in 0..<3 * frames {
            #expect(abs(phase.turns - Double(frame % frames) / Double(frames)) < 1e-15)
            #expect(phase.isAtPeriodStart == (frame % frames == 0))
            phase.advance()
        }
    }

    /// The time since the period began stays, not the turns.
    @Test func aSwitchKeepsTheTimeSinceThePeriodBegan() {
        var phase = TonePhase(frequency: 1_000, sampleRate: 44_100, isWholeFrames: false)
        for _ in 0..<45 { phase.advance() }
        // The period ended after 44.1 frames.
        let other = TonePhase(frequency: 3_000, sampleRate: 44_100, isWholeFrames: false)
        #expect(abs(phase.switched(to: other).turns - 0.9 * 3_000 / 44_100) < 1e-15)
        #expect(abs(phase.continued(at: other).turns - 0.9 * 1_000 / 44_100) < 1e-15)
    }
}
