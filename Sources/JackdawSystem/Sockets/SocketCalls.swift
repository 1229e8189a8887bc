internal import CLinux
import Glibc
package import JackdawTransport

/// The system's calls for sockets, one method per call, so that tests can simulate the system.
package protocol SocketCalls: StreamCalls {
    /// Makes a socket. The corresponding C function is `socket`.
    func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32

    /// Sets an option. The corresponding C function is `setsockopt`.
    func setOption(_ descriptor: Int32, _ option: SocketOption) throws(SystemFailure)

    /// Begins to connect; `EINPROGRESS` means that the attempt goes on. The corresponding C function is `connect`.
    func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// Returns and clears the pending error of a socket; nil if it has no error. The corresponding C function is
    /// `getsockopt` with `SO_ERROR`.
    func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure?

    /// Whether a socket is connected. The corresponding C function is `getpeername`.
    func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool

    /// The address of a socket's other side. The corresponding C function is `getpeername`.
    func peer(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress

    /// The address of a socket's own side. The corresponding C function is `getsockname`.
    func address(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress

    /// Binds a socket to a local address. The corresponding C function is `bind`.
    func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// Begins to accept connections. The corresponding C function is `listen`.
    func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure)

    /// Accepts a pending connection. The corresponding C function is `accept4`.
    func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32
}

/// The system's calls for a connected descriptor, one method per call, so that tests can simulate the system.
/// Descriptors never block; a call that a signal interrupts is repeated.
package protocol StreamCalls: Sendable {
    /// Receives the bytes that have arrived. The corresponding C function is `recv`.
    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - bytes: the buffer to write into.
    ///   - room: the range of the buffer for the received bytes.
    /// - Returns: number of bytes; 0 if the other side has ended, and for an empty packet.
    /// - Throws: ``SystemFailure``: `EAGAIN` if no bytes have arrived.
    func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure) -> Int

    /// Whether the other side has ended and all that it sent was received. The corresponding C functions are `poll` and
    /// `ioctl` with `FIONREAD`.
    func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool

    /// Sends as many bytes as the system accepts. The corresponding C function is `send`, without the signal for a side
    /// that has ended (`MSG_NOSIGNAL`).
    /// - Returns: number of bytes.
    func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int

    /// Ends this side's direction. The corresponding C function is `shutdown` with `SHUT_WR`.
    func endSending(_ descriptor: Int32) throws(SystemFailure)

    /// Closes a descriptor, and ignores errors. The corresponding C function is `close`.
    func close(_ descriptor: Int32)
}

