import ArgumentParser
import Foundation
import JackdawALSA
import JackdawDSP
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Swipes that `jackdaw listen` reads in live sound, and its reports of the sound.
@Suite struct ListenTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [1, 7, 240, 1_000_000]) func swipesAreReadWhateverTheBlocks(block: Int) throws {
        let steps = try TrackNumber.allCases.flatMap {
            [.sound(try ScriptedListening.swipe($0)), .sound(ScriptedListening.silence)] as [ScriptedPort.Step]
        }
        let run = try ScriptedListening.run(["--json", "--reveal"], to: ScriptedPort(block: block, steps))
        #expect(run.status == 0)
        let texts = try run.lines.map { try jsonObject($0)["text"] as? String }
        #expect(texts == TrackNumber.allCases.map { TestCard.text($0) })
        #expect(try jsonObject(run.lines[0])["file"] as? String == "alsa:default")
    }

    @Test func cardDataIsMaskedByDefault() throws {
        let run = try ScriptedListening.run(
            to: ScriptedPort([.sound(try ScriptedListening.swipe(.two)), .sound(ScriptedListening.silence)]))
        #expect(
            run.lines.first == "alsa:default: 411111******1111, visa, expires 12/29, service code 101, source sound, "
                + "time 2026-01-31T09:05:00.250Z")
        #expect(!(run.lines.joined() + run.messages).contains("4111111111111111"))
    }

    /// A card is printed with the sound in which it is read, not with the next one.
    @Test func aSwipeIsPrintedWhenItIsRead() throws {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"]) as? Listen)
        let recorder = ConsoleRecorder()
        let sound = try ScriptedListening.swipe(.two)
        let end = try #require(sound.lastIndex { abs($0) > 0.1 })
        let port = ScriptedPort(block: 240, [.sound(sound), .sound(ScriptedListening.silence)])
        var session = try LiveSession(verb.live, port, ScriptedListening.environment(port), recorder.console)
        var frames = 0
        while recorder.output.isEmpty, frames < sound.count + 12_000 {
            _ = try session.receive()
            frames += 240
        }
        #expect(Double(frames - end) / ScriptedListening.rate <= 0.035)
        _ = try session.finish()
    }

    @Test func aLossIsReportedAndTheNextSwipeIsRead() throws {
        let swipe = try ScriptedListening.swipe(.two)
        let half = swipe.count / 2
        let run = try ScriptedListening.run(
            ["--json"],
            to: ScriptedPort([
                .sound(ScriptedListening.silence), .sound(swipe), .sound(ScriptedListening.silence),
                .sound(Array(swipe[..<half])), .lost(96_000),
                .sound(Array(swipe[half...])), .sound(ScriptedListening.silence), .sound(swipe),
                .sound(ScriptedListening.silence),
            ]))
        #expect(run.status == 0)
        #expect(run.messages.contains("alsa:default: 2000 ms of sound were lost\n"))
        // Both whole swipes, at their places: the time goes on across the gap.
        let starts = try run.lines.map { try #require(try jsonObject($0)["start"] as? Double) }
        #expect(starts.count == 2)
        let second = Double(3 * ScriptedListening.silence.count + 2 * swipe.count + 96_000) / ScriptedListening.rate
        #expect(
            abs(starts[1] - starts[0] - (second - Double(ScriptedListening.silence.count) / ScriptedListening.rate))
                < 0.001)
    }

    @Test func aDeviceThatDisappearsIsReportedOnce() throws {
        let swipe = try ScriptedListening.swipe(.two)
        let run = try ScriptedListening.run(
            ["--json"],
            to: ScriptedPort([
                .sound(Array(swipe[..<(swipe.count / 2)])), .event(.disconnected), .nothing, .nothing,
                .event(.reconnected), .lost(50_000), .sound(ScriptedListening.silence), .sound(swipe),
                .sound(ScriptedListening.silence),
            ]))
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        let reported = run.messages.split(separator: "\n")
        #expect(reported.count { $0.hasSuffix("the device has gone; it is waited for") } == 1)
        #expect(reported.count { $0.hasSuffix("the device is back") } == 1)
        // The absence of the device counts as no loss.
        #expect(!run.messages.contains("lost"))
    }

    @Test func lossesAreAddedUp() throws {
        let loss: [ScriptedPort.Step] = [.lost(4_800), .sound(ScriptedListening.silence)]
        let run = try ScriptedListening.run(to: ScriptedPort(loss + loss + loss + [.passes(.seconds(5))] + loss))
        let reported = run.messages.split(separator: "\n").filter { $0.contains("lost") }
        #expect(reported == ["100", "200", "100"].map { "jackdaw: alsa:default: \($0) ms of sound were lost" })
    }

    /// Half a minute of sound, while no time passes.
    @Test func lossesOfSoundThatComesFastAreAddedUp() throws {
        let loss: [ScriptedPort.Step] = [.lost(4_800), .sound(ScriptedListening.silence)]
        let run = try ScriptedListening.run(
            to: ScriptedPort([[ScriptedPort.Step]](repeating: loss, count: 60).flatMap(\.self)))
        let reported = run.messages.split(separator: "\n").filter { $0.contains("lost") }
        #expect(reported == ["100", "5900"].map { "jackdaw: alsa:default: \($0) ms of sound were lost" })
    }

    /// A card waits for tracks on other channels, but not for the return of the device.
    @Test func aCardIsPrintedWhenTheDeviceDisappears() throws {
        let path = folder("kept.wav")
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen", "--record", path]) as? Listen)
        let recorder = ConsoleRecorder()
        let whole = try ScriptedListening.swipe(.two)
        let end = try #require(whole.lastIndex { abs($0) > 0.01 })
        let sound = whole[...end] + ScriptedListening.silence[..<1_920]
        let both = sound.indices.flatMap { [sound[$0], Float($0 % 2) * 1e-5] }
        let port = ScriptedPort(
            channelCount: 2,
            [
                .sound(both), .event(.disconnected), .event(.reconnected), .lost(960_000),
                .sound(ScriptedListening.silence),
            ])
        var session = try LiveSession(verb.live, port, ScriptedListening.environment(port), recorder.console)
        while !recorder.messages.contains("has gone") { #expect(try session.receive()) }
        #expect(recorder.output.hasPrefix("alsa:default: 411111******1111"))
        while try session.receive() {}
        #expect(try session.finish() == 1)
        // The swipe was recorded at once: after the long gap its sound was no longer kept.
        #expect(folder.names == ["kept.wav", "kept.wav.json"])
    }

    @Test func aLinkThatBreaksForGoodEndsIt() throws {
        let swipe = try ScriptedListening.swipe(.two)
        let error = LinkError(.disconnected, link: "alsa:hw:1", "the device has gone", remedy: "plug it in again")
        let run = try ScriptedListening.run(
            ["--json"], to: ScriptedPort([.sound(swipe), .sound(ScriptedListening.silence), .fails(error)]))
        #expect(run.status == 69)
        #expect(run.lines.count == 1)
        #expect(run.messages.hasSuffix("jackdaw: alsa:hw:1: the device has gone; plug it in again\n"))
    }

    @Test func eachChannelIsDecodedAndACardIsOneBlock() throws {
        let (first, second) = (try ScriptedListening.swipe(.one), try ScriptedListening.swipe(.two))
        let frames = max(first.count, second.count)
        let both = (0..<frames).flatMap { [$0 < first.count ? first[$0] : 0, $0 < second.count ? second[$0] : 0] }
        let quiet = [Float](repeating: 0, count: 96_000)
        let port = { ScriptedPort(channelCount: 2, [.sound(both), .sound(quiet)]) }
        let run = try ScriptedListening.run(to: port())
        #expect(run.lines.count { $0.hasPrefix("alsa:default") } == 1)
        #expect(run.lines.count { $0.hasPrefix("  track") } == 2)
        #expect(try ScriptedListening.run(["--channel", "2", "--json"], to: port()).lines.count == 1)
        let wrong = try ScriptedListening.run(["--channel", "3"], to: port())
        #expect(wrong.status == 64)
        #expect(wrong.messages == "jackdaw: alsa:default: there is no channel 3: it has 2 channels\n")
    }

    /// With a single channel, a device that converts would mix the tracks of a head.
    @Test func channelsAreAskedForAsTheyAreNeeded() throws {
        for (arguments, channels) in [([], 2), (["--channel", "1"], 2), (["--channel", "5"], 5)] {
            let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
            let asked = Shared<StreamConfiguration?>(nil)
            var environment = ScriptedListening.environment(ScriptedPort([]))
            environment.capture = { _, configuration, _ throws(LinkError) in
                asked.with { $0 = configuration }
                return ScriptedPort(channelCount: 5, [])
            }
            let recorder = ConsoleRecorder()
            _ = try verb.run(on: recorder.console, in: environment)
            #expect(asked.with(\.self)?.leastChannels == channels)
            #expect(asked.with(\.self)?.channels == nil)
        }
    }

    /// A sound card with one input that delivers it on two channels.
    @Test(arguments: [1, 240, 1_000_000]) func channelsThatAreTheSameAreOne(block: Int) throws {
        let swipe = try ScriptedListening.swipe(.two)
        let same = (ScriptedListening.silence + swipe + ScriptedListening.silence).flatMap { [$0, $0] }
        let once = try ScriptedListening.run(
            ["--json"], to: ScriptedPort(channelCount: 2, block: block, [.sound(same)]))
        #expect(try once.lines.map { try jsonObject($0)["channel"] as? Int } == [1])
        // Once they differ, each channel is decoded, at its own place.
        let other = (swipe + ScriptedListening.silence).flatMap { [0.5 * $0, $0] }
        let run = try ScriptedListening.run(
            ["--json"], to: ScriptedPort(channelCount: 2, block: block, [.sound(same), .sound(other)]))
        let tracks = try run.lines.map { try jsonObject($0) }
        #expect(tracks.count == 3 || block == 1_000_000)
        #expect(tracks.suffix(2).map { $0["channel"] as? Int } == [1, 2])
        let starts = try tracks.suffix(2).map { try #require($0["start"] as? Double) }
        #expect(abs(starts[0] - starts[1]) < 0.001)
    }

    @Test func unreadableSwipesAreReportedWithTheReason() throws {
        let swipe = try ScriptedListening.swipe(.two)
        let part = ScriptedPort([.sound(Array(swipe[..<(swipe.count / 2)])), .sound(ScriptedListening.silence)])
        let run = try ScriptedListening.run(to: part)
        #expect(run.status == 1)
        #expect(run.lines.isEmpty)
        #expect(run.messages.contains("alsa:default: channel 1, swipe 1"))
        #expect(run.messages.hasSuffix("jackdaw: nothing was read\n"))
        let json = try ScriptedListening.run(
            ["--json", "--failures"],
            to: ScriptedPort([.sound(Array(swipe[..<(swipe.count / 2)])), .sound(ScriptedListening.silence)]))
        #expect(try jsonObject(try #require(json.lines.first))["failure"] != nil)
    }

    /// Noise is frequent in days of listening, and is reported only with `--failures`.
    @Test func noiseIsNoSwipe() throws {
        var random = SeededRandom(seed: 3)
        let noise = (0..<24_000).map { _ in 0.1 * Float.random(in: -1...1, using: &random) }
        let steps: [ScriptedPort.Step] = [
            .sound(ScriptedListening.silence), .sound(noise), .sound(ScriptedListening.silence),
        ]
        let run = try ScriptedListening.run(to: ScriptedPort(steps))
        #expect(run.messages == "jackdaw: nothing was read\n")
        #expect(try ScriptedListening.run(["--failures"], to: ScriptedPort(steps)).lines.count == 1)
    }

    @Test func adviceIsInPlainWords() throws {
        let quiet = try ScriptedListening.swipe(.two, level: 0.002)
        let run = try ScriptedListening.run(
            to: ScriptedPort([.sound(ScriptedListening.silence), .sound(quiet), .sound(ScriptedListening.silence)]))
        #expect(run.messages.contains("jackdaw: too quiet: raise the capture gain\n"))
        let loud = try ScriptedListening.swipe(.two).map { min(max(8 * $0, -1), 1) }
        let clipped = try ScriptedListening.run(
            to: ScriptedPort([.sound(ScriptedListening.silence), .sound(loud), .sound(ScriptedListening.silence)]))
        #expect(clipped.messages.contains("jackdaw: clipping: lower the capture gain\n"))
        let swipe =
            ScriptedListening.silence + (try ScriptedListening.swipe(.two, level: 0.05)) + ScriptedListening.silence
        let humming = swipe.indices.map {
            swipe[$0] + 0.4 * Float(sine(turns: 50 * Double($0) / ScriptedListening.rate))
        }
        let hum = try ScriptedListening.run(to: ScriptedPort([.sound(humming)]))
        #expect(hum.messages.contains("jackdaw: hum "))
    }

    @Test func aTerminalSeesTheLevel() throws {
        let tone = (0..<48_000).map { 0.1 * Float(sine(turns: 1_000 * Double($0) / ScriptedListening.rate)) }
        let run = try ScriptedListening.run(to: ScriptedPort([.sound(tone)]), isWatched: true)
        #expect(run.messages.contains("] -20 dBFS, 0 tracks read"))
    }

    @Test func swipesOfOtherTracksAreCounted() throws {
        let steps: [ScriptedPort.Step] = try [.two, .one, .two].flatMap { track in
            [
                .sound(try ScriptedListening.swipe(track)), .sound(ScriptedListening.silence),
                .sound(ScriptedListening.silence),
            ]
        }
        let one = try ScriptedListening.run(["--track", "1"], to: ScriptedPort(steps))
        #expect(one.status == 0)
        #expect(one.lines.count { $0.hasPrefix("  track ") } == 1)
        #expect(one.messages.contains("left out: 2 swipes of track 2"))
        let three = try ScriptedListening.run(["--track", "3", "--json"], to: ScriptedPort(steps))
        #expect(three.status == 1)
        #expect(three.lines.isEmpty)
        #expect(three.messages.contains("left out: 1 swipe of track 1, 2 swipes of track 2"))
        let any = try ScriptedListening.run(to: ScriptedPort(steps))
        #expect(!any.messages.contains("left out"))
    }

    /// Samples of a device with floating-point samples.
    @Test func infiniteSamplesAreHandled() throws {
        let sounds: [[Float]] = [
            [.infinity], [.nan], [.greatestFiniteMagnitude], [0, .infinity, .nan, -.infinity, 1e30],
        ]
        for sound in sounds {
            let samples = (0..<9_600).map { sound[$0 % sound.count] }
            let run = try ScriptedListening.run(
                to: ScriptedPort([.sound(samples), .sound(ScriptedListening.silence)]), isWatched: true)
            #expect(run.status == 1)
            #expect(run.messages.contains(sound[0].isNaN ? "] -120 dBFS" : "] 120 dBFS"), "\(sound)")
        }
    }

    @Test func aFileReplacesASoundCard() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--json")
        #expect(run.status == 0)
        let live = try jsonObject(try #require(run.lines.first))
        let file = try jsonObject(try #require(CommandRun("decode", "--json", folder("a.wav")).lines.first))
        for field in ["text", "start", "end", "speed", "confidence", "tier"] {
            #expect("\(live[field] ?? "")" == "\(file[field] ?? "")", "\(field)")
        }
    }

    @Test func invalidLinksAreRefused() {
        let run = CommandRun("listen", "--link", "hw:1,0")
        #expect(run.status == 64)
        #expect(run.messages.contains("unknown kind of link hw"))
        for link in ["wav:\(folder("none.wav"))", "replay:\(folder("none.wav"))"] {
            let missing = CommandRun("listen", "--link", link)
            #expect(missing.status == 66)
            #expect(missing.messages.contains("none.wav"))
        }
    }

    private func sine(turns: Double) -> Double { sin(2 * Double.pi * turns) }
}
