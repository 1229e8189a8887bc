import Foundation
import JackdawSystem
import JackdawTransport
import Testing

@testable import JackdawALSA
@testable import JackdawALSATestSupport

/// Levels that outlast their process, in real files.
@Suite struct MixerStateFileTests {
    /// A directory that is removed with everything in it.
    private final class Folder {
        let path = FileManager.default.temporaryDirectory.path + "/jackdaw-mixer-" + UUID().uuidString
        deinit { try? FileManager.default.removeItem(atPath: path) }
        var content: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
    }

    /// A mixer on a scripted card, with files and real processes: a child that is killed.
    @Test func theLevelsOfAKilledProcessAreRestored() throws {
        let folder = Folder()
        let card = ScriptedCard.usual()
        let before = card.levels
        let child = try ChildProgram("/bin/sleep", ["1000"])
        defer { child.wait() }
        let identity = try #require(ProcessTable.identity(of: child.process, in: "/proc"))
        var asChild = ProcessTable.system
        asChild.current = { identity }
        func session(_ processes: ProcessTable) throws -> MixerSession {
            try MixerSession(
                card: "hw:1", library: ScriptedLibrary(card), storage: StateDirectory(folder.path),
                processes: processes)
        }
        let first = try session(asChild)
        for control in first.controls { try first.set(control, to: 1) }
        #expect(folder.content == ["lock", "mixer-PCH-HDA_Intel_PCH"])
        #expect(try session(.system).notice == .held(process: Int(child.process)))
        child.kill()
        if case .restored = try session(.system).notice {} else { #expect(Bool(false)) }
        #expect(card.levels == before)
        #expect(folder.content == ["lock"])
    }
}

/// Live processes are recognised by number, start time and boot of the system.
@Suite struct ProcessIdentityTests {
    @Test func thisProcessIsAlive() throws {
        let mine = try #require(ProcessTable.system.current())
        #expect(mine.process == getpid())
        #expect(ProcessTable.system.isAlive(mine))
        var other = mine
        other.startTime += 1
        #expect(!ProcessTable.system.isAlive(other))
        other = mine
        other.boot = "another"
        #expect(!ProcessTable.system.isAlive(other))
        #expect(ProcessTable(directory: "/nowhere").current() == nil)
    }

    /// The name of a program may hold anything, and a zombie process is dead.
    @Test(arguments: [
        ("1 (a) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 777 1 1", 777 as UInt64?),
        ("1 (a) b ) (R) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 777\n", 777),
        ("1 (a) Z 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 777 1 1", nil),
        ("1 (a) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0", nil),
        ("1 (a) S 1 1 1 0 -1 4 0 0 0 0 0 0 0 0 20 0 1 0 -7 1", nil), ("", nil), (")", nil), ("1 a S 1", nil),
    ])
    func theStartOfAProcessIsFound(status: String, startTime: UInt64?) {
        #expect(ProcessTable.startTime(status: Array(status.utf8)) == startTime)
    }
}
