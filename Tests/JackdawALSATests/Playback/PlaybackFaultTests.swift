import Glibc
import JackdawTransport
import JackdawSystem
import Testing

@testable import JackdawALSA

/// Whichever call fails, no frame is made twice or left out, and frames that are not played are reported.
@Suite struct PlaybackFaultTests {
    private static func interrupted(_ position: Int64, _ silence: Int64, _ unheard: Int64 = 0) -> PlaybackEvent {
        .interrupted(PlaybackGap(position: position, silence: silence, unheard: unheard))
    }

    private func bench(
        _ card: ScriptedPCM, reopens: Bool = true
    ) -> PlaybackBench<CountingSource> {
        PlaybackBench(card, CountingSource(channels: card.format.channels), reopens: reopens)
    }

    @Test func theWholeBufferIsFilledBeforeTheStart() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 1_000)
        let log = card.record.log
        #expect(log.prefix(13) == [.prepare, .available] + Array(repeating: .write, count: 10) + [.start])
        #expect(card.record.played.count == 48_000 + 2_400)
        #expect(bench.seen.isEmpty)
        #expect(
            bench.report.status
                == PlaybackStatus(
                    framesWritten: 50_400, framesPlayed: 48_000, interruptions: 0, silence: 0, isConnected: true))
        bench.check()
        bench.close()
        #expect(card.record.isClosed)
    }

    @Test func roomForLessThanAPeriodIsLeftAlone() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        // Woken each millisecond, it finds room for a period at every fifth.
        bench.run(milliseconds: 1_000, each: 1)
        #expect(card.record.log.count { $0 == .write } == 210)
        bench.check()
        bench.close()
    }

    @Test(arguments: [1, 7, 239, 241]) func shortWritesAreNoLoss(most: Int) {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        card.change { $0.maxFrames = most }
        bench.run(milliseconds: 100)
        #expect(bench.seen.isEmpty)
        #expect(card.record.played.count > 4_800 + 2_400 - 2 * 240)
        bench.check()
        bench.close()
    }

    /// Periods of an odd size, and a buffer that is no whole number of them; short writes
    /// and needless wake-ups besides.
    @Test(arguments: [17, 113, 480, 1_023], [7, Int.max]) func oddPeriodsAreNoLoss(period: Int, most: Int) {
        let format = StreamFormat(
            sampleRate: 44_100, channels: 3, encoding: .s24Packed, periodFrames: period, bufferFrames: 2 * period + 500,
            isResampled: false)
        let card = ScriptedPCM(.playback, VirtualClock(), format: format)
        var bench = bench(card)
        card.change { $0.maxFrames = most }
        bench.run(milliseconds: 200, each: 1)
        bench.run(milliseconds: 300)
        #expect(bench.seen.isEmpty)
        #expect(card.record.played.count / 3 > 22_050)
        bench.check()
        bench.close()
    }

    @Test func anUnderrunReportsTheLengthOfTheSilence() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 100)
        // The buffer holds 50 ms; a wake-up after 80 finds it empty.
        bench.run(milliseconds: 80, each: 80)
        bench.run(milliseconds: 100)
        #expect(bench.seen == [Self.interrupted(7_200, 1_440)])
        #expect(bench.report.status.interruptions == 1)
        bench.check()
        bench.close()
    }

    /// A small buffer is not slept through after a second failure in a row.
    @Test func aProgramThatIsLateTwiceRecovers() {
        let format = StreamFormat(
            sampleRate: 48_000, channels: 1, encoding: .s32, periodFrames: 240, bufferFrames: 960, isResampled: false)
        let card = ScriptedPCM(.playback, VirtualClock(), format: format)
        var bench = bench(card)
        bench.run(milliseconds: 100)
        bench.run(milliseconds: 80, each: 80)
        bench.run(milliseconds: 80, each: 80)
        bench.run(milliseconds: 1_000)
        #expect(bench.seen == [Self.interrupted(5_760, 60 * 48), Self.interrupted(6_720, 60 * 48)])
        bench.check()
        bench.close()
    }

    /// A device whose descriptor says nothing is asked how it is.
    @Test func aSilentDeviceIsAsked() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 100)
        for state in [PCMState.overrun, .suspended, .prepared] {
            card.stop(state)
            bench.run(milliseconds: 300, each: 0)
            #expect(card.state() == .running)
        }
        bench.close()
    }

    @Test func aSleepOfTheSystemIsSilence() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 100)
        card.stop(.suspended)
        // It wakes at the third attempt, 41 ms later, and goes on with what it held.
        card.fail(.resume, EAGAIN, EAGAIN)
        bench.run(milliseconds: 200)
        #expect(bench.seen == [Self.interrupted(4_800, 41 * 48)])
        #expect(card.record.log.count { $0 == .resume } == 3)
        bench.check()
        bench.close()
    }

    @Test func aDeviceThatCannotWakeHasLostItsBuffer() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 100)
        card.stop(.suspended)
        card.fail(.resume, ENOSYS)
        bench.run(milliseconds: 100)
        #expect(bench.seen == [Self.interrupted(7_200, 48, 2_400)])
        #expect(card.state() == .running)
        bench.check()
        bench.close()
    }

    @Test func unpluggedIsOneEventAndPluggedInAgainAnother() {
        let clock = VirtualClock()
        let card = ScriptedPCM(.playback, clock)
        var bench = bench(card)
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        bench.run(milliseconds: 5_000)
        #expect(bench.seen == [.disconnected])
        #expect(bench.report.status.isConnected == false)
        #expect(card.record.isClosed)
        #expect(bench.opener.misses == 7)
        bench.plugIn(ScriptedPCM(.playback, clock))
        bench.run(milliseconds: 2_000)
        // Sought at 105 ms and then after 100, 300, 800 ms and each second: found at 5,905.
        #expect(bench.seen == [.disconnected, .reconnected, Self.interrupted(7_200, 5_801 * 48, 2_400)])
        #expect(bench.report.status.isConnected)
        let asked = bench.opener.lastConfiguration
        #expect(asked?.sampleRate == 48_000)
        #expect(asked?.channels == 1)
        bench.check()
        bench.close()
    }

    @Test func aDisconnectionEndsAStreamThatIsNotReopened() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card, reopens: false)
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        bench.run(milliseconds: 100)
        #expect(bench.seen == [.disconnected])
        #expect(bench.failure?.code == ENODEV)
    }

    @Test func aDeviceThatOnlyFailsEndsTheStream() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card, reopens: false)
        card.change { $0.failures[.write] = Array(repeating: EPIPE, count: 1_000) }
        bench.run(milliseconds: 5_000)
        #expect(bench.failure?.code == EIO)
        #expect(card.record.log.count < 200)
    }

    /// A device that starts, and is late at each first look.
    @Test func aDeviceThatIsAlwaysLateEndsTheStream() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card, reopens: false)
        card.change { $0.failures[.available] = (0..<1_000).map { $0.isMultiple(of: 2) ? 0 : EPIPE } }
        bench.run(milliseconds: 5_000)
        #expect(bench.failure?.code == EIO)
        #expect(card.record.log.count < 1_000)
    }

    /// Each call at each of its first times, with each code: the loss of the device is reported as such, a gap as a
    /// gap,
    /// what is nothing as nothing; the sound goes on where it was.
    @Test(arguments: ScriptedPCM.Call.allCases.filter { $0 != .read })
    func everyCallMayFail(call: ScriptedPCM.Call) {
        let codes = [EPIPE, ESTRPIPE, ENODEV, ENXIO, EAGAIN, EINTR, EIO, EBADFD, EINVAL, ENOSYS, ENOMEM, 4_095]
        for code in codes {
            for before in [0, 1, 2, 10, 15] where before < 2 || [.available, .write].contains(call) {
                for most in [Int.max, 100] {
                    let comment: Comment = "\(call) \(code) after \(before), \(most) a write"
                    let clock = VirtualClock()
                    let card = ScriptedPCM(.playback, clock)
                    var bench = bench(card)
                    bench.plugIn(ScriptedPCM(.playback, clock))
                    card.change {
                        $0.failures[call] = Array(repeating: 0, count: before) + [code]
                        $0.maxFrames = most
                    }
                    bench.run(milliseconds: 100)
                    if call == .resume { card.stop(.suspended) }
                    bench.run(milliseconds: 900)
                    let hasGone = bench.seen.contains(.disconnected)
                    #expect(hasGone == bench.seen.contains(.reconnected), comment)
                    #expect(bench.report.status.framesPlayed > 24_000, comment)
                    if [EAGAIN, EINTR].contains(code), call != .resume { #expect(!hasGone, comment) }
                    if [EAGAIN, EINTR].contains(code), call == .write {
                        // Before the start it is a late start.
                        #expect(bench.seen.isEmpty || bench.seen == [Self.interrupted(0, 240)], comment)
                        #expect(bench.seen.isEmpty || before <= 10 || most == 100, comment)
                    }
                    if [ENODEV, ENXIO, EIO, ENOMEM].contains(code), [.available, .write].contains(call) {
                        #expect(hasGone, comment)
                    }
                    bench.check(comment)
                    bench.close()
                }
            }
        }
    }

    @Test(arguments: [ENODEV, EIO, ENOMEM, EINVAL]) func aDeviceWhosePollFailsIsReopened(code: Int32) {
        let clock = VirtualClock()
        var bench = bench(ScriptedPCM(.playback, clock))
        bench.plugIn(ScriptedPCM(.playback, clock))
        bench.run(milliseconds: 100)
        bench.fail(code)
        bench.run(milliseconds: 300)
        #expect(bench.seen == [.disconnected, .reconnected, Self.interrupted(7_200, 4_800, 2_400)])
        bench.check()
        bench.close()
    }

    @Test func finishingPlaysTheRest() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = PlaybackBench(card, CountingSource(frames: 6_000))
        bench.run(milliseconds: 100)
        bench.report.askToFinish()
        bench.run(milliseconds: 20)
        #expect(!bench.isFinished)
        bench.run(milliseconds: 100)
        #expect(bench.isFinished)
        #expect(card.record.isClosed)
        // The end lies at 125 ms; the block in which it is known ends at 130.
        #expect(card.record.played.count - Int(card.record.dropped) >= 6_000)
        #expect(bench.seen.isEmpty)
        #expect(card.record.played.dropFirst(6_000).allSatisfy { $0 == 0 })
        #expect(card.record.played.prefix(6_000).elementsEqual((0..<6_000).map { ScriptedPCM.sample($0) }))
    }

    @Test func nobodyWaitsForTheEndWithoutADevice() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        bench.report.askToFinish()
        bench.run(milliseconds: 200)
        #expect(bench.isFinished)
    }

    /// Not even for a block that was made and is not written.
    @Test func nobodyWaitsForTheEndOfAPartWithoutADevice() {
        let format = StreamFormat(
            sampleRate: 48_000, channels: 1, encoding: .s32, periodFrames: 480, bufferFrames: 1_000, isResampled: false)
        let card = ScriptedPCM(.playback, VirtualClock(), format: format)
        var bench = PlaybackBench(card, CountingSource(frames: 1_300))
        bench.report.askToFinish()
        bench.run(milliseconds: 1, each: 1)
        card.stop(.disconnected)
        bench.run(milliseconds: 200)
        #expect(bench.isFinished)
    }

    /// A device may come back with other sizes: what was made for the first one goes through
    /// the smaller buffer in parts.
    @Test func aReconnectedDeviceMayHaveASmallerBuffer() {
        let card = ScriptedPCM(.playback, VirtualClock())
        let small = StreamFormat(
            sampleRate: 48_000, channels: 1, encoding: .s32, periodFrames: 48, bufferFrames: 192, isResampled: false)
        var bench = bench(card)
        bench.run(milliseconds: 100)
        card.stop(.disconnected)
        bench.plugIn(ScriptedPCM(.playback, card.clock, format: small))
        bench.run(milliseconds: 1_000, each: 1)
        #expect(bench.seen.count == 3)
        #expect(bench.report.status.framesPlayed > 45_000)
        bench.check()
        bench.close()
    }

    /// What is closed at once has silence after its last frame, not what the buffer held before.
    @Test func drainingPlaysTheBuffer() {
        let card = ScriptedPCM(.playback, VirtualClock())
        var bench = bench(card)
        #expect(bench.drain() == 0)
        bench.run(milliseconds: 100)
        card.clock.advance(milliseconds: 10)
        #expect(bench.drain() == 40)
        #expect(card.record.played.count == 7_200 + 240)
        #expect(card.record.played.suffix(240).allSatisfy { $0 == 0 })
        bench.close()
    }
}
