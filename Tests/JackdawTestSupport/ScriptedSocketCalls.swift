import Glibc
package import JackdawSystem
import JackdawTransport

/// Plays the system: sockets are ends of pairs whose other ends the test has, and any call can be made to fail.
package final class ScriptedSocketCalls: SocketCalls {
    package enum Call: Hashable, CaseIterable {
        case socket, setOption, connect, pendingFailure, isConnected, peer, address, bind, listen, accept
        case receive, hasEnded, send, endSending
    }

    private struct State {
        var faults: [Call: [Int32]] = [:]
        var limits: [Call: Int] = [:]
        var counts: [Call: Int] = [:]
        var open: Set<Int32> = []
        var made: [SocketPair.Far] = []
        var addresses: [SocketAddress] = []
        var options: [SocketOption] = []
        var waiting: [Int32] = []
        var wasClosedTwice = false
        var onSocket: (@Sendable (SocketKind, SocketPair) -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Lock(State())
    private let system = SystemSocketCalls()
    private let own: SocketAddress
    private let other: SocketAddress

    /// - Parameters:
    ///   - own: the address that each socket has.
    ///   - other: the address of each one's other side.
    package init(own: SocketAddress = SocketAddress(bytes: []), other: SocketAddress = SocketAddress(bytes: [])) {
        self.own = own
        self.other = other
    }

    /// Lets the next calls fail with these codes, one after the other; 0 lets one through.
    package func fail(_ call: Call, _ codes: Int32...) { state.withLock { $0.faults[call, default: []] += codes } }

    /// Lets each call take so many bytes at most.
    package func limit(_ call: Call, to count: Int) { state.withLock { $0.limits[call] = count } }

    /// Is called for each socket that is made.
    package func onSocket(_ body: @escaping @Sendable (SocketKind, SocketPair) -> Void) {
        state.withLock { $0.onSocket = body }
    }

    /// Is called where a descriptor is closed, before it is.
    package func onClose(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.onClose = body } }

    /// How often a call was made.
    package func count(_ call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    /// Descriptors that were given out and not closed.
    package var openCount: Int { state.withLock { $0.open.count } }

    /// Whether a descriptor was closed that was not open.
    package var wasClosedTwice: Bool { state.withLock { $0.wasClosedTwice } }

    /// The far ends of the sockets that were made, in their order.
    package var made: [SocketPair.Far] { state.withLock { $0.made } }

    /// Where sockets were connected to.
    package var addresses: [SocketAddress] { state.withLock { $0.addresses } }

    /// The options that were set.
    package var options: [SocketOption] { state.withLock { $0.options } }

    /// An end of a pair as if the system had given it out.
    package func give(packets: Bool = false) -> (Int32, SocketPair.Far) {
        let pair = SocketPair(packets: packets)
        state.withLock { _ = $0.open.insert(pair.near) }
        return (pair.near, pair.far)
    }

    /// Another machine that connects to the one socket that listens.
    package func arrive() -> SocketPair.Far {
        let (near, far) = give()
        let listening = state.withLock { state in
            state.waiting.append(near)
            return state.made.last
        }
        listening?.send([1])
        return far
    }

    /// A connection to the one socket that listens that cannot be watched, as if the system was
    /// short of what that takes.
    package func arriveUnwatchable() {
        let listening = state.withLock { state in
            // The kernel refuses to watch it (EPERM).
            let descriptor = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
            state.open.insert(descriptor)
            state.waiting.append(descriptor)
            return state.made.last
        }
        listening?.send([1])
    }

    private func script(_ call: Call) throws(SystemFailure) {
        let code = state.withLock { state -> Int32 in
            state.counts[call, default: 0] += 1
            guard var faults = state.faults[call], !faults.isEmpty else { return 0 }
            defer { state.faults[call] = faults }
            return faults.removeFirst()
        }
        if code != 0 { throw SystemFailure(code: code) }
    }

    package func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32 {
        try script(.socket)
        let pair = SocketPair(packets: kind.type == Int32(SOCK_SEQPACKET.rawValue))
        let onSocket = state.withLock { state in
            state.open.insert(pair.near)
            state.made.append(pair.far)
            return state.onSocket
        }
        onSocket?(kind, pair)
        return pair.near
    }

    package func setOption(_ descriptor: Int32, _ option: SocketOption) throws(SystemFailure) {
        state.withLock { $0.options.append(option) }
        try script(.setOption)
    }

    package func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        state.withLock { $0.addresses.append(address) }
        try script(.connect)
    }

    package func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure? {
        do throws(SystemFailure) {
            try script(.pendingFailure)
            return nil
        } catch {
            return error
        }
    }

    package func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            try script(.isConnected)
            return true
        } catch {
            guard error.code == ENOTCONN else { throw error }
            return false
        }
    }

    package func peer(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress {
        try script(.peer)
        return other
    }

    package func address(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress {
        try script(.address)
        return own
    }

    package func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        state.withLock { $0.addresses.append(address) }
        try script(.bind)
    }

    package func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure) { try script(.listen) }

    package func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32 {
        try script(.accept)
        let next = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        guard let next else { throw SystemFailure(code: EAGAIN) }
        var bell: [UInt8] = [0]
        _ = try system.receive(descriptor, into: &bell, 0..<1)
        return next
    }

    package func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure)
        -> Int
    {
        try script(.receive)
        let limit = state.withLock { $0.limits[.receive] } ?? room.count
        return try system.receive(descriptor, into: &bytes, room.prefix(limit))
    }

    package func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        try script(.hasEnded)
        return try system.hasEnded(descriptor)
    }

    package func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        try script(.send)
        let limit = state.withLock { $0.limits[.send] } ?? bytes.count
        return try system.send(descriptor, bytes.extracting(first: limit))
    }

    package func endSending(_ descriptor: Int32) throws(SystemFailure) {
        try script(.endSending)
        try system.endSending(descriptor)
    }

    package func close(_ descriptor: Int32) {
        state.withLock { $0.onClose }?()
        state.withLock { state in
            guard state.open.remove(descriptor) == nil else { return }
            state.wasClosedTwice = true
        }
        system.close(descriptor)
    }
}
