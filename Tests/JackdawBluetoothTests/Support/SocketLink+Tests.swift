import JackdawSystem
import JackdawTransport

@testable import JackdawBluetooth

extension SocketLink {
    /// A link for tests.
    static func make(
        _ descriptor: Int32, _ loop: EventLoop, _ calls: any SocketCalls, _ format: SocketFormat = .stream
    ) throws -> SocketLink {
        try SocketLink(descriptor, link: LinkName(.rfcomm, "test"), format: format, loop: loop, calls: calls)
    }

    /// Waits until a task waits at the link.
    func waited(_ side: SocketLinkState.Side) async {
        while !state.withLock({ $0.waits(side) }) { await Task.yield() }
    }

    /// Waits until the loop watches for something.
    func watches(_ interest: Readiness) async {
        while state.withLock({ $0.interest }) != interest { await Task.yield() }
    }

    /// What comes next; nil at the end.
    func receive() async throws(LinkError) -> [UInt8]? {
        var bytes: [UInt8] = []
        return try await receive { span in bytes = span.indices.map { span[$0] } } ? bytes : nil
    }

    /// So many bytes, or what there is before the end.
    func receive(_ count: Int) async throws(LinkError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try await receive() { bytes += more }
        return bytes
    }
}

extension ScriptedSocketCalls {
    /// A link, and the device's end of it.
    func link(_ loop: EventLoop, _ format: SocketFormat = .stream) throws -> (SocketLink, SocketPair.Far) {
        let (near, far) = give(packets: format.packetSize != nil)
        return (try .make(near, loop, self, format), far)
    }
}

/// The error that something ends in; nil where it does not.
func linkError(_ body: () async throws -> Void) async -> LinkError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? LinkError
    }
}
