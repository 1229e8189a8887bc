import JackdawReaders
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// The output of live verbs stays readable, and short if a device sends without end.
@Suite struct LiveOutputTests {
    @Test(arguments: [
        (Duration.zero, "1970-01-01T00:00:00.000Z"), (.milliseconds(1_769_850_300_250), "2026-01-31T09:05:00.250Z"),
        // Leap days of a year that is a multiple of 400, and of another one.
        (.seconds(951_782_400), "2000-02-29T00:00:00.000Z"), (.seconds(1_709_251_199), "2024-02-29T23:59:59.000Z"),
        (.seconds(4_107_542_400), "2100-03-01T00:00:00.000Z"), (.milliseconds(-1), "1969-12-31T23:59:59.999Z"),
    ])
    func timesAreOfISO8601WithTheirZone(time: Duration, text: String) {
        #expect(WallClock.text(time) == text)
    }

    @Test func repeatedDataIsCounted() {
        var counter = RepeatCounter()
        func take(_ key: String?, _ seconds: Int = 0, milliseconds: Int = 0) -> [Int] {
            let (earlier, isReported) = counter.receive(key, at: .milliseconds(seconds * 1_000 + milliseconds))
            return [earlier, isReported ? 1 : 0]
        }
        #expect(take("a", 0) == [0, 1])
        for time in 0..<100_000 { #expect(take("a", milliseconds: time / 10) == [0, 0]) }
        // The count is reported every ten seconds, and before anything else.
        #expect(take("a", 10) == [100_001, 0])
        #expect(take("a", 10) == [0, 0])
        #expect(take("b", 10) == [1, 1])
        #expect(take("b", 10) == [0, 0])
        #expect(counter.finish() == 1)
        #expect(counter.finish() == 0)
        // Events without a key are never repeats.
        #expect(take("c", 13) == [0, 1])
        for _ in 0..<3 { #expect(take(nil, 13) == [0, 1]) }
        #expect(take("c", 13) == [0, 1])
    }

    @Test func dataThatIsRepeatedLaterIsReported() {
        var counter = RepeatCounter()
        for second in 0..<100 {
            let (earlier, isReported) = counter.receive("a", at: .seconds(second))
            #expect(earlier == 0 && isReported)
        }
        #expect(counter.deadline == nil)
        #expect(counter.receive("a", at: .milliseconds(99_999)).isReported == false)
        #expect(counter.deadline == .milliseconds(100_999))
        #expect(counter.flush(at: .milliseconds(100_998)) == 0)
        #expect(counter.flush(at: .milliseconds(100_999)) == 1)
        #expect(counter.deadline == nil)
        #expect(counter.receive("a", at: .milliseconds(100_999)).isReported)
    }

    @Test(.timeLimit(.minutes(30))) func aCountIsWrittenWhenNothingMoreComes() async throws {
        let clock = ManualClock()
        let conversation = try Conversation()
        let output = LiveOutput(
            LinkName(.tcp, "h:1"), isJSON: false, conversation, clock: clock, wallClock: WallClock())
        for round in 1...3 {
            for _ in 0..<5 { output.add(JSONObject(), ["same"]) }
            #expect(conversation.lineCount == 2 * round - 1)
            while conversation.lineCount < 2 * round {
                clock.advance(by: RepeatCounter.gap)
                await Task.yield()
            }
        }
        output.finish()
        #expect(conversation.lineCount == 6)
    }

    /// Two alternating lines are no repeats: the first thousand are written at once, then a hundred a second.
    @Test(.timeLimit(.minutes(30))) func linesInTurnAreBoundedInTheirRate() async throws {
        let lines = 3_000
        let clock = LeapingClock(most: .seconds(3_600))
        let output = try await onOwnThread {
            let recorder = ConsoleRecorder()
            let conversation = try Conversation()
            let output = LiveOutput(
                LinkName(.tcp, "h:1"), isJSON: false, conversation, clock: clock, wallClock: WallClock())
            try conversation.run(on: recorder.console, isInterrupted: { false }) { () async throws(CommandError) in
                for number in 0..<lines {
                    output.add(JSONObject(), [number.isMultiple(of: 2) ? "A" : "B"])
                    await output.waitForRoom()
                }
            }
            recorder.console.flush()
            return recorder.output
        }
        #expect(output.split(separator: "\n").count == lines)
        #expect(clock.now.offset >= LinePace.interval * (lines - LinePace.burst))
    }

    @Test func aSwipeThatCouldNotBeReadIsNeverCounted() {
        let report = ReaderEventReport(
            link: LinkName(.tcp, "h:1"), event: .badSwipe("no track"), time: .zero, isRevealed: false)
        #expect(report.isData)
    }

    /// The name of a link may contain an account number, as an argument may. Programs receive it whole.
    @Test func aLinksNameIsMasked() {
        let link = LinkName(.replay, "4111111111111111.txt")
        #expect(link.shown == "replay:411111******1111.txt")
        #expect(LinkName(.ble, "AA:BB:CC:DD:EE:FF").shown == "ble:AA:BB:CC:DD:EE:FF")
        let report = ReaderEventReport(link: link, event: .ready, time: .zero, isRevealed: false)
        #expect(report.lines == ["replay:411111******1111.txt: ready"])
        #expect(report.json.text.contains("replay:4111111111111111.txt"))
    }

    @Test func manyLinesWaitForTheirTime() {
        var pace = LinePace()
        for _ in 0..<LinePace.burst { #expect(pace.wait(at: .zero) == .zero) }
        #expect(pace.wait(at: .zero) == LinePace.interval)
        #expect(pace.wait(at: .zero) == LinePace.interval * 2)
        #expect(pace.wait(at: .milliseconds(20)) == LinePace.interval)
        // After a pause a whole burst may pass at once, and no more.
        for _ in 0..<LinePace.burst { #expect(pace.wait(at: .seconds(1_000)) == .zero) }
        #expect(pace.wait(at: .seconds(1_000)) == LinePace.interval)
    }

    @Test func aFailureIsReportedAtOnceAndThenOnceAMinute() {
        var failures = OpeningFailures()
        let refused = LinkError(.refused, link: "x", "refused")
        let missing = LinkError(.notFound, link: "x", "no such device")
        let reports = (0...120).map { _ in failures.receive(refused, wait: .seconds(1)) }
        #expect(reports.enumerated().filter { $0.element != nil }.map(\.offset) == [0, 60, 120])
        #expect(reports.compactMap(\.self) == [1, 60, 60])
        #expect(failures.receive(missing, wait: .seconds(1)) == 1)
        failures.succeed()
        #expect(failures.receive(missing, wait: .seconds(1)) == 1)
    }

    @Test func failuresInTurnAreReportedOnceAMinuteEach() {
        var failures = OpeningFailures()
        let errors = [LinkError(.refused, link: "x", "refused"), LinkError(.notFound, link: "x", "no such device")]
        let reported = (0...121).map { failures.receive(errors[$0 % 2], wait: .seconds(1)) }
        #expect(reported.enumerated().filter { $0.element != nil }.map(\.offset) == [0, 1, 60, 61, 120, 121])
        #expect(reported.compactMap(\.self) == [1, 1, 30, 30, 30, 30])
    }
}
