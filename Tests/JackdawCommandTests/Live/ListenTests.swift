import ArgumentParser
import Foundation
import JackdawALSA
import JackdawAudioFile
import JackdawDSP
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// What `jackdaw listen` makes of sound as it comes.
@Suite struct ListenTests {
    private let folder: TemporaryFolder
    private static let rate = 48_000.0
    private static let silence = [Float](repeating: 0, count: 24_000)

    init() throws { folder = try TemporaryFolder() }

    private static func swipe(_ track: TrackNumber, level: Float = 1) throws -> [Float] {
        let configuration = SwipeSynthesizer.Configuration(sampleRate: rate)
        return try SwipeSound.render(TestCard.text(track), track, configuration).map { $0 * level }
    }

    private static func system(_ port: ScriptedPort) -> LiveSystem {
        var system = LiveSystem()
        system.capture = { _, _, _ throws(LinkError) in port }
        system.mixer = { _ throws(LinkError) in nil }
        system.jacks = { _ throws(LinkError) in nil }
        let start = ContinuousClock.now
        system.now = { start + port.elapsed }
        system.wallClock.now = { .milliseconds(1_769_850_300_250) }
        return system
    }

    private func listen(
        _ arguments: [String] = [], to port: ScriptedPort, isWatched: Bool = false, isFull: Bool = false,
        isInterrupted: @escaping () -> Bool = { false }
    ) throws -> (status: Int32, lines: [String], messages: String) {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
        var system = Self.system(port)
        system.isInterrupted = isInterrupted
        let recorder = ConsoleRecorder(isWatched: isWatched, isFull: isFull)
        let status = Self.status(of: verb, recorder, system)
        return (status, recorder.output.split(separator: "\n").map(String.init), recorder.messages)
    }

    /// Runs the verb, and ends what it prints.
    private static func status(of verb: Listen, _ recorder: ConsoleRecorder, _ system: LiveSystem) -> Int32 {
        defer { recorder.console.flush() }
        do throws(CommandError) {
            return try verb.run(on: recorder.console, system).rawValue
        } catch {
            recorder.console.message(error.message)
            return error.status.rawValue
        }
    }

    @Test(arguments: [1, 7, 240, 1_000_000]) func swipesAreReadWhateverTheBlocks(block: Int) throws {
        let steps = try TrackNumber.allCases.flatMap {
            [.sound(try Self.swipe($0)), .sound(Self.silence)] as [ScriptedPort.Step]
        }
        let run = try listen(["--json", "--reveal"], to: ScriptedPort(block: block, steps))
        #expect(run.status == 0)
        let texts = try run.lines.map { try jsonObject($0)["text"] as? String }
        #expect(texts == TrackNumber.allCases.map { TestCard.text($0) })
        #expect(try jsonObject(run.lines[0])["file"] as? String == "alsa:default")
    }

    @Test func nothingIsShownInClearUnlessAskedFor() throws {
        let run = try listen(to: ScriptedPort([.sound(try Self.swipe(.two)), .sound(Self.silence)]))
        #expect(run.lines.first == "alsa:default: 411111******1111, visa, expires 12/29, service code 101")
        #expect(!(run.lines.joined() + run.messages).contains("4111111111111111"))
    }

    /// A card is printed with the sound in which it is read, not with the next one.
    @Test func aSwipeIsPrintedWhenItIsRead() throws {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"]) as? Listen)
        let recorder = ConsoleRecorder()
        let sound = try Self.swipe(.two)
        let end = try #require(sound.lastIndex { abs($0) > 0.1 })
        let port = ScriptedPort(block: 240, [.sound(sound), .sound(Self.silence)])
        var session = try LiveSession(verb.live, port, Self.system(port), recorder.console)
        var frames = 0
        while recorder.output.isEmpty, frames < sound.count + 12_000 {
            _ = try session.receive()
            frames += 240
        }
        #expect(Double(frames - end) / Self.rate <= 0.035)
        _ = try session.finish()
    }

