import JackdawTestSupport
import Testing

@testable import JackdawALSA

/// The gain follows what becomes of swipes, comes to rest, and what a person can do is said once.
@Suite struct CaptureGainControlTests {
    private static let gain = CaptureGain(decibels: 10, range: -17...30)
    private static let second = Duration.seconds(1)

    /// What a control answers to observations that come a second apart.
    private static func outputs(
        of control: inout CaptureGainControl, _ observations: [CaptureObservation]
    ) -> [[CaptureGainOutput]] {
        observations.enumerated().map { control.receive($0.element, at: second * $0.offset) }
    }

    private static func changes(_ outputs: [[CaptureGainOutput]]) -> [Double] {
        outputs.joined().compactMap { if case .step(let step) = $0 { step.change } else { nil } }
    }

    private static func advice(_ outputs: [[CaptureGainOutput]]) -> [CaptureAdvice] {
        outputs.joined().compactMap { if case .advice(let advice) = $0 { advice } else { nil } }
    }

    @Test func goodSwipesChangeNothing() {
        var control = CaptureGainControl(Self.gain)
        let peaks = stride(from: -39.0, through: 0, by: 3)
        let outputs = Self.outputs(
            of: &control, peaks.map { CaptureObservation(swipe: .read, peak: $0, clippedShare: 0.01) })
        #expect(outputs.joined().isEmpty)
        #expect(control.gain == 10)
    }

