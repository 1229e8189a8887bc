import Glibc
import JackdawSystem
import JackdawTransport
import JackdawTestSupport

/// Plays the system: lines are ends of pairs of sockets, and any call can be made to fail.
final class ScriptedTerminalCalls: TerminalCalls {
    enum Call: Hashable { case open, lock, makeRaw, discardInput, openMaster, unlock }

    private struct State {
        var faults: [Call: Int32] = [:]
        var log: [Call] = []
        var fars: [SocketPair.Far] = []
    }

    private let state = Lock(State())
    /// What is open, and how bytes go.
    let sockets = ScriptedSocketCalls()

    /// Lets a call fail each time.
    func fail(_ call: Call, _ code: Int32) { state.withLock { $0.faults[call] = code } }

    /// The calls that were made.
    var log: [Call] { state.withLock { $0.log } }

    private func script(_ call: Call) throws(SystemFailure) {
        let code = state.withLock { state in
            state.log.append(call)
            return state.faults[call]
        }
        if let code { throw SystemFailure(code: code) }
    }

    private func give() -> Int32 {
        let (near, far) = sockets.give()
        state.withLock { $0.fars.append(far) }
        return near
    }

    func open(_ path: String) throws(SystemFailure) -> Int32 {
        try script(.open)
        return give()
    }

    func lock(_ descriptor: Int32) throws(SystemFailure) { try script(.lock) }
    func makeRaw(_ descriptor: Int32) throws(SystemFailure) { try script(.makeRaw) }
    func discardInput(_ descriptor: Int32) throws(SystemFailure) { try script(.discardInput) }

    func openMaster() throws(SystemFailure) -> Int32 {
        try script(.openMaster)
        return give()
    }

    func unlock(_ master: Int32) throws(SystemFailure) -> String {
        try script(.unlock)
        return "/dev/pts/0"
    }

    func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure) -> Int {
        try sockets.receive(descriptor, into: &bytes, room)
    }

    func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool { try sockets.hasEnded(descriptor) }
    func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        try sockets.send(descriptor, bytes)
    }
    func endSending(_ descriptor: Int32) throws(SystemFailure) { try sockets.endSending(descriptor) }
    func close(_ descriptor: Int32) { sockets.close(descriptor) }
}