/// The calls of the system itself.
package struct SystemSocketCalls: SocketCalls {
    package init() {}

    package func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32 {
        try retrying { jackdaw_socket(kind.domain, kind.type, kind.protocolNumber) }
    }

    package func setOption(_ descriptor: Int32, _ option: SocketOption) throws(SystemFailure) {
        _ = try retrying {
            unsafe setsockopt(descriptor, option.level, option.name, option.value, socklen_t(option.value.count))
        }
    }

    package func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        do throws(SystemFailure) {
            try unsafe with(address) { unsafe Glibc.connect(descriptor, $0, $1) }
        } catch {
            // If a signal interrupted the first call, the connection attempt went on.
            throw error.code == EALREADY ? SystemFailure(code: EINPROGRESS) : error
        }
    }

    package func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure? {
        var code: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        _ = try retrying { unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) }
        return code == 0 ? nil : SystemFailure(code: code)
    }

    package func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        do throws(SystemFailure) {
            _ = try peer(descriptor)
            return true
        } catch {
            guard error.code == ENOTCONN else { throw error }
            return false
        }
    }

    package func peer(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress {
        try unsafe address { unsafe getpeername(descriptor, $0, $1) }
    }

    package func address(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress {
        try unsafe address { unsafe getsockname(descriptor, $0, $1) }
    }

    package func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure) {
        try unsafe with(address) { unsafe Glibc.bind(descriptor, $0, $1) }
    }

    package func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure) {
        _ = try retrying { Glibc.listen(descriptor, Int32(clamping: backlog)) }
    }

    package func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32 {
        try checkReserve(descriptor)
        return try retrying { jackdaw_accept(descriptor) }
    }

    /// Descriptors that connections leave free: those of libdispatch and a margin of three.
    private static let reserve = rlim_t(DispatchDescriptors.count + 3)

    /// Checks that another descriptor leaves the reserve free. The system assigns the lowest free number.
    /// - Parameter descriptor: any open descriptor.
    /// - Throws: ``SystemFailure``: `EMFILE` if it does not.
    private func checkReserve(_ descriptor: Int32) throws(SystemFailure) {
        var limit = rlimit()
        _ = try retrying { unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
        let next = try retrying { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }
        close(next)
        guard rlim_t(next) + Self.reserve < limit.rlim_cur else { throw SystemFailure(code: EMFILE) }
    }

    package func receive(
        _ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>
    ) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeMutableBytes { all in
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: all[room])
            return retried { unsafe recv(descriptor, room.baseAddress, room.count, 0) }
        }
        guard result >= 0 else { throw .last }
        return result
    }

    package func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool {
        var entry = pollfd(fd: descriptor, events: Self.hangUp, revents: 0)
        _ = try retrying { unsafe poll(&entry, 1, 0) }
        guard entry.revents != 0 else { return false }
        var waiting: Int32 = 0
        _ = try retrying { unsafe ioctl(descriptor, UInt(FIONREAD), &waiting) }
        return waiting == 0
    }

    package func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int {
        let result = unsafe bytes.withUnsafeBytes { buffer in
            retried { unsafe Glibc.send(descriptor, buffer.baseAddress, buffer.count, Self.noSignal) }
        }
        guard result >= 0 else { throw .last }
        return result
    }

    package func endSending(_ descriptor: Int32) throws(SystemFailure) {
        _ = try retrying { shutdown(descriptor, Int32(SHUT_WR)) }
    }

    package func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// `POLLRDHUP`, which Glibc's header hides from Swift.
    private static let hangUp: Int16 = 0x2000
    private static let noSignal = Int32(MSG_NOSIGNAL)

    private func with(
        _ address: SocketAddress, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemFailure) {
        // The copy is aligned as the system requires.
        let result = unsafe withUnsafeTemporaryAllocation(of: sockaddr_storage.self, capacity: 1) { storage in
            let bytes = UnsafeMutableRawBufferPointer(storage)
            let count = min(bytes.count, address.bytes.count)
            unsafe bytes.copyBytes(from: address.bytes.prefix(count))
            let pointer = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return retried { unsafe call(pointer, socklen_t(count)) }
        }
        guard result >= 0 else { throw .last }
    }

    private func address(
        _ call: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemFailure) -> SocketAddress {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let result = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
            let pointer = unsafe bytes.baseAddress!.assumingMemoryBound(to: sockaddr.self)
            return retried { unsafe call(pointer, &size) }
        }
        guard result >= 0 else { throw .last }
        return SocketAddress(bytes: unsafe withUnsafeBytes(of: storage) { unsafe Array($0.prefix(Int(size))) })
    }
}

/// Turns the system's failures into errors of one kind of link; each closure takes the link's name.
package struct SocketFailures: Sendable {
    /// The socket could not be created.
    package let noSocket: @Sendable (_ failure: SystemFailure, _ link: String) -> LinkError
    /// A connection could not be made, or the socket cannot accept connections.
    package let notConnected: @Sendable (_ failure: SystemFailure, _ link: String) -> LinkError
    /// A connected link broke, with `undelivered` bytes not sent.
    package let lost: @Sendable (_ failure: SystemFailure, _ link: String, _ undelivered: Int) -> LinkError

    package init(
        noSocket: @escaping @Sendable (SystemFailure, String) -> LinkError,
        notConnected: @escaping @Sendable (SystemFailure, String) -> LinkError,
        lost: @escaping @Sendable (SystemFailure, String, Int) -> LinkError
    ) {
        self.noSocket = noSocket
        self.notConnected = notConnected
        self.lost = lost
    }
}

extension LinkError {
    /// The caller cancelled the operation.
    package static func cancelled(_ link: String, undelivered: Int = 0) -> LinkError {
        LinkError(.cancelled, link: link, "cancelled", undelivered: undelivered)
    }

    /// This side closed the link.
    package static func closed(_ link: String, undelivered: Int = 0) -> LinkError {
        LinkError(.disconnected, link: link, "closed", undelivered: undelivered)
    }

    /// A failure of the system that does not concern the device.
    package static func system(_ failure: SystemFailure, link: String, _ message: String) -> LinkError {
        LinkError(.system, link: link, message, underlying: failure.message)
    }
}
