import JackdawTestSupport
import JackdawTransport
import Testing

@Suite("A working day")
struct DayTests {
    @Test(
        "24 hours of losses, sleeps and batteries leave the reader usable, and everything is reported", arguments: 1...6
    )
    func day(_ seed: UInt64) async throws {
        var day = VirtualDay(seed: seed)
        try await day.run()
        let log = day.app.log.with { $0 }
        let reader = day.reader.state.with { $0 }

        #expect(day.problems + log.problems + reader.problems == [])
        // It was a day, and not an idle one.
        #expect(day.wallClock.now.offset >= .seconds(86_400))
        #expect(Set(day.losses.keys) == Set(VirtualDay.Loss.allCases))
        #expect(day.messages > 300)
        #expect(log.waits.count > 50)

        // One session at a time, each back within the longest wait and an attempt on either side of it.
        #expect(log.connected == reader.links.count)
        #expect(day.longestReturn <= VirtualDay.backOff.greatest + VirtualDay.page * 2)
        #expect(day.attempts == reader.attempts)

        // Every message arrived once and in order, but for the last ones of a session, whose loss was reported.
        #expect(log.lost == log.connected)
        #expect(log.received.count == day.sent.count)
        var missing = 0
        for (received, sent) in zip(log.received, day.sent) {
            #expect(received == Array(sent.prefix(received.count)))
            missing += sent.count - received.count
        }
        // Those of a session that was lost in that time, 20 at most; one of them at least was torn.
        let losses = day.losses[.whileReceiving] ?? 0
        #expect((losses...losses * 20).contains(missing))

        #expect(log.undelivered == day.undelivered)
        #expect(log.slept == day.slept)
        #expect(log.batteries == day.batteries)
        #expect(log.lowBatteries == day.lowBatteries)

        // Nothing is left of it.
        #expect(log.ending == .some(nil))
        #expect(reader.openCount == 0 && reader.running == 0)
        #expect(day.clock.nextDeadline == nil)
    }
}
