import Glibc
package import JackdawTransport

/// Connects sockets.
package struct SocketConnector: Sendable {
    package let loop: EventLoop
    package let failures: SocketFailures
    package let calls: any SocketCalls

    /// - Parameters:
    ///   - loop: watches the links.
    ///   - failures: what the system's failures mean.
    ///   - calls: the system's.
    package init(loop: EventLoop, failures: SocketFailures, calls: any SocketCalls = SystemSocketCalls()) {
        self.loop = loop
        self.failures = failures
        self.calls = calls
    }

    /// Connects.
    /// - Parameters:
    ///   - address: where to.
    ///   - kind: the kind of socket that it takes.
    ///   - options: what is set before anything is connected.
    ///   - format: how bytes go through it.
    ///   - link: the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError`; `cancelled` where the task is, and the kernel ends what it had begun.
    package func connect(
        to address: SocketAddress, _ kind: SocketKind, options: [SocketOption], format: SocketFormat, link: LinkName
    ) async throws(LinkError) -> SocketLink {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.socket(kind)
        } catch {
            throw failures.noSocket(error, link.description)
        }
        do throws(LinkError) {
            try await connect(descriptor, to: address, options, link: link.description)
        } catch {
            calls.close(descriptor)
            throw error
        }
        return try SocketLink(descriptor, link: link, format: format, failures: failures, loop: loop, calls: calls)
    }

    private func connect(
        _ descriptor: Int32, to address: SocketAddress, _ options: [SocketOption], link: String
    ) async throws(LinkError) {
        do throws(SystemFailure) {
            for option in options { try calls.setOption(descriptor, option) }
            do throws(SystemFailure) {
                try calls.connect(descriptor, to: address)
            } catch {
                guard error.code == EINPROGRESS else { throw error }
                try await finish(descriptor)
            }
        } catch {
            throw failures.notConnected(error, link)
        }
        guard !Task.isCancelled else { throw .cancelled(link) }
    }

    /// Waits until it is known how connecting went, or the task is cancelled.
    private func finish(_ descriptor: Int32) async throws(SystemFailure) {
        while !Task.isCancelled {
            let readiness = try await loop.wait(descriptor, for: .writing)
            if let failure = try calls.pendingFailure(descriptor) { throw failure }
            if readiness.isEmpty { continue }
            if try calls.isConnected(descriptor) { return }
            // It has ended and does not say why. Otherwise it was woken for nothing.
            if readiness.contains(.reading) { throw SystemFailure(code: ENOTCONN) }
        }
    }
}