    @Test func aSwipeThatWasTooWeakRaisesTheGain() {
        var control = CaptureGainControl(Self.gain)
        let outputs = Self.outputs(of: &control, [CaptureObservation(swipe: .tooWeak, peak: -21)])
        #expect(Self.changes(outputs) == [9])
        #expect(control.gain == 19)
        #expect(
            outputs.joined().first.map { if case .step(let step) = $0 { step.description } else { "" } }
                == "too quiet: raising the capture gain by 9 dB")
        #expect(Self.advice(outputs).isEmpty)
    }

    @Test func aClippedSwipeLowersTheGain() {
        for observation in [
            CaptureObservation(swipe: .clipped, peak: 0), CaptureObservation(swipe: .read, peak: 0, clippedShare: 0.05),
        ] {
            var control = CaptureGainControl(Self.gain)
            #expect(Self.changes(Self.outputs(of: &control, [observation])) == [-6])
        }
    }

    /// Between swipes nothing is changed, whatever is heard.
    @Test func onlySwipesChangeTheGain() {
        var control = CaptureGainControl(Self.gain)
        let outputs = Self.outputs(
            of: &control,
            [
                CaptureObservation(peak: -.infinity), CaptureObservation(peak: 0, clippedShare: 1),
                CaptureObservation(peak: .nan, clippedShare: .nan, signalToNoise: .nan, humOverSignal: .nan),
            ])
        #expect(Self.changes(outputs).isEmpty)
    }

    /// What is heard right after a change was recorded before it.
    @Test func soundFromBeforeAChangeDoesNotCount() {
        var control = CaptureGainControl(Self.gain)
        let clipped = CaptureObservation(swipe: .clipped, peak: 0)
        let times: [Duration] = [.zero, .milliseconds(10), .milliseconds(499), .milliseconds(500)]
        #expect(times.map { control.receive(clipped, at: $0).count } == [1, 0, 0, 1])
        #expect(control.gain == -2)
    }

    @Test func theGainStaysInItsRange() {
        var control = CaptureGainControl(CaptureGain(decibels: 20, range: -17...30))
        let weak = CaptureObservation(swipe: .tooWeak, peak: -60)
        let raised = Self.outputs(of: &control, [weak, weak, weak])
        #expect(Self.changes(raised) == [10])
        #expect(Self.advice(raised) == [.tooQuietAtMostGain])
        var low = CaptureGainControl(CaptureGain(decibels: -14, range: -17...30))
        let clipped = CaptureObservation(swipe: .clipped, peak: 0)
        let lowered = Self.outputs(of: &low, [clipped, clipped, clipped])
        #expect(Self.changes(lowered) == [-3])
        #expect(Self.advice(lowered) == [.clippingAtLeastGain])
    }

    /// A card that does not follow a change is at its limit, whatever its range is.
    @Test func aCardThatDoesNotFollowIsNotAskedAgain() {
        var control = CaptureGainControl(Self.gain)
        let weak = CaptureObservation(swipe: .tooWeak, peak: -50)
        #expect(Self.changes([control.receive(weak, at: .zero)]) == [12])
        control.gainChanged(to: Self.gain)
        #expect(control.receive(weak, at: Self.second) == [.advice(.tooQuietAtMostGain)])
        control.gainChanged(to: nil)
        #expect(control.receive(weak, at: Self.second * 2) == [.advice(.tooQuiet)])
        // A gain that was changed by hand is where it is.
        control.gainChanged(to: CaptureGain(decibels: 0, range: -17...30))
        #expect(Self.changes([control.receive(weak, at: Self.second * 3)]) == [12])
    }

    @Test func withoutAMixerThereIsAdvice() {
        var control = CaptureGainControl(nil)
        let weak = CaptureObservation(swipe: .tooWeak, peak: -50)
        let clipped = CaptureObservation(swipe: .read, peak: 0, clippedShare: 0.5)
        let good = CaptureObservation(swipe: .read, peak: -12)
        let outputs = Self.outputs(of: &control, [good, weak, weak, clipped, clipped, good, good])
        #expect(outputs.map(\.count) == [0, 1, 0, 1, 0, 1, 0])
        #expect(Self.advice(outputs) == [.tooQuiet, .clipping, .good])
        #expect(
            Self.advice(outputs).map(\.description) == [
                "too quiet: raise the capture gain", "clipping: lower the capture gain", "the level is good now",
            ])
    }

    /// A level right at a threshold does not make advice come and go.
    @Test func adviceAtAThresholdIsGivenOnce() {
        var control = CaptureGainControl(nil)
        func quiet(_ peak: Double) -> CaptureObservation { CaptureObservation(swipe: .read, peak: peak) }
        let quietOnes = Self.outputs(of: &control, [-45.1, -44.9, -45.1, -40, -45.1].map(quiet))
        #expect(Self.advice(quietOnes) == [.tooQuiet])
        #expect(Self.advice(Self.outputs(of: &control, [quiet(-39)])) == [.good])
        func loud(_ share: Double) -> CaptureObservation {
            CaptureObservation(swipe: .read, peak: 0, clippedShare: share)
        }
        #expect(Self.advice(Self.outputs(of: &control, [0.05, 0.04, 0.06, 0.03].map(loud))) == [.clipping])
        #expect(Self.advice(Self.outputs(of: &control, [loud(0.02)])) == [.good])
        func hum(_ over: Double) -> CaptureObservation {
            CaptureObservation(swipe: .read, peak: -12, humOverSignal: over)
        }
        let humming = Self.outputs(of: &control, [5.9, 12, 11, 6, 5, 3, 2.9].map(hum))
        #expect(Self.advice(humming) == [.hum(decibels: 12), .hum(decibels: 6), .good])
        #expect(CaptureAdvice.hum(decibels: 12).description.hasPrefix("hum 12 dB "))
    }

    /// More gain raises the hum with the signal; less of it brings both off the rail.
    @Test func humIsNotAnsweredWithGain() {
        var control = CaptureGainControl(Self.gain)
        let outputs = Self.outputs(
            of: &control,
            [
                CaptureObservation(swipe: .tooWeak, peak: -40, humOverSignal: 12),
                CaptureObservation(swipe: .clipped, peak: 0, humOverSignal: 12),
            ])
        #expect(outputs[0] == [.advice(.hum(decibels: 12))])
        #expect(Self.changes(outputs) == [-6])
    }

    @Test func loudNoiseGivesAdvice() {
        for observation in [
            CaptureObservation(swipe: .tooWeak, peak: -10),
            CaptureObservation(swipe: .failed, peak: -10, signalToNoise: 5.9),
        ] {
            var control = CaptureGainControl(Self.gain)
            let outputs = Self.outputs(of: &control, [observation, observation])
            #expect(Array(outputs.joined()) == [CaptureGainOutput.advice(.noise)])
        }
    }

    /// A knock, or a plug that goes in, clips for a moment.
    @Test func clippingBetweenSwipesGivesAdviceIfItLasts() {
        var control = CaptureGainControl(Self.gain)
        func at(_ milliseconds: Int, _ share: Double) -> [CaptureGainOutput] {
            control.receive(CaptureObservation(peak: 0, clippedShare: share), at: .milliseconds(milliseconds))
        }
        #expect(at(0, 1).isEmpty && at(1_999, 1).isEmpty && at(2_000, 0).isEmpty)
        #expect(at(3_000, 1).isEmpty && at(4_900, 1).isEmpty)
        #expect(at(5_000, 1) == [.advice(.clipping)])
        #expect(at(6_000, 0).isEmpty && at(6_500, 1).isEmpty && at(7_000, 0).isEmpty)
        #expect(at(9_000, 0) == [.advice(.good)])
    }

    /// Where every other swipe is too weak and the rest clip, no gain is right.
    @Test func turningUpAndDownComesToRest() {
        var control = CaptureGainControl(Self.gain)
        let weak = CaptureObservation(swipe: .tooWeak, peak: -21)
        let clipped = CaptureObservation(swipe: .clipped, peak: 0)
        let outputs = Self.outputs(of: &control, (0..<20).map { $0.isMultiple(of: 2) ? weak : clipped })
        #expect(Self.changes(outputs) == [9, -3, 2.25])
        #expect(control.isSettled)
        #expect(Self.advice(outputs) == [.uneven])
    }

    /// A card, a converter with noise and a rail, and a hand whose speed differs by a factor of six: wherever the gain
    /// begins, and whatever the reader's level, a few changes in one direction lead to a gain at which nothing is lost.
    @Test(arguments: [-50.0, -40, -30, -20, -10, 0, 10, 20])
    func theGainSettlesAtALevelAtWhichSwipesAreRead(level: Double) {
        for start in stride(from: -17.0, through: 30, by: 4.7) {
            var random = SeededRandom(seed: UInt64(100 + level) * 1_000 + UInt64(start + 17))
            var control = CaptureGainControl(CaptureGain(decibels: start, range: -17...30))
            var results: [CaptureObservation.Swipe] = []
            var changes: [Double] = []
            for index in 0..<300 {
                let loudness = level + (control.gain ?? 0) - Double.random(in: 0...16, using: &random)
                // Pulses a third over full scale are 5 % of the samples; ten times over, 20 %.
                let share = loudness <= 0 ? 0 : min(0.01 * loudness * 2, 0.2)
                let swipe: CaptureObservation.Swipe = loudness < -67 ? .tooWeak : loudness > 24 ? .clipped : .read
                results.append(swipe)
                let observation = CaptureObservation(swipe: swipe, peak: min(loudness, 0), clippedShare: share)
                changes += Self.changes([control.receive(observation, at: Self.second * index)])
            }
            #expect(changes.count <= 10, "level \(level), start \(start): \(changes)")
            #expect(
                changes.allSatisfy { $0 > 0 } || changes.allSatisfy { $0 < 0 },
                "level \(level), start \(start): \(changes)")
            #expect(results.suffix(150).allSatisfy { $0 == .read }, "level \(level), start \(start)")
        }
    }
}
