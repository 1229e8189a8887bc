import Foundation
import JackdawAudioFile
import JackdawDSP
import JackdawTestSupport
import JackdawTransport
import Testing

@testable import jackdaw_cli

/// Recordings of swipes, made by `jackdaw listen --record`.
@Suite struct RecordingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The recording has the sound of the swipes and no other, at the places in the manifest.
    @Test func aRecordingHoldsTheSwipesAndNothingElse() throws {
        let swipe = try ScriptedListening.swipe(.two)
        let path = folder("kept.wav")
        let noise = (0..<480_000).map { Float($0 % 7) * 1e-4 }
        let run = try ScriptedListening.run(
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

    /// Swipes without a pause share their sound. They are written before the kept sound of the first one is
    /// overwritten.
    @Test func swipesWithoutAPauseAreAllKept() throws {
        let whole = try ScriptedListening.swipe(.two)
        let start = try #require(whole.firstIndex { abs($0) > 0.01 })
        let end = try #require(whole.lastIndex { abs($0) > 0.01 })
        let swipe = ScriptedListening.silence[..<4_800] + whole[start...end] + ScriptedListening.silence[..<4_800]
        let count = 1 + Int(12 * ScriptedListening.rate) / swipe.count
        let path = folder("kept.wav")
        let steps = [ScriptedPort.Step](repeating: .sound(Array(swipe)), count: count)
        let run = try ScriptedListening.run(
            ["--record", path, "--json"], to: ScriptedPort(steps + [.sound(ScriptedListening.silence)]))
        #expect(run.lines.count == count)
        let manifest = String(decoding: try folder.read("kept.wav.json"), as: UTF8.self).split(separator: "\n")
        let kept = try manifest.map { try #require(try jsonObject(String($0))["recorded_start"] as? Double) }
        let found = try CommandRun("decode", "--json", path).lines.map {
            try #require(try jsonObject($0)["start"] as? Double)
        }
        #expect(kept.count == count)
        for start in kept { #expect(found.contains { abs($0 - start) < 0.001 }, "\(start)") }
    }

    /// A FLAC file without samples would be an error, which must not replace the exit code.
    @Test(arguments: ["kept.wav", "kept.flac"]) func withoutASwipeThereIsNoFile(name: String) throws {
        let record = ["--record", folder(name), "--failures"]
        let run = try ScriptedListening.run(
            record, to: ScriptedPort([.sound(ScriptedListening.silence)]), isInterrupted: { true })
        #expect(run.status == 130)
        #expect(folder.names.isEmpty)
        // Noise is not a swipe, and speech is private.
        var random = SeededRandom(seed: 3)
        let noise = (0..<24_000).map { _ in 0.1 * Float.random(in: -1...1, using: &random) }
        let steps: [ScriptedPort.Step] = [
            .sound(ScriptedListening.silence), .sound(noise), .sound(ScriptedListening.silence),
        ]
        #expect(try ScriptedListening.run(record, to: ScriptedPort(steps)).lines.count == 1)
        #expect(folder.names.isEmpty)
    }

    @Test func anIncompleteRecordingIsReportedBesideTheReasonOfTheEnd() throws {
        let inner = folder("inner")
        try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let swipe = try ScriptedListening.swipe(.two)
        let calls = Shared(0)
        let run = try ScriptedListening.run(
            ["--record", inner + "/kept.wav"],
            to: ScriptedPort(block: 480, [.sound(swipe), .sound(ScriptedListening.silence)]),
            isInterrupted: {
                let call = calls.with { calls in
                    calls += 1
                    return calls
                }
                // The swipe was read, and is not in the file yet.
                guard call == (swipe.count + ScriptedListening.silence.count / 4) / 480 else { return false }
                try? FileManager.default.removeItem(atPath: inner)
                return true
            })
        #expect(run.status == 130)
        #expect(run.messages.contains("kept.wav: cannot be written"))
    }

    @Test func aManifestIsForItsUserAlone() throws {
        let manifest = try folder.write([], to: "kept.wav.json")
        unsafe chmod(manifest, 0o644)
        let swipe = try ScriptedListening.swipe(.two)
        let run = try ScriptedListening.run(
            ["--record", folder("kept.wav")], to: ScriptedPort([.sound(swipe), .sound(ScriptedListening.silence)]))
        #expect(run.status == 0)
        #expect(try FileManager.default.attributesOfItem(atPath: manifest)[.posixPermissions] as? Int == 0o600)
        #expect(folder.names == ["kept.wav", "kept.wav.json"])
    }

    /// The sound of cards is written neither to a file that other users can read or that is no recording, nor through a
    /// link.
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
        let run = try ScriptedListening.run(
            ["--record", path],
            to: ScriptedPort([.sound(try ScriptedListening.swipe(.two)), .sound(ScriptedListening.silence)]))
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
        let run = try ScriptedListening.run(
            ["--record", folder("kept.wav")],
            to: ScriptedPort([.sound(try ScriptedListening.swipe(.two)), .sound(ScriptedListening.silence)]))
        #expect(run.status == 0, "\(run.messages)")
        #expect(try folder.mode("kept.wav") == 0o600)
        #expect(try AudioFileReader(path: folder("kept.wav")).format.sampleRate == ScriptedListening.rate)
    }

    /// A process that is killed before its first swipe leaves temporary files. The next process removes them when it
    /// begins.
    @Test(.timeLimit(.minutes(30))) func aKilledProcessLeavesNoTemporaryFiles() throws {
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        let process = try SpawnedProcess(
            ChildProcess.executable.path,
            ["listen", "--link", "wav:\(folder("in"))", "--record", folder("kept.wav")])
        var header = Array(try folder.read("a.wav")[..<44])
        for place in [4..<8, 40..<44] { header.replaceSubrange(place, with: [255, 255, 255, 255]) }
        // More than the pipe holds: the command is listening.
        try input.write(contentsOf: header + [UInt8](repeating: 0, count: 300_000))
        process.send(SIGKILL)
        process.end()
        let path = folder.path
        @Sendable func leftovers() -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            return names.filter { $0.hasPrefix(".jackdaw-") }
        }
        let left = leftovers()
        #expect(!left.isEmpty)
        let during = Shared<[String]?>(nil)
        let run = try ScriptedListening.run(
            ["--record", folder("other.wav")],
            to: ScriptedPort([.sound(ScriptedListening.silence), .sound(ScriptedListening.silence)])
        ) {
            during.with { $0 = $0 ?? leftovers() }
            return false
        }
        #expect(run.status == 1)
        #expect(during.with(\.self)?.isEmpty == false)
        #expect(during.with(\.self)?.contains { left.contains($0) } == false)
        #expect(leftovers().isEmpty)
        #expect(!folder.names.contains { $0.hasPrefix("kept") || $0.hasPrefix("other") })
    }

    /// The recording of a process that was killed has each of its swipes.
    @Test(.timeLimit(.minutes(30)), arguments: ["wav", "flac"]) func aKilledProcessLeavesItsRecording(suffix: String)
        throws
    {
        let swipes = 3
        let pause = [UInt8](repeating: 0, count: 2 * 44_100)
        #expect(CommandRun("synth", "-o", folder("a.wav")).status == 0)
        let sound = try folder.read("a.wav")
        #expect(unsafe mkfifo(folder("in"), 0o600) == 0)
        // Open for reading and writing, so that neither side waits for the other.
        let input = try #require(FileHandle(forUpdatingAtPath: folder("in")))
        let process = try SpawnedProcess(
            ChildProcess.executable.path,
            ["listen", "--link", "wav:\(folder("in"))", "--record", folder("kept." + suffix)])
        var header = Array(sound[..<44])
        // The header of a stream of unknown length.
        for place in [4..<8, 40..<44] { header.replaceSubrange(place, with: [255, 255, 255, 255]) }
        try input.write(contentsOf: header)
        for _ in 0..<swipes { try input.write(contentsOf: sound[44...] + pause) }
        // More than the pipe holds: the command has read all sound before it.
        try input.write(contentsOf: pause + pause)
        process.send(SIGKILL)
        process.end()
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
            path: folder("kept.wav"), encoding: .int24, sampleRate: ScriptedListening.rate, channels: 1,
            predecessor: .isPrivateSound
        )
        try writer.write([0.25].span)
        try writer.save()
        let run = try ScriptedListening.run(
            ["--record", folder("kept.wav")], to: ScriptedPort([.sound(ScriptedListening.silence)]))
        #expect(run.status == 74)
        #expect(run.messages.contains("is being written by another process"))
        try writer.finish()
    }

    @Test func standardOutputIsNoPlaceForARecording() {
        let run = CommandRun("listen", "--record", "-", "--link", "wav:\(folder("none.wav"))")
        #expect(run.status == 64)
        #expect(run.messages.contains("--record needs a file"))
    }

    /// A gap that is longer than the kept sound loses nothing of the swipe before it.
    @Test func aRecordingHoldsTheSwipeBeforeALongGap() throws {
        let path = folder("gap.wav")
        let run = try ScriptedListening.run(
            ["--record", path, "--json"],
            to: ScriptedPort([
                .sound(ScriptedListening.silence), .sound(try ScriptedListening.swipe(.two)),
                .sound([Float](repeating: 0, count: 4_800)),
                .lost(480_000), .sound(ScriptedListening.silence),
            ]))
        #expect(run.lines.count == 1)
        #expect(CommandRun("decode", "--json", path).lines.count == 1)
    }
}
