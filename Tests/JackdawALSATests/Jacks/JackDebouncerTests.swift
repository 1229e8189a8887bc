import JackdawTestSupport
import Testing

@testable import JackdawALSA

/// A plug counts once it has stayed in, and once it has stayed out.
@Suite struct JackDebouncerTests {
    private static let microphone = Jack(name: "Mic", kind: .microphone, origin: .element(1))
    private static let headphone = Jack(name: "Headphone", kind: .headphone, origin: .element(2))

    private func debouncer(_ isPlugged: Bool = false) -> JackDebouncer {
        JackDebouncer([JackState(jack: Self.microphone, isPlugged: isPlugged)], settlingTime: .nanoseconds(100))
    }

    @Test func aPlugCountsWhenItHasStayed() {
        var debouncer = debouncer()
        #expect(debouncer.nextDeadline == nil)
        #expect(debouncer.receive(Self.microphone, isPlugged: true, at: 1000).isEmpty)
        #expect(debouncer.nextDeadline == 1100)
        #expect(debouncer.advance(to: 1099).isEmpty)
        #expect(!debouncer.states[0].isPlugged)
        #expect(debouncer.advance(to: 1100) == [.attached(Self.microphone, time: 1000)])
        #expect(debouncer.states[0].isPlugged)
        #expect(debouncer.nextDeadline == nil)
        #expect(debouncer.advance(to: 9999).isEmpty)
    }

    /// Every make and break starts the wait again.
    @Test func bouncesAreOnePlug() {
        var debouncer = debouncer()
        for time in stride(from: Int64(0), to: 1000, by: 50) {
            #expect(debouncer.receive(Self.microphone, isPlugged: time % 100 == 0, at: time).isEmpty)
        }
        #expect(debouncer.receive(Self.microphone, isPlugged: true, at: 1000).isEmpty)
        #expect(debouncer.advance(to: 1100) == [.attached(Self.microphone, time: 1000)])
    }

    @Test func aTouchIsNothing() {
        for isPlugged in [false, true] {
            var debouncer = debouncer(isPlugged)
            #expect(debouncer.receive(Self.microphone, isPlugged: !isPlugged, at: 10).isEmpty)
            #expect(debouncer.receive(Self.microphone, isPlugged: isPlugged, at: 109).isEmpty)
            #expect(debouncer.nextDeadline == nil)
            #expect(debouncer.advance(to: 1000).isEmpty)
        }
    }

    /// Kernels repeat themselves; that does not prolong the wait.
    @Test func theSameAgainChangesNothing() {
        var debouncer = debouncer()
        _ = debouncer.receive(Self.microphone, isPlugged: true, at: 0)
        _ = debouncer.receive(Self.microphone, isPlugged: true, at: 90)
        #expect(debouncer.nextDeadline == 100)
    }

    /// A late reader still gets the event of a plug that stayed long enough before it was pulled out.
    @Test func aPlugThatLastedIsReportedAfterItWasPulled() {
        var debouncer = debouncer()
        _ = debouncer.receive(Self.microphone, isPlugged: true, at: 0)
        let events = debouncer.receive(Self.microphone, isPlugged: false, at: 500)
        #expect(events == [.attached(Self.microphone, time: 0)])
        #expect(debouncer.advance(to: 600) == [.detached(Self.microphone, time: 500)])
    }

    @Test func jacksAreReportedInTheOrderOfTheirChanges() {
        var debouncer = JackDebouncer(
            [Self.microphone, Self.headphone].map { JackState(jack: $0, isPlugged: false) },
            settlingTime: .nanoseconds(100))
        _ = debouncer.receive(Self.headphone, isPlugged: true, at: 5)
        _ = debouncer.receive(Self.microphone, isPlugged: true, at: 7)
        #expect(debouncer.nextDeadline == 105)
        let events: [JackEvent] = [.attached(Self.headphone, time: 5), .attached(Self.microphone, time: 7)]
        #expect(debouncer.advance(to: 200) == events)
    }

    @Test func withoutSettlingEveryChangeCounts() {
        for time in [Duration.zero, .seconds(-1)] {
            var debouncer = JackDebouncer(settlingTime: time)
            #expect(
                debouncer.receive(Self.microphone, isPlugged: true, at: 3) == [.attached(Self.microphone, time: 3)])
            #expect(debouncer.receive(Self.microphone, isPlugged: true, at: 4).isEmpty)
            #expect(
                debouncer.receive(Self.microphone, isPlugged: false, at: 4) == [.detached(Self.microphone, time: 4)])
        }
    }

    @Test func aRemovedJackIsDetached() {
        var debouncer = debouncer(true)
        #expect(debouncer.remove(Self.microphone, at: 8) == [.detached(Self.microphone, time: 8)])
        #expect(debouncer.states.isEmpty)
        #expect(debouncer.remove(Self.microphone, at: 9).isEmpty)
        debouncer = self.debouncer(false)
        #expect(debouncer.remove(Self.microphone, at: 8).isEmpty)
    }

    @Test func endlessTimesDoNotOverflow() {
        var debouncer = JackDebouncer(settlingTime: .seconds(Int64.max))
        _ = debouncer.receive(Self.microphone, isPlugged: true, at: .max - 1)
        #expect(debouncer.nextDeadline == .max)
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
        #expect(Duration.milliseconds(-1500).nanoseconds == -1_500_000_000)
    }

    /// With any bouncing events alternate, each reported state had lasted, and the last event is the real state.
    @Test func eventsAlternateAndEndWithTheTruth() {
        for seed in UInt64(0)..<200 {
            var random = SeededRandom(seed: seed)
            var debouncer = debouncer()
            var events: [JackEvent] = []
            var (time, raw, changed) = (Int64(0), false, Int64(0))
            var spans: [(from: Int64, to: Int64, isPlugged: Bool)] = []
            for _ in 0..<60 {
                time += Int64.random(in: 1...180, using: &random)
                spans.append((changed, time, raw))
                (raw, changed) = (!raw, time)
                events += debouncer.receive(Self.microphone, isPlugged: raw, at: time)
            }
            events += debouncer.advance(to: time + 100)
            var expected: [JackEvent] = []
            var reported = false
            for span in spans + [(changed, time + 100, raw)]
            where span.to - span.from >= 100 && span.isPlugged != reported {
                reported = span.isPlugged
                expected.append(
                    reported
                        ? .attached(Self.microphone, time: span.from) : .detached(Self.microphone, time: span.from))
            }
            #expect(events == expected)
            #expect(debouncer.states.map(\.isPlugged) == [raw])
        }
    }
}
