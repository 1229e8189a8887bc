import JackdawReaders
import JackdawSimulator
import Testing

/// SPm20's driver against its simulated terminal, in virtual time.
struct JSONPOSRehearsalTests {
    @Test(arguments: [1, 7, Int.max]) func itConnectsAfterAPause(step: Int) {
        var rehearsal = Rehearsal("jsonpos", step: step)
        rehearsal.perform(.connect)
        #expect(rehearsal.sent.count == 1)
        rehearsal.run(for: .milliseconds(99))
        #expect(rehearsal.sent.count == 1)
        rehearsal.run(for: .milliseconds(1))
        #expect(rehearsal.sent.count == 2)
        rehearsal.run(until: .ready)
        #expect(rehearsal.log == ["130 connected: jsonpos, firmware 1.00", "130 ready"])
    }

    @Test func aKeepaliveIsSentEveryHalfMinute() {
        var rehearsal = Rehearsal("jsonpos")
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        let count = rehearsal.sent.count
        rehearsal.run(for: .seconds(95))
        #expect(rehearsal.sent.count == count + 3)
        #expect(rehearsal.sent.suffix(3).allSatisfy { String(decoding: $0, as: UTF8.self).contains("_Keepalive") })
        #expect(rehearsal.log.count == 2)
        #expect(rehearsal.state == .ready)
    }

    @Test func aTerminalThatDisappearedIsDetected() {
        var rehearsal = Rehearsal("jsonpos", faults: [PlannedFault(.noAnswer, 3..<Int.max)])
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.run(for: .seconds(40))
        #expect(rehearsal.state == .off)
        #expect(rehearsal.log.last == "35130 failed: the reader does not answer (_Keepalive)")
    }

    @Test func aSwipeIsUnsupportedAndChangesNothing() {
        var rehearsal = Rehearsal("jsonpos")
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.requestSwipe(within: .seconds(5)))
        #expect(rehearsal.state == .ready)
        guard case .failed(let error) = rehearsal.events.last else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.code == .unsupported)
    }

    /// It has no other published way to report that.
    @Test func aTerminalReportsItsLowBatteryIfItIsAsked() {
        var rehearsal = Rehearsal("jsonpos", faults: [PlannedFault(.lowBattery)])
        rehearsal.perform(.connect)
        rehearsal.run(until: .ready)
        rehearsal.perform(.ask(.status))
        rehearsal.run(for: .seconds(1))
        #expect(rehearsal.log.suffix(2) == ["140 status: status battery 5", "140 ready"])
    }

    @Test(arguments: ReaderFault.allCases) func everyFaultEndsInADefinedState(fault: ReaderFault) {
        for message in 0..<4 {
            var rehearsal = Rehearsal("jsonpos", faults: [PlannedFault(fault, message..<message + 1)])
            rehearsal.perform(.connect)
            rehearsal.run(for: .seconds(60))
            let states: [ReaderState] = fault == .disconnect ? [.lost] : [.ready, .off]
            #expect(states.contains(rehearsal.state), "\(fault) of message \(message): \(rehearsal.log)")
        }
    }
}