    @Test func whatWasLostIsToldAndTheNextSwipeIsRead() throws {
        let swipe = try Self.swipe(.two)
        let half = swipe.count / 2
        let run = try listen(
            ["--json"],
            to: ScriptedPort([
                .sound(Self.silence), .sound(swipe), .sound(Self.silence), .sound(Array(swipe[..<half])), .lost(96_000),
                .sound(Array(swipe[half...])), .sound(Self.silence), .sound(swipe), .sound(Self.silence),
            ]))
        #expect(run.status == 0)
        #expect(run.messages.contains("alsa:default: 2000 ms of sound were lost\n"))
        // The two whole ones, and each where it was: times go on across the gap.
        let starts = try run.lines.map { try #require(try jsonObject($0)["start"] as? Double) }
        #expect(starts.count == 2)
        let second = Double(3 * Self.silence.count + 2 * swipe.count + 96_000) / Self.rate
        #expect(abs(starts[1] - starts[0] - (second - Double(Self.silence.count) / Self.rate)) < 0.001)
    }

    @Test func aDeviceThatGoesIsToldOfOnce() throws {
        let swipe = try Self.swipe(.two)
        let run = try listen(
            ["--json"],
            to: ScriptedPort([
                .sound(Array(swipe[..<(swipe.count / 2)])), .event(.disconnected), .nothing, .nothing,
                .event(.reconnected), .lost(50_000), .sound(Self.silence), .sound(swipe), .sound(Self.silence),
            ]))
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        let reported = run.messages.split(separator: "\n")
        #expect(reported.count { $0.hasSuffix("the device has gone; it is waited for") } == 1)
        #expect(reported.count { $0.hasSuffix("the device is back") } == 1)
        // In that time nothing was received.
        #expect(!run.messages.contains("lost"))
    }

    @Test func lossesAreAddedUp() throws {
        let loss: [ScriptedPort.Step] = [.lost(4_800), .sound(Self.silence)]
        let run = try listen(to: ScriptedPort(loss + loss + loss + [.passes(.seconds(5))] + loss))
        let reported = run.messages.split(separator: "\n").filter { $0.contains("lost") }
        #expect(reported == ["100", "200", "100"].map { "jackdaw: alsa:default: \($0) ms of sound were lost" })
    }

    /// Half a minute of sound, in no time.
    @Test func lossesOfSoundThatComesFastAreAddedUp() throws {
        let loss: [ScriptedPort.Step] = [.lost(4_800), .sound(Self.silence)]
        let run = try listen(to: ScriptedPort([[ScriptedPort.Step]](repeating: loss, count: 60).flatMap(\.self)))
        let reported = run.messages.split(separator: "\n").filter { $0.contains("lost") }
        #expect(reported == ["100", "5900"].map { "jackdaw: alsa:default: \($0) ms of sound were lost" })
    }

    /// A card waits for tracks on other channels, but not for the device to come back.
    @Test func whatWasReadIsPrintedWhenTheDeviceGoes() throws {
        let path = folder("kept.wav")
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen", "--record", path]) as? Listen)
        let recorder = ConsoleRecorder()
        let whole = try Self.swipe(.two)
        let end = try #require(whole.lastIndex { abs($0) > 0.01 })
        let sound = whole[...end] + Self.silence[..<1_920]
        let both = sound.indices.flatMap { [sound[$0], Float($0 % 2) * 1e-5] }
        let port = ScriptedPort(
            channelCount: 2,
            [.sound(both), .event(.disconnected), .event(.reconnected), .lost(960_000), .sound(Self.silence)])
        var session = try LiveSession(verb.live, port, Self.system(port), recorder.console)
        while !recorder.messages.contains("has gone") { #expect(try session.receive()) }
        #expect(recorder.output.hasPrefix("alsa:default: 411111******1111"))
        while try session.receive() {}
        #expect(try session.finish() == 1)
        // Long after, its sound was there no more.
        #expect(folder.names == ["kept.wav", "kept.wav.json"])
    }

    @Test func aLinkThatBreaksForGoodEndsIt() throws {
        let swipe = try Self.swipe(.two)
        let error = LinkError(.disconnected, link: "alsa:hw:1", "the device has gone", remedy: "plug it in again")
        let run = try listen(["--json"], to: ScriptedPort([.sound(swipe), .sound(Self.silence), .fails(error)]))
        #expect(run.status == 69)
        #expect(run.lines.count == 1)
        #expect(run.messages.hasSuffix("jackdaw: alsa:hw:1: the device has gone; plug it in again\n"))
    }

    @Test func eachChannelIsDecodedAndACardIsOneBlock() throws {
        let (first, second) = (try Self.swipe(.one), try Self.swipe(.two))
        let frames = max(first.count, second.count)
        let both = (0..<frames).flatMap { [$0 < first.count ? first[$0] : 0, $0 < second.count ? second[$0] : 0] }
        let quiet = [Float](repeating: 0, count: 96_000)
        let port = { ScriptedPort(channelCount: 2, [.sound(both), .sound(quiet)]) }
        let run = try listen(to: port())
        #expect(run.lines.count { $0.hasPrefix("alsa:default") } == 1)
        #expect(run.lines.count { $0.hasPrefix("  track") } == 2)
        #expect(try listen(["--channel", "2", "--json"], to: port()).lines.count == 1)
        let wrong = try listen(["--channel", "3"], to: port())
        #expect(wrong.status == 64)
        #expect(wrong.messages == "jackdaw: alsa:default: there is no channel 3: it has 2 channels\n")
    }

    /// A device that converts would mix the tracks of a head into one channel.
    @Test func channelsAreAskedForAsTheyAreNeeded() throws {
        for (arguments, channels) in [([], 2), (["--channel", "1"], 2), (["--channel", "5"], 5)] {
            let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + arguments) as? Listen)
            var asked: StreamConfiguration?
            var system = Self.system(ScriptedPort([]))
            system.capture = { _, configuration, _ throws(LinkError) in
                asked = configuration
                return ScriptedPort(channelCount: 5, [])
            }
            let recorder = ConsoleRecorder()
            _ = try verb.run(on: recorder.console, system)
            #expect(asked?.leastChannels == channels)
            #expect(asked?.channels == nil)
        }
    }

