import Glibc
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Changed levels are restored: by the program, at its end, or by the next program.
@Suite struct MixerRestoreTests {
    private static let file = "mixer-PCH-HDA_Intel_PCH"

    /// All that a reader's program does to a card.
    private static func changeEverything(_ mixer: Mixer) throws(LinkError) {
        for source in mixer.controls(.captureSource) { try mixer.choose(1, of: source) }
        try mixer.turnAutomaticGainOff()
        try mixer.mute(.loopThrough)
        try mixer.unmute(.captureLevel)
        for control in mixer.controls where control.isVolume { try mixer.setVolume(control, share: 1) }
        try mixer.setCaptureGain(40)
    }

    @Test func everythingIsBroughtBack() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        let mixer = try bench.mixer()
        #expect(mixer.notice == nil)
        try Self.changeEverything(mixer)
        #expect(bench.card.levels != before)
        #expect(Array(bench.storage.files.keys) == [Self.file])
        try mixer.restore()
        #expect(bench.card.levels == before)
        #expect(bench.storage.files.isEmpty)
        #expect(mixer.changed.isEmpty)
    }

    @Test func theEndOfAMixerRestores() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        try Self.changeEverything(bench.mixer())
        #expect(bench.card.levels == before)
        #expect(bench.storage.files.isEmpty)
        #expect(bench.card.openMixers == 0)
    }

    /// Only changed levels are restored; the user may have set the others in the meantime.
    @Test func onlyChangedLevelsAreRestored() throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        // What is as it should be is no change.
        for control in mixer.controls(.captureLevel) where !control.isVolume { try mixer.setOn(control, true) }
        #expect(bench.storage.files.isEmpty)
        try mixer.turnAutomaticGainOff()
        bench.card.set("Master", "volume playback 0", 3)
        try mixer.restore()
        #expect(bench.card.level("Master", "volume playback 0") == 3)
        #expect(bench.card.level("Auto Gain Control", "toggle playback 0") == 1)
    }

    /// The first change is preceded by what was there, and each later one by what it adds.
    @Test func levelsAreSavedBeforeTheyAreChanged() throws {
        let bench = MixerBench()
        let session = try bench.session()
        let volume = try #require(session.controls.first { $0.role == .captureLevel })
        let toggle = try #require(session.controls.first { $0.role == .automaticGain })
        bench.card.fail { _, name in name.contains("_set_") ? EIO : nil }
        for control in [volume, toggle] { #expect(linkFailure { try session.set(control, to: 0) }?.code == .system) }
        let record = try MixerStateRecord(parsing: #require(bench.storage.files[Self.file]))
        #expect(record.writer?.process == 1)
        #expect(
            record.state.settings.map(\.description) == [
                "Capture capture volume 20/24", "Auto Gain Control playback toggle 1",
            ])
    }

    @Test func levelsThatCannotBeSavedAreNotChanged() throws {
        for call in ["lock", "load", "save"] {
            let bench = MixerBench()
            let before = bench.card.levels
            let mixer = try bench.mixer()
            bench.storage.fail { _, name in name == call }
            #expect(linkFailure { try mixer.turnAutomaticGainOff() }?.message == "\(call) failed")
            #expect(bench.card.levels == before)
            #expect(mixer.changed.isEmpty)
        }
    }

    @Test func theNextStartRestoresTheLevelsOfAKilledProcess() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        let killed = try bench.session(process: 1)
        for control in killed.controls { try killed.set(control, to: control.isVolume ? 2 : 0) }
        #expect(bench.card.levels != before)
        bench.processes.end(1)
        let mixer = try bench.mixer(process: 2)
        #expect(bench.card.levels == before)
        #expect(bench.storage.files.isEmpty)
        guard case .restored(let state) = mixer.notice else {
            return #expect(Bool(false), "\(String(describing: mixer.notice))")
        }
        #expect(state.settings.contains { $0.description == "Capture capture volume 20/24" })
        #expect(mixer.notice?.description.contains("Capture capture volume 20/24") == true)
    }

    /// Killed at any call: the first thing that the next start does is to bring everything back.
    @Test func aProcessMayBeKilledAtAnyCall() throws {
        let trial = MixerBench()
        trial.card.work()
        try Self.changeEverything(trial.mixer())
        let count = trial.card.calls.count
        #expect(count > 100)
        for place in 0..<count {
            let bench = MixerBench()
            let before = bench.card.levels
            // From this call on, nothing that the process does reaches the card or the disk.
            bench.card.fail { call, _ in call >= place ? EIO : nil }
            let card = bench.card
            bench.storage.fail { _, _ in card.calls.count > place }
            _ = linkFailure { try Self.changeEverything(bench.mixer(process: 1)) }
            bench.processes.end(1)
            bench.card.work()
            bench.storage.fail { _, _ in false }
            let next = try bench.mixer(process: 2)
            #expect(bench.card.levels == before, "killed at call \(place)")
            #expect(bench.storage.files.isEmpty, "killed at call \(place)")
            if case .notRestored(let reason) = next.notice { #expect(Bool(false), "\(reason)") }
        }
    }

    /// Killed again while it brings back what the first one left, the second process leaves it to the third.
    @Test func aProcessMayBeKilledWhileItRestores() throws {
        for place in 0..<200 {
            let bench = MixerBench()
            let before = bench.card.levels
            let first = try bench.session(process: 1)
            for control in first.controls { try first.set(control, to: 1) }
            bench.processes.end(1)
            bench.card.fail { call, _ in call >= place ? EIO : nil }
            let card = bench.card
            bench.storage.fail { _, _ in card.calls.count > place }
            let second = try? bench.session(process: 2)
            let isDone = card.calls.count <= place
            if case .notRestored(let reason) = second?.notice {
                #expect(!isDone && !reason.isEmpty)
            }
            bench.processes.end(2)
            bench.card.work()
            bench.storage.fail { _, _ in false }
            _ = try bench.mixer(process: 3)
            #expect(bench.card.levels == before, "killed at call \(place)")
            #expect(bench.storage.files.isEmpty)
            if isDone { return }
        }
        #expect(Bool(false), "restoring takes no more than 200 calls")
    }

    /// Whatever several threads do at once, all of it is brought back.
    @Test func severalThreadsMayChangeLevels() async throws {
        let bench = MixerBench()
        let before = bench.card.levels
        let mixer = try bench.mixer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for step in 0..<25 {
                        try mixer.setCaptureGain(Double(10 * number + step))
                        try mixer.mute(.loopThrough)
                        if step == 12 { try mixer.restore() }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(bench.card.levels != before)
        try mixer.restore()
        #expect(bench.card.levels == before)
        #expect(bench.storage.files.isEmpty)
    }

    /// Any one call fails: the failure is an error or a notice, or has no effect, and all levels are restored.
    @Test(arguments: [EIO, ENODEV, EBUSY, EINVAL]) func anyCallMayFail(number: CInt) throws {
        let trial = MixerBench()
        trial.card.work()
        try Self.changeEverything(trial.mixer())
        for place in 0..<trial.card.calls.count {
            let bench = MixerBench()
            let before = bench.card.levels
            bench.card.fail { call, _ in call == place ? number : nil }
            let error = linkFailure { try Self.changeEverything(bench.mixer(process: 1)) }
            #expect(error?.code != .badName)
            #expect(bench.card.openMixers == 0)
            // What the failed call was to restore is restored by the next start, though the process lives.
            if !bench.storage.files.isEmpty { _ = try bench.mixer(process: 1) }
            #expect(bench.card.levels == before, "failed at call \(place)")
            #expect(bench.storage.files.isEmpty, "failed at call \(place)")
        }
    }

    @Test(arguments: ["lock", "load", "save", "remove"]) func anyUseOfStorageMayFail(name: String) throws {
        for place in 0..<60 {
            let bench = MixerBench()
            let before = bench.card.levels
            bench.storage.fail { call, called in call == place && called == name }
            _ = linkFailure { try Self.changeEverything(bench.mixer(process: 1)) }
            bench.processes.end(1)
            _ = try bench.mixer(process: 2)
            #expect(bench.card.levels == before)
            #expect(bench.storage.files.isEmpty)
        }
    }

    /// The second process of a card neither changes its levels nor what the first one has saved.
    @Test func theSecondProcessChangesNothing() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        let first = try bench.mixer(process: 1)
        let early = try bench.mixer(process: 2)
        try first.turnAutomaticGainOff()
        let saved = bench.storage.files
        let changed = bench.card.levels
        let late = try bench.mixer(process: 3)
        #expect(late.notice == .held(process: 1))
        #expect(late.notice?.description.contains("process 1 ") == true)
        for second in [early, late] {
            #expect(linkFailure { try second.setCaptureGain(0) }?.code == .busy)
            #expect(linkFailure { try second.mute(.playbackLevel) }?.message.contains("process 1 ") == true)
            try second.restore()
            #expect(try second.captureGain() != nil)
        }
        #expect(bench.storage.files == saved)
        #expect(bench.card.levels == changed)
        try first.restore()
        #expect(bench.card.levels == before)
        try early.setCaptureGain(0)
        #expect(bench.card.levels != before)
    }

    /// A process that was there before another came and was killed: what it saves is what was there before either.
    @Test func levelsOfAKilledProcessAreRestoredBeforeTheFirstChange() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        let waiting = try bench.mixer(process: 1)
        let killed = try bench.session(process: 2)
        let volume = try #require(killed.controls.first { $0.role == .captureLevel })
        try killed.set(volume, to: 63)
        bench.processes.end(2)
        try waiting.setVolume(volume, share: 0)
        #expect(waiting.changed.settings.map(\.description) == ["Capture capture volume 20/24"])
        try waiting.restore()
        #expect(bench.card.levels == before)
    }

    /// A card that is pulled out takes its levels along; they are restored when it is back.
    @Test func aReconnectedCardIsRestored() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        do {
            let mixer = try bench.mixer()
            try Self.changeEverything(mixer)
            bench.card.fail { _, _ in ENODEV }
            #expect(linkFailure { try mixer.restore() }?.code == .disconnected)
            #expect(linkFailure { _ = try mixer.captureGain() }?.code == .disconnected)
            #expect(!mixer.changed.isEmpty)
        }
        bench.card.work()
        // The same process opens it again.
        let mixer = try bench.mixer()
        if case .restored = mixer.notice {} else { #expect(Bool(false), "\(String(describing: mixer.notice))") }
        #expect(bench.card.levels == before)
    }

    /// What a card no longer has cannot be restored; the rest is.
    @Test func controlsThatDisappearedAreNotRestored() throws {
        let bench = MixerBench()
        let killed = try bench.session(process: 1)
        for control in killed.controls { try killed.set(control, to: 1) }
        bench.processes.end(1)
        bench.card.change { facts in
            facts.parts.removeAll { $0.element.name.name == "Mic Boost" }
            for index in facts.parts.indices where facts.parts[index].element.name.name == "Capture" {
                facts.parts[index].volumes = 0...22
            }
        }
        _ = try bench.mixer(process: 2)
        #expect(bench.card.level("Capture", "volume capture 0") == 20)
        #expect(bench.card.level("Capture", "volume capture 1") == 22)
        #expect(bench.storage.files.isEmpty)
    }

    @Test func aControlThatDisappearsIsReportedAtItsRestoration() throws {
        let bench = MixerBench()
        let mixer = try bench.mixer()
        try mixer.turnAutomaticGainOff()
        bench.card.change { $0.parts.removeAll { $0.element.name.name == "Auto Gain Control" } }
        let error = linkFailure { try mixer.restore() }
        #expect(error?.code == .notFound)
        #expect(error?.message.contains("Auto Gain Control") == true)
    }

    @Test func aFileThatCannotBeReadIsPutAside() throws {
        let bench = MixerBench()
        let before = bench.card.levels
        bench.storage.put(Array("jackdaw mixer 1\nwriter none\n".utf8), as: Self.file)
        let mixer = try bench.mixer()
        guard case .unreadable(_, let path) = mixer.notice else { return #expect(Bool(false)) }
        #expect(path == "\(Self.file).unreadable")
        #expect(bench.card.levels == before)
        try Self.changeEverything(mixer)
        try mixer.restore()
        #expect(bench.card.levels == before)
        #expect(Array(bench.storage.files.keys) == [path])
    }

    /// Numbers of cards change, and a reader that is plugged into another card must not get this one's levels.
    @Test func levelsBelongToACardAndNotToItsNumber() throws {
        let bench = MixerBench()
        let killed = try bench.session(process: 1)
        for control in killed.controls { try killed.set(control, to: 1) }
        bench.processes.end(1)
        let left = bench.card.levels
        bench.card.change { $0.identity = CardIdentity(id: "Device", name: "USB ../Audio") }
        let other = try bench.mixer(process: 2)
        #expect(other.notice == nil)
        #expect(bench.card.levels == left)
        try other.unmute(.automaticGain)
        try other.setCaptureGain(0)
        #expect(bench.storage.files.keys.sorted() == ["mixer-Device-USB____Audio", Self.file])
    }
}
