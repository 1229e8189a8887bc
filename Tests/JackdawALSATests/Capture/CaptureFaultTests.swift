import Glibc
import Testing

@testable import JackdawALSA
import JackdawSystem

/// Whichever call fails, the reader of the stream gets the matching event, and every frame is at its position.
@Suite struct CaptureFaultTests {
    @Test func soundComesInOrder() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 1_000)
        #expect(bench.seen == [.sound(frames: 48_000)])
        bench.close()
        #expect(card.record.isClosed)
    }

    @Test func aPeriodThatIsNotReachedIsNotRead() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        // Woken each millisecond, it finds a period at every fifth.
        bench.run(milliseconds: 1_000, each: 1)
        #expect(bench.seen == [.sound(frames: 48_000)])
        #expect(card.record.log.count { $0 == .read } == 200)
        bench.close()
    }

    @Test(arguments: [1, 7, 239, 241]) func shortReadsAreNoLoss(most: Int) {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card, blocks: 2_048)
        card.change { $0.maxFrames = most }
        bench.run(milliseconds: 100)
        guard case .sound(let frames)? = bench.seen.first, bench.seen.count == 1 else {
            Issue.record("\(bench.seen)")
            return
        }
        #expect(frames > 4_800 - 2 * 240)
        bench.close()
    }

    /// Periods of an odd size, and a buffer that is no whole number of them.
    @Test(arguments: [17, 113, 480, 1_023]) func oddPeriodsAreNoLoss(period: Int) {
        let format = StreamFormat(
            sampleRate: 44_100, channels: 3, encoding: .s24Packed, periodFrames: period, bufferFrames: 2 * period + 500,
            isResampled: false)
        let card = ScriptedPCM(.capture, VirtualClock(), format: format)
        var bench = CaptureBench(card, blocks: 512)
        bench.run(milliseconds: 500)
        guard case .sound(let frames)? = bench.seen.first, bench.seen.count == 1 else {
            Issue.record("\(bench.seen)")
            return
        }
        #expect(frames > 22_050 - 2 * Int64(period))
        bench.close()
    }

    @Test func anOverrunReportsTheLostFrames() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        // The buffer holds 50 ms; a wake-up after 80 finds it overrun.
        bench.run(milliseconds: 80, each: 80)
        bench.run(milliseconds: 100)
        #expect(bench.seen == [.sound(frames: 4_800), .lost(3_840), .sound(frames: 4_800)])
        bench.close()
    }

    @Test func aStalledReaderReceivesTheNumberOfLostFrames() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card, blocks: 128)
        bench.run(milliseconds: 100)
        bench.isReading = false
        bench.run(milliseconds: 2_000)
        bench.isReading = true
        bench.run(milliseconds: 100)
        // Of the 400 blocks of 240 frames that were recorded in that time, 128 were kept;
        let read: Int64 = 4_800 + 128 * 240
        // and one more before it had made room.
        let lost: Int64 = (400 + 1 - 128) * 240
        #expect(bench.seen == [.sound(frames: read), .lost(lost), .sound(frames: 19 * 240)])
        bench.close()
    }

    /// A device whose descriptor says nothing is asked how it is.
    @Test func aSilentDeviceIsAsked() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .overrun }
        bench.run(milliseconds: 300, each: 0)
        #expect(card.state() == .running)
        card.change { $0.pcm = .suspended }
        bench.run(milliseconds: 300, each: 0)
        #expect(card.state() == .running)
        card.change { $0.pcm = .prepared }
        bench.run(milliseconds: 300, each: 0)
        #expect(card.state() == .running)
        bench.close()
    }

    @Test func aSleepOfTheSystemIsAGap() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .suspended }
        // It wakes at the third attempt.
        card.fail(.resume, EAGAIN, EAGAIN)
        bench.run(milliseconds: 200)
        #expect(bench.seen.count == 3)
        guard case .lost(let frames) = bench.seen[1] else {
            Issue.record("\(bench.seen)")
            return
        }
        // It says at once that it is not well, and is asked again after 20 ms twice.
        #expect(frames == 41 * 48)
        #expect(card.record.log.count { $0 == .resume } == 3)
        bench.close()
    }

    @Test func aDeviceThatCannotResumeIsStartedAgain() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .suspended }
        card.fail(.resume, ENOSYS)
        bench.run(milliseconds: 100)
        #expect(bench.seen.count == 3)
        #expect(card.state() == .running)
        bench.close()
    }

    @Test func unpluggedIsOneEventAndPluggedInAgainAnother() {
        let clock = VirtualClock()
        let card = ScriptedPCM(.capture, clock)
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .disconnected }
        bench.run(milliseconds: 5_000)
        #expect(bench.seen == [.sound(frames: 4_800), .disconnected])
        #expect(card.record.isClosed)
        // It is sought less and less often: 100, 300, 800 ms and each second.
        #expect(bench.opener.misses == 7)
        bench.opener.plugIn(ScriptedPCM(.capture, clock))
        bench.run(milliseconds: 2_000)
        #expect(bench.seen.prefix(3) == [.sound(frames: 4_800), .disconnected, .reconnected])
        #expect(bench.seen.count == 5)
        let asked = bench.opener.lastConfiguration
        #expect(asked?.sampleRate == 48_000)
        #expect(asked?.channels == 1)
        bench.close()
    }

    @Test func aDisconnectionEndsAStreamThatIsNotReopened() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card, reopens: false)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .disconnected }
        bench.run(milliseconds: 100)
        #expect(bench.seen == [.sound(frames: 4_800), .disconnected, .over(ENODEV)])
    }

    /// A late reader learns of an unplugged device in its place, however full the ring is.
    @Test func aFullRingStillReportsTheDisconnection() {
        let clock = VirtualClock()
        let card = ScriptedPCM(.capture, clock)
        var bench = CaptureBench(card, blocks: 4)
        bench.isReading = false
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .disconnected }
        bench.opener.plugIn(ScriptedPCM(.capture, clock))
        bench.run(milliseconds: 500)
        bench.isReading = true
        bench.run(milliseconds: 100)
        #expect(bench.seen.prefix(3) == [.sound(frames: 960), .disconnected, .reconnected])
        #expect(bench.seen.count == 5)
        bench.close()
    }

    @Test func aDeviceThatOnlyFailsEndsTheStream() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card, reopens: false)
        card.change { $0.failures[.read] = Array(repeating: EPIPE, count: 1_000) }
        bench.run(milliseconds: 5_000)
        #expect(bench.seen == [.disconnected, .over(EIO)])
        #expect(card.record.log.count < 200)
    }

    /// Each call at each of its first times, with each code: the loss of the device is reported as such, a gap as a
    /// gap,
    /// what is nothing as nothing, and the sound goes on.
    @Test(arguments: ScriptedPCM.Call.allCases.filter { $0 != .write })
    func everyCallMayFail(call: ScriptedPCM.Call) {
        let codes = [EPIPE, ESTRPIPE, ENODEV, ENXIO, EAGAIN, EINTR, EIO, EBADFD, EINVAL, ENOSYS, ENOMEM, 4_095]
        for code in codes {
            for before in [0, 1, 2, 10] where before < 2 || [.available, .read].contains(call) {
                let clock = VirtualClock()
                let card = ScriptedPCM(.capture, clock)
                var bench = CaptureBench(card)
                bench.opener.plugIn(ScriptedPCM(.capture, clock))
                card.change { $0.failures[call] = Array(repeating: 0, count: before) + [code] }
                bench.run(milliseconds: 100)
                if call == .resume { card.change { $0.pcm = .suspended } }
                bench.run(milliseconds: 900)
                let hasGone = bench.seen.contains(.disconnected)
                #expect(hasGone == bench.seen.contains(.reconnected), "\(call) \(code) after \(before): \(bench.seen)")
                let isRead = if case .sound(let frames)? = bench.seen.last { frames > 4_800 } else { false }
                #expect(isRead, "\(call) \(code) after \(before): \(bench.seen)")
                if [EAGAIN, EINTR].contains(code), [.available, .read].contains(call) {
                    #expect(bench.seen == [.sound(frames: 48_000)], "\(call) \(code) after \(before): \(bench.seen)")
                }
                if [ENODEV, ENXIO, EIO, ENOMEM].contains(code), [.available, .read, .start, .prepare].contains(call) {
                    #expect(
                        hasGone || before > 0 && call != .available && call != .read, "\(call) \(code) after \(before)")
                }
                bench.close()
            }
        }
    }

    @Test(arguments: [ENODEV, EIO, ENOMEM, EINVAL]) func aDeviceWhosePollFailsIsReopened(code: Int32) {
        let clock = VirtualClock()
        var bench = CaptureBench(ScriptedPCM(.capture, clock))
        bench.opener.plugIn(ScriptedPCM(.capture, clock))
        bench.run(milliseconds: 100)
        bench.fail(code)
        bench.run(milliseconds: 300)
        #expect(bench.seen.prefix(3) == [.sound(frames: 4_800), .disconnected, .reconnected])
        bench.close()
    }

    /// Descriptors that answer with an error but have nothing to say must not make a loop spin: the device is asked.
    @Test(arguments: [PollDescriptor.Conditions.hungUp, .invalid]) func pollErrorsEndTheLoop(
        condition: PollDescriptor.Conditions
    ) {
        let card = ScriptedPCM(.capture, VirtualClock())
        let ring = BlockRing(blocks: 8, framesPerBlock: 240, channels: 1)
        var writer = BlockWriter(ring)
        var loop = CaptureLoop(card, framesPerBlock: 240, now: 0)
        _ = loop.begin(with: &writer, now: 0)
        #expect(loop.step(condition, with: &writer, now: 0) == .ended(SystemFailure(code: ENODEV)))
        loop.close()
    }

    /// A device that sleeps answers at once and for ever: it is woken, not spun on.
    @Test func aSleepingDeviceIsNotSpunOn() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.pcm = .suspended }
        card.fail(.resume, EAGAIN, EAGAIN, EAGAIN, EAGAIN)
        let before = card.record.log.count
        bench.run(milliseconds: 90)
        #expect(card.record.log.count - before < 40)
        #expect(card.state() == .running)
        bench.close()
    }

    /// One that wakes its program before there is a period lets it rest.
    @Test func aWakeUpWithoutAPeriodIsNoReasonToSpin() {
        let card = ScriptedPCM(.capture, VirtualClock())
        let ring = BlockRing(blocks: 8, framesPerBlock: 240, channels: 1)
        var writer = BlockWriter(ring)
        var loop = CaptureLoop(card, framesPerBlock: 240, now: 0)
        _ = loop.begin(with: &writer, now: 0)
        #expect(loop.step(.readable, with: &writer, now: 0) == .rest(milliseconds: 2))
        #expect(loop.step([.readable, .failed], with: &writer, now: 0) == .rest(milliseconds: 2))
        loop.close()
    }

    /// A device that reports that it runs, but gives nothing, is started again.
    @Test func aDeviceThatStallsIsStartedAgain() {
        let card = ScriptedPCM(.capture, VirtualClock())
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.change { $0.isStalled = true }
        let starts = card.record.log.count { $0 == .start }
        bench.run(milliseconds: 3_000)
        #expect(card.record.log.count { $0 == .start } > starts)
        card.change { $0.isStalled = false }
        bench.run(milliseconds: 200)
        guard case .sound? = bench.seen.last, case .lost? = bench.seen.dropLast().last else {
            Issue.record("\(bench.seen)")
            return
        }
        bench.close()
    }

    /// A device that opens, but never starts, is not reported as reconnected, and is tried less and less often.
    @Test func aDeviceThatNeverStartsIsNotBack() {
        let clock = VirtualClock()
        let card = ScriptedPCM(.capture, clock)
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        for _ in 0..<50 {
            let dead = ScriptedPCM(.capture, clock)
            dead.fail(.start, EIO)
            bench.opener.plugIn(dead)
        }
        bench.run(milliseconds: 10_000)
        #expect(bench.seen == [.sound(frames: 4_800), .disconnected])
        #expect(bench.opener.opened < 20)
        bench.close()
    }

    /// The kernel prepares no device that runs: it has to be stopped before.
    @Test func aDeviceThatRunsAlreadyIsStartedAgain() throws {
        let card = ScriptedPCM(.capture, VirtualClock())
        try card.prepare()
        try card.start()
        var bench = CaptureBench(card)
        bench.run(milliseconds: 100)
        #expect(bench.seen == [.sound(frames: 4_800)])
        bench.close()
    }
}
