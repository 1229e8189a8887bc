import JackdawTransport
import Synchronization

@testable import JackdawALSA

/// Saved levels in memory that outlasts a process, and fails when the test requests it.
final class MemoryStorage: MixerStateStorage {
    struct Facts {
        var files: [String: [UInt8]] = [:]
        var calls: [String] = []
        var failure: @Sendable (Int, String) -> Bool = { _, _ in false }
    }

    private let facts = Mutex(Facts())

    var files: [String: [UInt8]] { facts.withLock { $0.files } }
    var calls: [String] { facts.withLock { $0.calls } }

    func put(_ bytes: [UInt8], as name: String) { facts.withLock { $0.files[name] = bytes } }

    func fail(_ failure: @escaping @Sendable (Int, String) -> Bool) {
        facts.withLock {
            $0.calls = []
            $0.failure = failure
        }
    }

    private func call(_ name: String) throws(LinkError) {
        let fails = facts.withLock { facts in
            facts.calls.append(name)
            return facts.failure(facts.calls.count - 1, name)
        }
        if fails { throw LinkError(.system, link: "memory", "\(name) failed") }
    }

    func locked<Result>(_ body: () throws(LinkError) -> Result) throws(LinkError) -> Result {
        try call("lock")
        return try body()
    }

    func load(_ name: String) throws(LinkError) -> [UInt8]? {
        try call("load")
        return files[name]
    }

    func save(_ bytes: [UInt8], as name: String) throws(LinkError) {
        try call("save")
        put(bytes, as: name)
    }

    func remove(_ name: String) throws(LinkError) {
        try call("remove")
        facts.withLock { facts in facts.files[name] = nil }
    }

    func setAside(_ name: String) throws(LinkError) -> String {
        try call("setAside")
        facts.withLock { facts in
            facts.files["\(name).unreadable"] = facts.files[name]
            facts.files[name] = nil
        }
        return "\(name).unreadable"
    }
}

/// Processes that a test starts and ends.
final class ScriptedProcesses: Sendable {
    private let living = Mutex<Set<Int32>>([])

    /// The processes as one of them sees them; it lives until it is ended.
    func process(_ number: Int32) -> ProcessTable {
        living.withLock { _ = $0.insert(number) }
        return ProcessTable(
            current: { ProcessIdentity(process: number, startTime: 7, boot: "boot") },
            isAlive: { other in self.living.withLock { $0.contains(other.process) } })
    }

    func end(_ number: Int32) { living.withLock { _ = $0.remove(number) } }
}

/// A card, its saved levels and the processes on it.
struct MixerBench {
    let card: ScriptedCard
    let storage = MemoryStorage()
    let processes = ScriptedProcesses()

    init(_ card: ScriptedCard = .usual()) { self.card = card }

    /// Opens the card's mixer in a process.
    func mixer(process: Int32 = 1) throws(LinkError) -> Mixer {
        try Mixer(
            card: "hw:1", library: ScriptedLibrary(card), storage: storage, processes: processes.process(process))
    }

    /// A session whose process can be killed: it goes away and restores nothing.
    func session(process: Int32 = 1) throws(LinkError) -> MixerSession {
        try MixerSession(
            card: "hw:1", library: ScriptedLibrary(card), storage: storage, processes: processes.process(process))
    }
}

/// The error of an attempt, or nil.
func linkFailure(_ body: () throws -> Void) -> LinkError? {
    do {
        try body()
        return nil
    } catch {
        return error as? LinkError
    }
}
