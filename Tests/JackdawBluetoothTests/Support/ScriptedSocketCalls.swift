import Glibc
import JackdawSystem

@testable import JackdawBluetooth

/// Plays the system: sockets are ends of pairs whose other ends the test has, and any call can be made to fail.
final class ScriptedSocketCalls: SocketCalls {
    enum Call: Hashable, CaseIterable {
        case socket, setSecurity, connect, pendingFailure, isConnected, peer, channel, bind, listen, accept
        case receive, hasEnded, send, endSending
    }

    private struct State {
        var faults: [Call: [Int32]] = [:]
        var limits: [Call: Int] = [:]
        var counts: [Call: Int] = [:]
        var open: Set<Int32> = []
        var made: [SocketPair.Far] = []
        var addresses: [SocketAddress] = []
        var waiting: [Int32] = []
        var wasClosedTwice = false
        var onSocket: (@Sendable (SocketKind, SocketPair) -> Void)?
    }

    private let state = SystemLock(State())
    private let system = SystemSocketCalls()
    let device = BluetoothAddress(bytes: [0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5])

    /// Lets the next calls fail with these codes, one after the other; 0 lets one through.
    func fail(_ call: Call, _ codes: Int32...) { state.withLock { $0.faults[call, default: []] += codes } }

    /// Lets each call take so many bytes at most.
    func limit(_ call: Call, to count: Int) { state.withLock { $0.limits[call] = count } }

    /// Is called for each socket that is made.
    func onSocket(_ body: @escaping @Sendable (SocketKind, SocketPair) -> Void) {
        state.withLock { $0.onSocket = body }
    }

    /// How often a call was made.
    func count(_ call: Call) -> Int { state.withLock { $0.counts[call, default: 0] } }

    /// Descriptors that were given out and not closed.
    var openCount: Int { state.withLock { $0.open.count } }

    /// Whether a descriptor was closed that was not open.
    var wasClosedTwice: Bool { state.withLock { $0.wasClosedTwice } }

    /// The far ends of the sockets that were made, in their order.
    var made: [SocketPair.Far] { state.withLock { $0.made } }

    /// Where sockets were connected to.
    var addresses: [SocketAddress] { state.withLock { $0.addresses } }

    /// An end of a pair as if the system had given it out.
    func give(packets: Bool = false) -> (Int32, SocketPair.Far) {
        let pair = SocketPair(packets: packets)
        state.withLock { _ = $0.open.insert(pair.near) }
        return (pair.near, pair.far)
    }

    /// Another machine that connects to the one socket that listens.
    func arrive() -> SocketPair.Far {
        let (near, far) = give()
        let listening = state.withLock { state in
            state.waiting.append(near)
            return state.made.last
        }
        listening?.send([1])
        return far
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

    func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32 {
        try script(.socket)
        let pair = SocketPair(packets: kind == .l2cap)
        let onSocket = state.withLock { state in
            state.open.insert(pair.near)
            state.made.append(pair.far)
            return state.onSocket
        }
        onSocket?(kind, pair)
        return pair.near
    }

    func setSecurity(_ descriptor: Int32, _ level: LinkSecurity) throws(SystemFailure) { try script(.setSecurity) }

    func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        state.withLock { $0.addresses.append(address) }
        try script(.connect)
    }

    func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure? {
        do throws(SystemFailure) {
            try script(.pendingFailure)
            return nil
        } catch {
            return error
        }
    }

    func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            try script(.isConnected)
            return true
        } catch {
            guard error.code == ENOTCONN else { throw error }
            return false
        }
    }

    func peer(_ descriptor: Int32) throws(SystemFailure) -> BluetoothAddress {
        try script(.peer)
        return device
    }

    func channel(_ descriptor: Int32) throws(SystemFailure) -> UInt8 {
        try script(.channel)
        return 7
    }

    func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        state.withLock { $0.addresses.append(address) }
        try script(.bind)
    }

    func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure) { try script(.listen) }

    func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32 {
        try script(.accept)
        let next = state.withLock { state in state.waiting.isEmpty ? nil : state.waiting.removeFirst() }
        guard let next else { throw SystemFailure(code: EAGAIN) }
        var bell: [UInt8] = [0]
        _ = try system.receive(descriptor, into: &bell, 0..<1)
        return next
    }

    func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure) -> Int {
        try script(.receive)
        let limit = state.withLock { $0.limits[.receive] } ?? room.count
        return try system.receive(descriptor, into: &bytes, room.prefix(limit))
    }

    func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        try script(.hasEnded)
        return try system.hasEnded(descriptor)
    }

    func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        try script(.send)
        let limit = state.withLock { $0.limits[.send] } ?? bytes.count
        return try system.send(descriptor, bytes.extracting(first: limit))
    }

    func endSending(_ descriptor: Int32) throws(SystemFailure) {
        try script(.endSending)
        try system.endSending(descriptor)
    }

    func close(_ descriptor: Int32) {
        state.withLock { state in
            guard state.open.remove(descriptor) == nil else { return }
            state.wasClosedTwice = true
        }
        system.close(descriptor)
    }
}
