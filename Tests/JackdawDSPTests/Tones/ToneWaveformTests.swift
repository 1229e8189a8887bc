import Foundation
import Testing

@testable import JackdawDSP

@Suite struct ToneWaveformTests {
    /// On an edge, and a rounding away from it on either side, a square is 0; what was one rounding short of a whole
    /// turn once came out at twice the level.
    @Test(arguments: [12.0, 13.6, 27, 1_000])
    func squaresAreNothingOnTheirEdges(framesPerPeriod: Double) {
        for waveform in [ToneWaveform.square, .steppedSquare] {
            let step = 1 / framesPerPeriod
            let centre = waveform == .steppedSquare ? step / 2 : 0
            for edge in [-0.5, 0, 0.5, 1, 1.5] {
                for turns in [edge, edge.nextDown, edge.nextUp, edge - 1e-15, edge + 1e-15] {
                    #expect(abs(waveform.value(turns: turns - centre, step: step)) < 1e-9, "\(waveform) \(turns)")
                }
            }
        }
    }

    @Test(arguments: ToneWaveform.allCases) func halvesAreMirrored(waveform: ToneWaveform) {
        for step in [0.002, 1.0 / 14, 0.11, 0.3, 0.5] {
            for index in 0..<2_000 {
                let turns = Double(index) / 1_337
                let (value, opposite) = (
                    waveform.value(turns: turns, step: step), waveform.value(turns: turns + 0.5, step: step)
                )
                #expect(abs(value + opposite) < 1e-9)
                #expect(abs(value) <= 1)
            }
        }
    }

    @Test func sineIsThatOfTheLibrary() {
        for index in -1_000..<4_000 {
            let turns = Double(index) / 1_000
            #expect(abs(ToneWaveform.sine.value(turns: turns, step: 0.1) - sin(2 * .pi * turns)) < 1e-9)
        }
    }

    /// The sum of the odd partials, as far as the low-pass of the edges leaves them alone.
    @Test func squareIsTheSumOfItsPartials() {
        // 3 partials below 0.375 of the rate, none between there and half of it: 0.07, 0.21, 0.35; the
        // next at 0.49 is left out.
        let step = 0.07
        for index in 0..<1_000 {
            let turns = Double(index) / 777
            let sum = [1.0, 3, 5].reduce(0) { $0 + sin(2 * .pi * $1 * turns) / $1 }
            #expect(abs(ToneWaveform.square.value(turns: turns, step: step) - sum) < 2e-3)
        }
    }
}
