import Glibc
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport
@testable import JackdawLinux

/// Turning the volume up and back, on a scripted card.
@Suite(.timeLimit(.minutes(30)))
struct PlaybackVolumeTests {
    private static func volume(_ bench: MixerBench, opened: Shared<Int> = Shared(0)) -> PlaybackVolume {
        PlaybackVolume { () throws(LinkError) in
            opened.with { $0 += 1 }
            return try bench.mixer()
        }
    }

    @Test func theVolumeIsTurnedUpAndBack() async {
        let bench = MixerBench()
        bench.card.set("Master", "toggle playback 0", 0)
        bench.card.set("Master", "toggle playback 1", 0)
        let before = bench.card.levels
        let opened = Shared(0)
        let volume = Self.volume(bench, opened: opened)
        #expect(await !volume.isFull())
        #expect(await volume.raise())
        #expect(await volume.isFull())
        for channel in 0...1 {
            #expect(bench.card.level("Master", "volume playback \(channel)") == 64)
            #expect(bench.card.level("Master", "toggle playback \(channel)") == 1)
        }
        // Neither capture controls nor the microphone's monitor path belong to playback.
        #expect(bench.card.levels.filter { $0.key != "Master" } == before.filter { $0.key != "Master" })
        #expect(opened.with { $0 } == 1)
        await volume.restore()
        #expect(bench.card.levels == before)
        #expect(bench.storage.files.isEmpty)
        #expect(bench.card.openMixers == 0)
        #expect(await volume.raise())
        await volume.close()
        #expect(bench.card.levels == before)
        #expect(await !volume.raise())
        #expect(bench.card.levels == before)
    }

    @Test func theEndPutsTheVolumeBack() async {
        let bench = MixerBench()
        let before = bench.card.levels
        var volume: PlaybackVolume? = Self.volume(bench)
        #expect(await volume?.raise() == true)
        #expect(bench.card.levels != before)
        volume = nil
        // The thread that has turned it up may hold it for a moment.
        while bench.card.openMixers > 0 { await Task.yield() }
        #expect(bench.card.levels == before)
    }

    @Test func aCardWithoutLevelsIsAtItsMost() async {
        #expect(await PlaybackVolume { nil }.isFull())
        #expect(await PlaybackVolume { nil }.raise())
        let mute = Self.volume(MixerBench(ScriptedCard([])))
        #expect(await mute.isFull())
        #expect(await mute.raise())
        let missing = PlaybackVolume { () throws(LinkError) in throw LinkError(.notFound, link: "x", "no such card") }
        #expect(await missing.raise())
    }

    @Test func aVolumeThatCannotBeSetIsNotFull() async {
        let forbidden = PlaybackVolume { () throws(LinkError) in throw LinkError(.notPermitted, link: "x", "no") }
        #expect(await !forbidden.isFull())
        #expect(await !forbidden.raise())
        let bench = MixerBench()
        let volume = Self.volume(bench)
        #expect(await !volume.isFull())
        bench.card.fail { _, function in function.contains("set") ? EIO : nil }
        #expect(await !volume.raise())
        bench.card.work()
        await volume.restore()
        #expect(bench.card.level("Master", "volume playback 0") == 40)
    }

    /// A card that was pulled out and put back.
    @Test func aMixerThatHasFailedIsOpenedAgain() async {
        let (gone, back) = (MixerBench(), MixerBench())
        let opened = Shared(0)
        let volume = PlaybackVolume { () throws(LinkError) in
            let count = opened.with { opened in
                opened += 1
                return opened
            }
            return try (count == 1 ? gone : back).mixer()
        }
        #expect(await !volume.isFull())
        gone.card.fail { _, _ in ENODEV }
        #expect(await volume.raise())
        #expect(opened.with { $0 } == 2)
        #expect(back.card.level("Master", "volume playback 0") == 64)
        await volume.close()
        #expect(back.card.level("Master", "volume playback 0") == 40)
    }
}
