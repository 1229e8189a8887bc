import Foundation
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Through libasound itself, on a mixer that a plug-in keeps in a file.
@Suite struct LibraryMixerTests {
    /// The plug-in, a configuration that names it, and levels.
    private static func lab() throws -> PlugIns {
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Lab/ctl_levels.c").path
        let lab = try PlugIns([source]) { #"ctl.levels { type levels state "\#($0)/levels" }"# }
        try "20 24 1 1 1 1 0 0 1 0 5 5 1 0 40 0\n".write(
            toFile: lab.path + "/levels", atomically: false, encoding: .utf8)
        return lab
    }

    private static func levels(_ path: String) throws -> [Int] {
        try String(contentsOfFile: path + "/levels", encoding: .utf8).split(whereSeparator: \.isWhitespace).compactMap {
            Int($0)
        }
    }

    /// The library reads its configuration once: in a process of its own, where no other test has made it do so.
    @Test(.enabled(if: PlugIns.isPossible, "it needs a C compiler, and libasound2-dev for the plug-in"))
    func levelsAreSetAndBroughtBackThroughTheLibrary() async throws {
        let lab = try Self.lab()
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let before = try Self.levels(path)
            let mixer = try Mixer(card: "levels", stateDirectory: path + "/state")
            #expect(mixer.notice == nil)
            #expect(
                mixer.controls.map(\.description).sorted() == [
                    "Auto Gain Control playback switch", "Capture capture switch", "Capture capture volume",
                    "Input Source choice", "Master playback volume", "Mic Boost playback volume", "Mic playback switch",
                    "Mic playback volume",
                ])
            let volume = try #require(mixer.controls(.captureLevel).first { $0.isVolume })
            #expect(volume.kind == .volume(decibels: -17...30.25))
            #expect(try mixer.volume(of: volume).decibels == 1)
            #expect(try mixer.setVolume(volume, decibels: 10).decibels == 10)
            #expect(try mixer.captureGain() == CaptureGain(decibels: 20, range: -17...60.25))
            // A boost of 20 dB and step 56 of the volume, 25 dB.
            #expect(try mixer.setCaptureGain(45)?.decibels == 45)
            #expect(try mixer.turnAutomaticGainOff())
            #expect(try mixer.mute(.loopThrough))
            #expect(try mixer.mute(.captureLevel))
            #expect(try mixer.unmute(.captureLevel))
            let source = try #require(mixer.controls(.captureSource).first)
            #expect(source.items == ["Mic", "Line"])
            try mixer.choose(1, of: source)
            #expect(try mixer.choice(of: source) == 1)
            let master = try #require(mixer.controls(.playbackLevel).first)
            #expect(try mixer.setVolume(master, share: 0.5).decibels == -32)
            #expect(try Self.levels(path) == [56, 56, 1, 1, 2, 2, 1, 0, 0, 0, 5, 5, 0, 0, 32, 0])
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: path + "/state").contains("mixer-levels-Levels"))
            try mixer.restore()
            #expect(try Self.levels(path) == before)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/state") == ["lock"])
        }
    }

    /// Killed in the middle, by a signal that nothing can catch.
    @Test(.enabled(if: PlugIns.isPossible, "it needs a C compiler, and libasound2-dev for the plug-in"))
    func aKilledProgramsLevelsAreBroughtBackThroughTheLibrary() async throws {
        let lab = try Self.lab()
        let before = try Self.levels(lab.path)
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let mixer = try Mixer(card: "levels", stateDirectory: path + "/state")
            try mixer.setCaptureGain(60)
            try mixer.mute(.loopThrough)
            _ = kill(getpid(), SIGKILL)
        }
        #expect(try Self.levels(lab.path) != before)
        await #expect(processExitsWith: .success) { [path = lab.path as String] in
            PlugIns.use(in: path)
            let mixer = try Mixer(card: "levels", stateDirectory: path + "/state")
            #expect(mixer.notice?.description.contains("Capture capture volume 20/24") == true)
        }
        #expect(try Self.levels(lab.path) == before)
    }

    @Test func aMissingCardIsNotFound() {
        let error = linkFailure { _ = try Mixer(card: "hw:31", stateDirectory: "/dev/null/none") }
        #expect(error?.code == .notFound)
        #expect(error?.underlying?.hasPrefix("snd_mixer_attach") == true)
    }
}
