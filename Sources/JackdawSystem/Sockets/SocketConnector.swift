import Glibc
package import JackdawTransport

/// Connects sockets and makes links of them.
package struct SocketConnector: Sendable {
    package let loop: EventLoop
    package let failures: SocketFailures
    package let calls: any SocketCalls

    /// - Parameters:
    ///   - loop: watches the links.
    ///   - failures: turns the system's failures into errors.
    ///   - calls: the system calls.
    package init(loop: EventLoop, failures: SocketFailures, calls: any SocketCalls = SystemSocketCalls()) {
        self.loop = loop
        self.failures = failures
        self.calls = calls
    }

    /// Connects to an address.
    /// - Parameters:
    ///   - address: the address to connect to.
    ///   - kind: the kind of socket for the address.
    ///   - options: the options to set before connecting.
    ///   - format: how the socket carries bytes.
    ///   - link: the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError`; `cancelled` if the task is cancelled, after which the kernel ends the attempt.
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

    /// Waits until the connection is made or has failed, or the task is cancelled.
    private func finish(_ descriptor: Int32) async throws(SystemFailure) {
        while !Task.isCancelled {
            let readiness = try await loop.wait(descriptor, for: .writing)
            if let failure = try calls.pendingFailure(descriptor) { throw failure }
            if readiness.isEmpty { continue }
            if try calls.isConnected(descriptor) { return }
            // The connection ended without an error code. Otherwise the wake-up was spurious.
            if readiness.contains(.reading) { throw SystemFailure(code: ENOTCONN) }
        }
    }
}

/// Accepts the connections that others make to a socket.
package final class SocketListener: Sendable {
    /// The local address, as the system reports it.
    package let address: SocketAddress
    private let descriptor: Int32
    private let link: String
    private let loop: EventLoop
    private let calls: any SocketCalls

    /// Connections that may wait to be accepted.
    private static let backlog = Int(SOMAXCONN)
    /// The pause when the system is short of a resource, which returns when another link is closed.
    private static let pause = Duration.milliseconds(100)

    /// Begins to listen.
    /// - Parameters:
    ///   - address: the local address.
    ///   - kind: the kind of socket for the address.
    ///   - options: the options to set before listening.
    ///   - link: the link's name in errors.
    ///   - failures: turns the system's failures into errors.
    ///   - loop: watches the socket.
    ///   - calls: the system calls.
    /// - Throws: `LinkError`; the socket is then closed.
    package init(
        at address: SocketAddress, _ kind: SocketKind, options: [SocketOption], link: String, failures: SocketFailures,
        loop: EventLoop, calls: any SocketCalls = SystemSocketCalls()
    ) throws(LinkError) {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.socket(kind)
        } catch {
            throw failures.noSocket(error, link)
        }
        do throws(SystemFailure) {
            for option in options { try calls.setOption(descriptor, option) }
            try calls.bind(descriptor, to: address)
            try calls.listen(descriptor, backlog: Self.backlog)
            self.address = try calls.address(descriptor)
        } catch {
            calls.close(descriptor)
            throw failures.notConnected(error, link)
        }
        self.descriptor = descriptor
        self.link = link
        self.loop = loop
        self.calls = calls
    }

    deinit { calls.close(descriptor) }

    /// Waits for a connection and accepts it. One task at a time may call it.
    /// - Parameters:
    ///   - clock: measures the pauses for resources of the system.
    ///   - whenShort: called before each such pause; it may free a resource.
    /// - Returns: the connection's descriptor, which the caller owns, and the address of the other side.
    /// - Throws: `LinkError`: `cancelled` if the task is cancelled.
    package func accept(
        clock: any Clock<Duration> = ContinuousClock(), whenShort: (SystemFailure) async -> Void = { _ in }
    ) async throws(LinkError) -> (descriptor: Int32, peer: SocketAddress) {
        // If the process has no free descriptor, the system refuses to accept even if there is no connection.
        var isOneWaiting = false
        while true {
            guard !Task.isCancelled else { throw .cancelled(link) }
            do throws(SystemFailure) {
                do throws(SystemFailure) {
                    if let connection = try take() { return connection }
                    isOneWaiting = false
                } catch {
                    guard error.isShortage, !isOneWaiting else { throw error }
                }
                _ = try await loop.wait(descriptor, for: .reading)
                isOneWaiting = true
            } catch {
                guard error.isShortage else { throw .system(error, link: link, "cannot accept a connection") }
                await whenShort(error)
                try? await clock.sleep(for: Self.pause)
            }
        }
    }

    /// Waits for a connection and makes a link from it; if that fails, waits for the next connection.
    /// - Parameters:
    ///   - whenShort: called before each wait for resources of the system, and if no link can be made.
    ///   - make: makes the link from a descriptor, which it owns, and the address of the other side; returns nil if the
    ///     connection has ended already.
    /// - Returns: the link.
    /// - Throws: `LinkError`: `cancelled` if the task was cancelled.
    package func acceptLink(
        whenShort: (SystemFailure) async -> Void, _ make: (Int32, SocketAddress) throws(SystemFailure) -> SocketLink?
    ) async throws(LinkError) -> SocketLink {
        while true {
            let (descriptor, peer) = try await accept(whenShort: whenShort)
            do throws(SystemFailure) {
                if let link = try make(descriptor, peer) { return link }
            } catch {
                await whenShort(error)
            }
        }
    }

    /// Accepts a connection; nil if there is no pending one.
    private func take() throws(SystemFailure) -> (descriptor: Int32, peer: SocketAddress)? {
        var accepted: Int32?
        do throws(SystemFailure) {
            let descriptor = try calls.accept(descriptor)
            accepted = descriptor
            return (descriptor, try calls.peer(descriptor))
        } catch {
            if let accepted { calls.close(accepted) }
            // The other side may have closed the connection before it was accepted.
            guard [EAGAIN, ECONNABORTED, ENOTCONN].contains(error.code) else { throw error }
            return nil
        }
    }
}
