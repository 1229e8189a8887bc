import Testing

@testable import JackdawTransport

@Suite("Batteries and sleeps")
struct WatchTests {
    /// Percent (-1: not known), charging, whether it is new, whether it has become low.
    private typealias Step = (percent: Int, isCharging: Bool?, isNew: Bool, becameLow: Bool)

    @Test("a low battery is reported once, and again only after it had recovered")
    func hysteresis() {
        let steps: [Step] = [
            (16, nil, true, false), (15, nil, true, true), (15, nil, false, false), (16, nil, true, false),
            (14, nil, true, false), (19, nil, true, false), (15, nil, true, false), (20, nil, true, false),
            (15, nil, true, true), (-1, nil, true, false), (15, nil, true, false),
        ]
        check(steps)
    }

    @Test("a battery is not low while it charges, and is afterwards")
    func charging() {
        check([(10, true, true, false), (10, true, false, false), (10, false, true, true), (10, true, true, false)])
    }

    private func check(_ steps: [Step]) {
        var watch = BatteryWatch()
        for (index, step) in steps.enumerated() {
            let percent = step.percent < 0 ? nil : step.percent
            let result = watch.receive(BatteryReport(percent: percent, isCharging: step.isCharging))
            #expect(result == (step.isNew, step.becameLow), "step \(index)")
        }
    }

    @Test("a percentage out of range is unknown", arguments: [-1, 101, 255])
    func range(_ percent: Int) { #expect(BatteryReport(percent: percent).percent == nil) }

    @Test("both ends of the range are known", arguments: [0, 100])
    func ends(_ percent: Int) { #expect(BatteryReport(percent: percent).percent == percent) }

    @Test("each sleep is reported once, with its own length")
    func sleeps() {
        var watch = SleepWatch()
        #expect(watch.slept(awake: .seconds(5), elapsed: .seconds(5)) == nil)
        #expect(watch.slept(awake: .seconds(6), elapsed: .seconds(66)) == .seconds(60))
        #expect(watch.slept(awake: .seconds(7), elapsed: .seconds(67)) == nil)
        #expect(watch.slept(awake: .seconds(7), elapsed: .seconds(70)) == .seconds(3))
    }

    @Test("a pause between the readings is no sleep, and hides no later one")
    func pauses() {
        var watch = SleepWatch()
        #expect(watch.slept(awake: .seconds(5), elapsed: .milliseconds(5_999)) == nil)
        // A pause that is long enough is taken for a sleep; the next reading finds out.
        #expect(watch.slept(awake: .seconds(10), elapsed: .seconds(15)) == .seconds(5))
        #expect(watch.slept(awake: .seconds(20), elapsed: .seconds(20)) == nil)
        #expect(watch.slept(awake: .seconds(21), elapsed: .seconds(25)) == .seconds(4))
    }
}
