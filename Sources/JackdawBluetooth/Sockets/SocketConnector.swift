import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// Connects sockets to devices.
struct SocketConnector: Sendable {
    let loop: EventLoop
    var calls: any SocketCalls = SystemSocketCalls()

    /// Connects.
    /// - Parameters:
    ///   - address: where to.
    ///   - link: the link's name.
    ///   - security: what the link needs.
    /// - Returns: the link.
    /// - Throws: `LinkError`; `cancelled` where the task is, and the kernel ends what it had begun.
    func connect(
        to address: SocketAddress, link: LinkName, security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.socket(address.kind)
        } catch {
            throw .noSocket(error, link: link.description)
        }
        do throws(LinkError) {
            try await connect(descriptor, to: address, link: link.description, security)
        } catch {
            calls.close(descriptor)
            throw error
        }
        return try SocketLink(descriptor, link: link, format: address.format, loop: loop, calls: calls)
    }

    /// Makes a link of a connected socket that carries a stream.
    /// - Parameters:
    ///   - descriptor: the socket, which is the link's from now on, and closed where this fails.
    ///   - link: the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`system`) where it is no connected socket, or cannot be watched.
    func adopt(_ descriptor: Int32, link: LinkName) throws(LinkError) -> SocketLink {
        let format: SocketFormat
        do throws(SystemFailure) {
            guard try calls.isConnected(descriptor) else { throw SystemFailure(code: ENOTCONN) }
            guard try Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
                throw SystemFailure(code: ESOCKTNOSUPPORT)
            }
            let isRFCOMM = try Self.option(SO_DOMAIN, of: descriptor) == AF_BLUETOOTH
            format = isRFCOMM ? .rfcomm : .stream
            let flags = fcntl(descriptor, F_GETFL, 0)
            guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else { throw SystemFailure.last }
        } catch {
            if error.code != EBADF { calls.close(descriptor) }
            throw .system(error, link: link.description, "descriptor \(descriptor) is no connected stream socket")
        }
        return try SocketLink(descriptor, link: link, format: format, loop: loop, calls: calls)
    }

    private static func option(_ name: Int32, of descriptor: Int32) throws(SystemFailure) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 else { throw .last }
        return value
    }

    private func connect(
        _ descriptor: Int32, to address: SocketAddress, link: String, _ security: LinkSecurity
    ) async throws(LinkError) {
        do throws(SystemFailure) {
            try calls.setSecurity(descriptor, security)
            do throws(SystemFailure) {
                try calls.connect(descriptor, to: address)
            } catch {
                guard error.code == EINPROGRESS else { throw error }
                try await finish(descriptor)
            }
        } catch {
            throw .notConnected(error, link: link)
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

extension SocketAddress {
    /// How bytes go through a socket that is connected to it.
    var format: SocketFormat {
        switch self {
        case .rfcomm: .rfcomm
        // What the kernel lets the other side send where nothing else was agreed on (`L2CAP_DEFAULT_MTU`).
        case .l2cap: .packets(size: 672)
        }
    }
}
