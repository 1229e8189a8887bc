import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// What keeps the output of live verbs readable, and short when a device sends without end.
@Suite struct LiveOutputTests {
    @Test(arguments: [
        (Duration.zero, "1970-01-01T00:00:00.000Z"), (.milliseconds(1_769_850_300_250), "2026-01-31T09:05:00.250Z"),
        // Leap days of a year that 400 divides, and of another one.
        (.seconds(951_782_400), "2000-02-29T00:00:00.000Z"), (.seconds(1_709_251_199), "2024-02-29T23:59:59.000Z"),
        (.seconds(4_107_542_400), "2100-03-01T00:00:00.000Z"), (.milliseconds(-1), "1969-12-31T23:59:59.999Z"),
    ])
    func timesAreOfISO8601WithTheirZone(time: Duration, text: String) {
        #expect(WallClock.text(time) == text)
    }

    @Test func whatComesAgainIsCounted() {
        var counter = RepeatCounter()
        func take(_ key: String?, _ seconds: Int) -> [Int] {
            let (earlier, isReported) = counter.receive(key, at: .seconds(seconds))
            return [earlier, isReported ? 1 : 0]
        }
        #expect(take("a", 0) == [0, 1])
        for _ in 0..<100_000 { #expect(take("a", 9) == [0, 0]) }
        // The count is reported every ten seconds, and before anything else.
        #expect(take("a", 10) == [100_001, 0])
        #expect(take("a", 11) == [0, 0])
        #expect(take("b", 11) == [1, 1])
        #expect(take("b", 12) == [0, 0])
        #expect(counter.finish() == 1)
        #expect(counter.finish() == 0)
        // What counts each time is like nothing else.
        #expect(take("c", 13) == [0, 1])
        for _ in 0..<3 { #expect(take(nil, 13) == [0, 1]) }
        #expect(take("c", 13) == [0, 1])
    }

    @Test func manyLinesWaitForTheirTime() {
        var pace = LinePace()
        for _ in 0..<LinePace.burst { #expect(pace.wait(at: .zero) == .zero) }
        #expect(pace.wait(at: .zero) == LinePace.interval)
        #expect(pace.wait(at: .zero) == LinePace.interval * 2)
        #expect(pace.wait(at: .milliseconds(20)) == LinePace.interval)
        // Places that were not used are saved up, but no more of them than there were.
        for _ in 0..<LinePace.burst { #expect(pace.wait(at: .seconds(1_000)) == .zero) }
        #expect(pace.wait(at: .seconds(1_000)) == LinePace.interval)
    }

    @Test func aFailureIsReportedAtOnceAndThenOnceAMinute() {
        var failures = OpeningFailures()
        let refused = LinkError(.refused, link: "x", "refused")
        let missing = LinkError(.notFound, link: "x", "no such device")
        let told = (0...120).map { _ in failures.receive(refused, wait: .seconds(1)) }
        #expect(told.enumerated().filter { $0.element != nil }.map(\.offset) == [0, 60, 120])
        #expect(told.compactMap(\.self) == [1, 60, 60])
        #expect(failures.receive(missing, wait: .seconds(1)) == 1)
        failures.succeed()
        #expect(failures.receive(missing, wait: .seconds(1)) == 1)
    }
}
