package import JackdawSystem
package import JackdawTransport

extension SocketLink {
    /// A link for tests.
    package static func make(
        _ descriptor: Int32, _ loop: EventLoop, _ calls: any SocketCalls, _ format: SocketFormat = .stream
    ) throws -> SocketLink {
        try SocketLink(
            descriptor, link: LinkName(.rfcomm, "test"), format: format, failures: .plain, loop: loop, calls: calls)
    }

    /// Waits until a task waits at the link.
    package func waited(_ side: SocketLinkState.Side) async {
        while !state.withLock({ $0.waits(side) }) { await Task.yield() }
    }

    /// Waits until the loop watches for something.
    package func watches(_ interest: Readiness) async {
        while state.withLock({ $0.interest }) != interest { await Task.yield() }
    }

    /// What comes next; nil at the end.
    package func receive() async throws(LinkError) -> [UInt8]? {
        var bytes: [UInt8] = []
        return try await receive { span in bytes = span.indices.map { span[$0] } } ? bytes : nil
    }

    /// So many bytes, or what there is before the end.
    package func receive(_ count: Int) async throws(LinkError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, let more = try await receive() { bytes += more }
        return bytes
    }
}

extension SocketFailures {
    /// Those of no kind of link in particular.
    package static let plain = SocketFailures(
        noSocket: { .system($0, link: $1, "no socket") }, notConnected: { .system($0, link: $1, "not connected") },
        lost: { LinkError(.disconnected, link: $1, "lost", underlying: $0.message, undelivered: $2) })
}

extension ScriptedSocketCalls {
    /// A link, and the device's end of it.
    package func link(_ loop: EventLoop, _ format: SocketFormat = .stream) throws -> (SocketLink, SocketPair.Far) {
        let (near, far) = give(packets: format.packetSize != nil)
        return (try .make(near, loop, self, format), far)
    }
}

/// The error that something ends in; nil where it does not.
package func linkError(_ body: () async throws -> Void) async -> LinkError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? LinkError
    }
}
