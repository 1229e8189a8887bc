import Synchronization

@testable import JackdawALSA
import JackdawSystem

/// What libasound would say of devices.
struct ScriptedDevices: DeviceCalls {
    var abilities: [String: PCMAbilities] = [:]
    /// What opening a device fails with.
    var failures: [String: Int32] = [:]
    var names: [PCMHint] = []
    let log = Log()

    final class Log: Sendable {
        private let names = Mutex<[String]>([])

        var opened: [String] { names.withLock(\.self) }

        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    func abilities(of name: String, _ direction: PCMDirection) throws(SystemFailure) -> PCMAbilities? {
        log.add("\(name) \(direction)")
        if let code = failures[name] { throw SystemFailure(code: code) }
        return abilities[name]
    }

    func hints() -> [PCMHint] { names }
}