    /// A card with one input that gives it twice.
    @Test(arguments: [1, 240, 1_000_000]) func channelsThatAreTheSameAreOne(block: Int) throws {
        let swipe = try Self.swipe(.two)
        let same = (Self.silence + swipe + Self.silence).flatMap { [$0, $0] }
        let once = try listen(["--json"], to: ScriptedPort(channelCount: 2, block: block, [.sound(same)]))
        #expect(try once.lines.map { try jsonObject($0)["channel"] as? Int } == [1])
        // From where they differ on, each is heard, and where it is.
        let other = (swipe + Self.silence).flatMap { [0.5 * $0, $0] }
        let run = try listen(
            ["--json"], to: ScriptedPort(channelCount: 2, block: block, [.sound(same), .sound(other)]))
        let tracks = try run.lines.map { try jsonObject($0) }
        #expect(tracks.count == 3 || block == 1_000_000)
        #expect(tracks.suffix(2).map { $0["channel"] as? Int } == [1, 2])
        let starts = try tracks.suffix(2).map { try #require($0["start"] as? Double) }
        #expect(abs(starts[0] - starts[1]) < 0.001)
    }

    @Test func whatCannotBeReadIsToldWithItsReason() throws {
        let swipe = try Self.swipe(.two)
        let part = ScriptedPort([.sound(Array(swipe[..<(swipe.count / 2)])), .sound(Self.silence)])
        let run = try listen(to: part)
        #expect(run.status == 1)
        #expect(run.lines.isEmpty)
        #expect(run.messages.contains("alsa:default: channel 1, swipe 1"))
        #expect(run.messages.hasSuffix("jackdaw: nothing was read\n"))
        let json = try listen(
            ["--json", "--failures"],
            to: ScriptedPort([.sound(Array(swipe[..<(swipe.count / 2)])), .sound(Self.silence)]))
        #expect(try jsonObject(try #require(json.lines.first))["failure"] != nil)
    }

    /// In days of listening there is much noise: it is reported only with `--failures`.
    @Test func noiseIsNoSwipe() throws {
        var random = SeededRandom(seed: 3)
        let noise = (0..<24_000).map { _ in 0.1 * Float.random(in: -1...1, using: &random) }
        let steps: [ScriptedPort.Step] = [.sound(Self.silence), .sound(noise), .sound(Self.silence)]
        let run = try listen(to: ScriptedPort(steps))
        #expect(run.messages == "jackdaw: nothing was read\n")
        #expect(try listen(["--failures"], to: ScriptedPort(steps)).lines.count == 1)
    }

    @Test func adviceIsInPlainWords() throws {
        let quiet = try Self.swipe(.two, level: 0.002)
        let run = try listen(to: ScriptedPort([.sound(Self.silence), .sound(quiet), .sound(Self.silence)]))
        #expect(run.messages.contains("jackdaw: too quiet: raise the capture gain\n"))
        let loud = try Self.swipe(.two).map { min(max(8 * $0, -1), 1) }
        let clipped = try listen(to: ScriptedPort([.sound(Self.silence), .sound(loud), .sound(Self.silence)]))
        #expect(clipped.messages.contains("jackdaw: clipping: lower the capture gain\n"))
        let swipe = Self.silence + (try Self.swipe(.two, level: 0.05)) + Self.silence
        let humming = swipe.indices.map { swipe[$0] + 0.4 * Float(sine(turns: 50 * Double($0) / Self.rate)) }
        let hum = try listen(to: ScriptedPort([.sound(humming)]))
        #expect(hum.messages.contains("jackdaw: hum "))
    }

    @Test func aTerminalSeesTheLevel() throws {
        let tone = (0..<48_000).map { 0.1 * Float(sine(turns: 1_000 * Double($0) / Self.rate)) }
        let run = try listen(to: ScriptedPort([.sound(tone)]), isWatched: true)
        #expect(run.messages.contains("] -20 dBFS, 0 tracks read"))
    }

    /// The sound of the swipes alone, each where the manifest says.
    @Test func aRecordingHoldsTheSwipesAndNothingElse() throws {
        let swipe = try Self.swipe(.two)
        let path = folder("kept.wav")
        let noise = (0..<480_000).map { Float($0 % 7) * 1e-4 }
        let run = try listen(
            ["--record", path, "--json"],
            to: ScriptedPort([.sound(noise), .sound(swipe), .sound(noise), .sound(swipe), .sound(noise)]))
        #expect(run.status == 0)
        #expect(run.messages.contains("will hold the sound of cards"))
        let reader = try AudioFileReader(path: path)
        #expect(reader.frames ?? 0 < 2 * (swipe.count + 30_000))
        let manifest = String(decoding: try folder.read("kept.wav.json"), as: UTF8.self).split(separator: "\n")
        let decoded = CommandRun("decode", "--json", path).lines
        #expect(manifest.count == 2)
        #expect(decoded.count == 2)
        for (entry, track) in zip(manifest, decoded) {
            let (entry, track) = (try jsonObject(String(entry)), try jsonObject(track))
            let kept = try #require(entry["recorded_start"] as? Double)
            let found = try #require(track["start"] as? Double)
            #expect(abs(kept - found) < 0.001)
            #expect(entry["masked"] as? Bool == true)
            #expect(entry["text"] as? String == track["text"] as? String)
        }
    }

    /// Swipes that follow each other closely share their sound, and no more of them wait than there is sound kept for.
    @Test func swipesWithoutAPauseAreAllKept() throws {
        let whole = try Self.swipe(.two)
        let start = try #require(whole.firstIndex { abs($0) > 0.01 })
        let end = try #require(whole.lastIndex { abs($0) > 0.01 })
        let swipe = Self.silence[..<4_800] + whole[start...end] + Self.silence[..<4_800]
        let count = 1 + Int(12 * Self.rate) / swipe.count
        let path = folder("kept.wav")
        let steps = [ScriptedPort.Step](repeating: .sound(Array(swipe)), count: count)
        let run = try listen(["--record", path, "--json"], to: ScriptedPort(steps + [.sound(Self.silence)]))
        #expect(run.lines.count == count)
        let manifest = String(decoding: try folder.read("kept.wav.json"), as: UTF8.self).split(separator: "\n")
        let kept = try manifest.map { try #require(try jsonObject(String($0))["recorded_start"] as? Double) }
        let found = try CommandRun("decode", "--json", path).lines.map {
            try #require(try jsonObject($0)["start"] as? Double)
        }
        #expect(kept.count == count)
        for start in kept { #expect(found.contains { abs($0 - start) < 0.001 }, "\(start)") }
    }

    /// A FLAC file without samples would be an error; what ended listening is what counts.
    @Test(arguments: ["kept.wav", "kept.flac"]) func whereNothingIsKeptThereIsNoFile(name: String) throws {
        let record = ["--record", folder(name), "--failures"]
        let run = try listen(record, to: ScriptedPort([.sound(Self.silence)]), isInterrupted: { true })
        #expect(run.status == 130)
        #expect(folder.names.isEmpty)
        // Noise is not a swipe, and speech is private.
        var random = SeededRandom(seed: 3)
        let noise = (0..<24_000).map { _ in 0.1 * Float.random(in: -1...1, using: &random) }
        let steps: [ScriptedPort.Step] = [.sound(Self.silence), .sound(noise), .sound(Self.silence)]
        #expect(try listen(record, to: ScriptedPort(steps)).lines.count == 1)
        #expect(folder.names.isEmpty)
    }

    @Test func aRecordingThatCannotBeCompletedIsToldBesideWhatEndedIt() throws {
        let inner = folder("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let swipe = try Self.swipe(.two)
        var calls = 0
        let run = try listen(
            ["--record", inner + "/kept.wav"], to: ScriptedPort(block: 480, [.sound(swipe), .sound(Self.silence)]),
            isInterrupted: {
                calls += 1
                // The swipe is through, and is not in the file yet.
                guard calls == (swipe.count + Self.silence.count / 4) / 480 else { return false }
                try? FileManager.default.removeItem(atPath: inner)
                return true
            })
        #expect(run.status == 130)
        #expect(run.messages.contains("kept.wav: cannot be written"))
    }

    @Test func aManifestIsForItsUserAlone() throws {
        let manifest = try folder.write([], to: "kept.wav.json")
        unsafe chmod(manifest, 0o644)
        let swipe = try Self.swipe(.two)
        let run = try listen(
            ["--record", folder("kept.wav")], to: ScriptedPort([.sound(swipe), .sound(Self.silence)]))
        #expect(run.status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: manifest)[.posixPermissions] as? Int == 0o600)
        #expect(folder.names == ["kept.wav", "kept.wav.json"])
    }

    /// The sound of cards goes into no file that others can read or that may be something else, and through no link.
    @Test(arguments: [
        "others may read it", "others may write it", "a link", "a link to nothing", "a second name", "a key",
        "a folder", "a pipe",
    ])
    func noOtherFileIsRecordedOver(kind: String) throws {
        let path = folder("kept.wav")
        #expect(CommandRun("synth", "-o", folder("other.wav")).status == 0)
        let sound = try folder.read("other.wav")
        let files = FileManager.default
        switch kind {
        case "others may read it": _ = try folder.write(sound, to: "kept.wav", mode: 0o644)
        case "others may write it": _ = try folder.write(sound, to: "kept.wav", mode: 0o602)
        case "a link": try files.createSymbolicLink(atPath: path, withDestinationPath: "other.wav")
        case "a link to nothing": try files.createSymbolicLink(atPath: path, withDestinationPath: "none.wav")
        case "a second name": try files.linkItem(atPath: folder("other.wav"), toPath: path)
        case "a key": _ = try folder.write("0123456789ABCDEF".utf8, to: "kept.wav")
        case "a folder": try files.createDirectory(atPath: path, withIntermediateDirectories: false)
        default: #expect(unsafe mkfifo(path, 0o600) == 0)
        }
        let names = folder.names
        let run = try listen(
            ["--record", path], to: ScriptedPort([.sound(try Self.swipe(.two)), .sound(Self.silence)]))
        #expect(run.status == 74)
        #expect(run.lines.isEmpty)
        #expect(run.messages.contains("kept.wav: exists and is not a recording that only this user may read"))
        #expect(folder.names == names)
        #expect(try folder.read("other.wav") == sound)
        if kind == "a key" { #expect(try folder.read("kept.wav") == Array("0123456789ABCDEF".utf8)) }
        if kind.hasPrefix("others") { #expect(try folder.read("kept.wav") == sound) }
    }

    @Test(arguments: [true, false]) func anOwnRecordingIsReplaced(isEmpty: Bool) throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        _ = try folder.write(isEmpty ? [] : try folder.read("a.wav"), to: "kept.wav")
        let run = try listen(
            ["--record", folder("kept.wav")], to: ScriptedPort([.sound(try Self.swipe(.two)), .sound(Self.silence)]))
        #expect(run.status == 0, "\(run.messages)")
        #expect(try folder.mode("kept.wav") == 0o600)
        #expect(try AudioFileReader(path: folder("kept.wav")).format.sampleRate == Self.rate)
    }

    /// A process that is killed before its first swipe leaves temporary files, which are removed when the next one begins, and
    /// not at its end.
    @Test(.timeLimit(.minutes(30))) func aKilledProcessLeavesNoTemporaryFiles() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        let process = Process()
        process.executableURL = ChildProcess.executable
        process.arguments = ["listen", "--link", "wav:\(folder("in"))", "--record", folder("kept.wav")]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var header = Array(try folder.read("a.wav")[..<44])
        for place in [4..<8, 40..<44] { header.replaceSubrange(place, with: [255, 255, 255, 255]) }
        // More than the pipe holds: it listens.
        try input.write(contentsOf: header + [UInt8](repeating: 0, count: 300_000))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        func leftovers() -> [String] { folder.names.filter { $0.hasPrefix(".jackdaw-") } }
        let left = leftovers()
        #expect(!left.isEmpty)
        var during: [String]?
        let run = try listen(
            ["--record", folder("other.wav")], to: ScriptedPort([.sound(Self.silence), .sound(Self.silence)])
        ) {
            during = during ?? leftovers()
            return false
        }
        #expect(run.status == 1)
        #expect(during?.isEmpty == false)
        #expect(during?.contains { left.contains($0) } == false)
        #expect(leftovers().isEmpty)
        #expect(!folder.names.contains { $0.hasPrefix("kept") || $0.hasPrefix("other") })
    }

    /// Each swipe of a process that was killed is there.
    @Test(.timeLimit(.minutes(30)), arguments: ["wav", "flac"]) func aKilledProcessLeavesItsRecording(suffix: String)
        throws
    {
        let swipes = 3
        let pause = [UInt8](repeating: 0, count: 2 * 44_100)
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let sound = try folder.read("a.wav")
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        // Open both ways, so that neither side waits for the other to come.
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        let process = Process()
        process.executableURL = ChildProcess.executable
        process.arguments = ["listen", "--link", "wav:\(folder("in"))", "--record", folder("kept." + suffix)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        var header = Array(sound[..<44])
        // Its length is not known.
        for place in [4..<8, 40..<44] { header.replaceSubrange(place, with: [255, 255, 255, 255]) }
        try input.write(contentsOf: header)
        for _ in 0..<swipes { try input.write(contentsOf: sound[44...] + pause) }
        // More than the pipe holds: what came before was heard.
        try input.write(contentsOf: pause + pause)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(CommandRun("decode", "--json", folder("kept." + suffix)).lines.count == swipes)
        let manifest = String(decoding: try folder.read("kept.\(suffix).json"), as: UTF8.self).split(separator: "\n")
        #expect(try manifest.map { try jsonObject(String($0))["text"] as? String }.count == swipes)
        #expect(try folder.mode("kept." + suffix) == 0o600)
        #expect(try folder.mode("kept.\(suffix).json") == 0o600)
        #expect(!folder.names.contains { $0.hasPrefix(".jackdaw-") })
    }

    @Test func twoProcessesDoNotWriteTheSameRecording() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        var writer = try AudioFileWriter(
            path: folder("kept.wav"), encoding: .int24, sampleRate: Self.rate, channels: 1, predecessor: .isPrivateSound
        )
        try writer.write([0.25].span)
        try writer.save()
        let run = try listen(["--record", folder("kept.wav")], to: ScriptedPort([.sound(Self.silence)]))
        #expect(run.status == 74)
        #expect(run.messages.contains("is being written by another process"))
        try writer.finish()
    }

    @Test func standardOutputIsNoPlaceForARecording() {
        let run = CommandRun("listen", "--record", "-", "--link", "wav:\(folder("none.wav"))")
        #expect(run.status == 64)
        #expect(run.messages.contains("--record needs a file"))
    }

    /// An interrupted verb is ended after a second, unless it has begun to put things back.
    @Test func anInterruptLeavesTimeToPutTheLevelsBack() throws {
        alarm(1_000)
        let run = try listen(to: ScriptedPort([.sound(Self.silence)]), isInterrupted: { true })
        #expect(run.status == 130)
        #expect(alarm(0) == 0)
    }

    @Test func outputThatCannotBeWrittenEndsIt() throws {
        let error = LinkError(.disconnected, link: "alsa:hw:1", "the device has gone")
        let steps: [ScriptedPort.Step] = [.sound(try Self.swipe(.two)), .sound(Self.silence), .fails(error)]
        #expect(try listen(["--json"], to: ScriptedPort(steps)).status == 69)
        #expect(try listen(["--json"], to: ScriptedPort(steps), isFull: true).status == 0)
    }

    @Test func aClosedPipeIsAnErrorOfWriting() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let output = Pipe()
        let messages = Pipe()
        try output.fileHandleForReading.close()
        let process = Process()
        process.executableURL = ChildProcess.executable
        process.arguments = ["listen", "--link", "wav:\(folder("a.wav"))"]
        process.standardOutput = output
        process.standardError = messages
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationReason == .exit)
        #expect(process.terminationStatus == 74)
        let text = String(decoding: messages.fileHandleForReading.availableData, as: UTF8.self)
        #expect(text.hasSuffix("jackdaw: standard output: cannot be written (Broken pipe)\n"))
    }

    /// As a device may give it whose samples are not integers.
    @Test func soundBeyondAnyScaleIsHeard() throws {
        let sounds: [[Float]] = [
            [.infinity], [.nan], [.greatestFiniteMagnitude], [0, .infinity, .nan, -.infinity, 1e30],
        ]
        for sound in sounds {
            let samples = (0..<9_600).map { sound[$0 % sound.count] }
            let run = try listen(to: ScriptedPort([.sound(samples), .sound(Self.silence)]), isWatched: true)
            #expect(run.status == 1)
            #expect(run.messages.contains(sound[0].isNaN ? "] -120 dBFS" : "] 120 dBFS"), "\(sound)")
        }
    }

    /// A gap longer than what is kept takes nothing of the swipes before it.
    @Test func aRecordingHoldsTheSwipeBeforeALongGap() throws {
        let path = folder("gap.wav")
        let run = try listen(
            ["--record", path, "--json"],
            to: ScriptedPort([
                .sound(Self.silence), .sound(try Self.swipe(.two)), .sound([Float](repeating: 0, count: 4_800)),
                .lost(480_000), .sound(Self.silence),
            ]))
        #expect(run.lines.count == 1)
        #expect(CommandRun("decode", "--json", path).lines.count == 1)
    }

    @Test func aFileStandsInForACard() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--json")
        #expect(run.status == 0)
        let live = try jsonObject(try #require(run.lines.first))
        let file = try jsonObject(try #require(CommandRun("decode", "--json", folder("a.wav")).lines.first))
        for field in ["text", "start", "end", "speed", "confidence", "tier"] {
            #expect("\(live[field] ?? "")" == "\(file[field] ?? "")", "\(field)")
        }
    }

    @Test func whatIsNoLinkIsSaid() {
        let run = CommandRun("listen", "--link", "hw:1,0")
        #expect(run.status == 64)
        #expect(run.messages.contains("unknown kind of link hw"))
        let missing = CommandRun("listen", "--link", "wav:\(folder("none.wav"))")
        #expect(missing.status == 69)
        #expect(missing.messages.contains("none.wav"))
    }

    // MARK: How long

    private static let time = "2026-01-31T09:05:00.250Z"

    private static func swipes(_ count: Int) throws -> [ScriptedPort.Step] {
        [[ScriptedPort.Step]](repeating: [.sound(try swipe(.two)), .sound(silence)], count: count).flatMap(\.self)
    }

    /// However many come in one block.
    @Test(arguments: [240, 1_000_000], [[], ["--json"]]) func soManySwipesAreEnough(block: Int, json: [String]) throws {
        let sound = try Self.swipe(.two) + Self.silence
        let all = (0..<3).flatMap { _ in sound }
        for (options, expected) in [(["--once"], 1), (["--swipes", "2"], 2), (["--swipes", "9"], 3)] {
            let run = try listen(options + json, to: ScriptedPort(block: block, [.sound(all)]))
            #expect(run.status == 0)
            #expect(run.lines.count { $0.hasPrefix("alsa:default: ") || $0.hasPrefix("{") } == expected, "\(run.lines)")
        }
    }

    /// All tracks of the last one are of it.
    @Test(arguments: [[], ["--json"]]) func aSwipeHasAllOfItsTracks(json: [String]) throws {
        let (first, second) = (try Self.swipe(.one), try Self.swipe(.two))
        let frames = max(first.count, second.count)
        let both = (0..<frames).flatMap { [$0 < first.count ? first[$0] : 0, $0 < second.count ? second[$0] : 0] }
        let quiet = [Float](repeating: 0, count: 192_000)
        let port = ScriptedPort(channelCount: 2, [.sound(both + quiet + both + quiet)])
        let run = try listen(["--once"] + json, to: port)
        #expect(run.lines.count { $0.hasPrefix("  track") || $0.hasPrefix("{") } == 2, "\(run.lines)")
    }

    @Test func theCommandEndsWhenItsTimeIsOver() throws {
        let nothing = try listen(
            ["--timeout", "30"],
            to: ScriptedPort(
                [.passes(.seconds(29)), .sound(Self.silence), .passes(.seconds(1))] + Self.swipes(1)))
        #expect(nothing.status == 1)
        #expect(nothing.lines.isEmpty)
        #expect(nothing.messages == "jackdaw: alsa:default: no swipe within 30.0 s\n")
        let late = try Self.swipes(1) + [.passes(.seconds(30))] + Self.swipes(1)
        let one = try listen(["--timeout", "30"], to: ScriptedPort(late))
        #expect(one.status == 0)
        #expect(one.lines.count { $0.hasPrefix("alsa:default: ") } == 1)
    }

    @Test(arguments: [
        ["--swipes", "0"], ["--once", "--swipes", "2"], ["--timeout", "0"], ["--timeout", "-1"], ["--timeout", "1e9"],
        ["--timeout", "nan"],
    ])
    func numbersThatMakeNoSenseAreUsage(options: [String]) {
        #expect(CommandRun(["listen"] + options).status == 64)
    }

    @Test func eachTrackHasItsTime() throws {
        let run = try listen(["--json", "--failures"], to: ScriptedPort(Self.swipes(1)))
        #expect(try run.lines.map { try jsonObject($0)["time"] as? String } == [Self.time])
        #expect(run.lines.allSatisfy { $0.hasSuffix(#","time":"\#(Self.time)"}"#) })
        let whole = try Self.swipe(.two)
        let part = Array(whole[..<(whole.count / 2)])
        let failure = try listen(["--json", "--failures"], to: ScriptedPort([.sound(part), .sound(Self.silence)]))
        #expect(try jsonObject(try #require(failure.lines.first))["time"] as? String == Self.time)
    }

    /// A card that cannot be opened, for so many tries; no time passes but that of the waits, and a step at each look at the clock.
    private func listen(
        failing tries: Int, _ code: LinkError.Code, _ options: [String], step: Duration = .zero
    ) throws -> (status: Int32, lines: [String], messages: [String], tries: Int) {
        let verb = try #require(try JackdawCommand.parseAsRoot(["listen"] + options) as? Listen)
        var system = Self.system(ScriptedPort(try Self.swipes(1)))
        var (attempts, elapsed) = (0, Duration.zero)
        let capture = system.capture
        system.capture = { link, configuration, isWanted throws(LinkError) in
            attempts += 1
            guard attempts > tries else { throw LinkError(code, link: link.description, "cannot be opened") }
            return try capture(link, configuration, isWanted)
        }
        let start = ContinuousClock.now
        system.now = {
            defer { elapsed += step }
            return start + elapsed
        }
        system.sleep = { wait in
            #expect(wait > .zero)
            elapsed += wait
        }
        let recorder = ConsoleRecorder(isWatched: true)
        let status = Self.status(of: verb, recorder, system)
        let messages = recorder.messages.split(separator: "\n").filter { $0.contains("cannot be opened") }
        return (status, recorder.output.split(separator: "\n").map(String.init), messages.map(String.init), attempts)
    }

    @Test(arguments: [LinkError.Code.notFound, .notPermitted, .busy])
    func aCardThatCannotBeOpenedEndsItUnlessItIsToKeepTrying(code: LinkError.Code) throws {
        let once = try listen(failing: 20, code, [])
        #expect(once.status == 69)
        #expect(once.tries == 1)
        let kept = try listen(failing: 20, code, ["--keep-trying", "--once"])
        #expect(kept.status == 0)
        #expect(kept.tries == 21)
        // 1, 2, 4, 8, 16 and then 30 s each: the reason is printed at once and then once a minute.
        #expect(kept.messages.count == 8, "\(kept.messages)")
        let json = try listen(failing: 1, code, ["--keep-trying", "--once", "--json"])
        #expect(try jsonObject(json.lines[0])["event"] as? String == "waiting")
        #expect(try jsonObject(json.lines[0])["reason"] as? String == code.name)
        #expect(try jsonObject(json.lines[0])["time"] as? String == Self.time)
    }

    /// A process that is stopped between two looks at the clock.
    @Test(arguments: [7, 130, 900, 40_000])
    func aWaitForACardIsNeverLessThanNothing(milliseconds: Int) throws {
        let run = try listen(
            failing: 20, .notFound, ["--keep-trying", "--once"], step: .milliseconds(milliseconds))
        #expect(run.status == 0)
        #expect(run.tries == 21)
    }

    /// It does not appear by itself, or grow.
    @Test func aFileThatCannotBeOpenedIsNotTriedAgain() throws {
        let run = try listen(failing: 20, .notFound, ["--link", "wav:\(folder("none.wav"))", "--keep-trying"])
        #expect(run.status == 69)
        #expect(run.tries == 1)
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let whole = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--keep-trying")
        #expect(whole.status == 0)
        #expect(whole.lines.count { $0.hasPrefix("wav:") } == 1)
    }

    /// A FIFO that a writer holds open, before its header and after it.
    @Test(.timeLimit(.minutes(30)), arguments: [[], [0x52, 0x49], nil] as [[UInt8]?])
    func theTimeIsOverWhileAPipeSendsNothing(beginning: [UInt8]?) throws {
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        // Without a beginning, a header and half of a sample.
        try input.write(contentsOf: beginning ?? Array(try folder.read("a.wav")[..<45]))
        let line = ["listen", "--link", "wav:\(folder("in"))", "--timeout", "60"]
        let verb = try #require(try JackdawCommand.parseAsRoot(line) as? Listen)
        var system = LiveSystem()
        system.mixer = { _ throws(LinkError) in nil }
        system.jacks = { _ throws(LinkError) in nil }
        var time = ContinuousClock.now
        system.now = {
            defer { time += .seconds(20) }
            return time
        }
        let recorder = ConsoleRecorder()
        #expect(Self.status(of: verb, recorder, system) == 1)
        #expect(recorder.messages.contains("no swipe within 60.0 s"))
        try input.close()
    }

    @Test func swipesOfOtherTracksAreCounted() throws {
        let steps: [ScriptedPort.Step] = try [.two, .one, .two].flatMap { track in
            [.sound(try Self.swipe(track)), .sound(Self.silence), .sound(Self.silence)]
        }
        let one = try listen(["--track", "1"], to: ScriptedPort(steps))
        #expect(one.status == 0)
        #expect(one.lines.count { $0.hasPrefix("  track ") } == 1)
        #expect(one.messages.contains("left out: 2 swipes of track 2"))
        let three = try listen(["--track", "3", "--json"], to: ScriptedPort(steps))
        #expect(three.status == 1)
        #expect(three.lines.isEmpty)
        #expect(three.messages.contains("left out: 1 swipe of track 1, 2 swipes of track 2"))
        let any = try listen(to: ScriptedPort(steps))
        #expect(!any.messages.contains("left out"))
    }

    @Test func aCardThatIsNotThereInTimeIsNoSwipe() throws {
        let run = try listen(failing: 1_000, .notFound, ["--keep-trying", "--timeout", "100"])
        #expect(run.status == 1)
        #expect(run.lines.isEmpty)
    }

    @Test func aFileIsReadForAsManySwipes() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let run = CommandRun("listen", "--link", "wav:\(folder("a.wav"))", "--once", "--timeout", "600", "--json")
        #expect(run.status == 0)
        #expect(run.lines.count == 1)
        #expect(try jsonObject(run.lines[0])["time"] as? String != nil)
    }

    private func sine(turns: Double) -> Double { sin(2 * Double.pi * turns) }
}
