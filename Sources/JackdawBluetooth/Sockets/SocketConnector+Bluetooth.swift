internal import CBlueZ
import Glibc
internal import JackdawSystem
internal import JackdawTransport

extension SocketConnector {
    /// Connects Bluetooth's sockets.
    init(loop: EventLoop, calls: any SocketCalls = SystemSocketCalls()) {
        self.init(loop: loop, failures: .bluetooth, calls: calls)
    }

    /// Connects to a channel of a device over RFCOMM.
    func connect(
        to device: BluetoothAddress, channel: UInt8, link: LinkName, security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        try await connect(
            to: .rfcomm(device, channel: channel), .rfcomm, options: [.security(security)], format: .indivisible,
            link: link)
    }

    /// Connects to a service of a device over L2CAP.
    func connect(
        to device: BluetoothAddress, service: UInt16, link: LinkName, security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        // What the kernel lets the other side send where nothing else was agreed on (`L2CAP_DEFAULT_MTU`).
        try await connect(
            to: .l2cap(device, service: service), .l2cap, options: [.security(security)], format: .packets(size: 672),
            link: link)
    }

    /// Makes a link of a connected socket that carries a stream.
    /// - Parameters:
    ///   - descriptor: the socket, which is the link's from now on, and closed where this fails.
    ///   - link: the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`system`) where it is no connected socket, or cannot be watched.
    func adopt(_ descriptor: Int32, link: LinkName) throws(LinkError) -> SocketLink {
        do throws(SystemFailure) {
            return try watch(descriptor, link: link)
        } catch {
            throw .system(error, link: link.description, "descriptor \(descriptor) is no connected stream socket")
        }
    }

    /// The same.
    /// - Throws: what the system reports: `ENOTCONN` or `EBADF` if the other side has gone.
    func watch(_ descriptor: Int32, link: LinkName) throws(SystemFailure) -> SocketLink {
        let format: SocketFormat
        do throws(SystemFailure) {
            guard try calls.isConnected(descriptor) else { throw SystemFailure(code: ENOTCONN) }
            guard try Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
                throw SystemFailure(code: ESOCKTNOSUPPORT)
            }
            let isRFCOMM = try Self.option(SO_DOMAIN, of: descriptor) == AF_BLUETOOTH
            format = isRFCOMM ? .indivisible : .stream
            let flags = fcntl(descriptor, F_GETFL, 0)
            guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
                fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
            else { throw SystemFailure.last }
        } catch {
            if error.code != EBADF { calls.close(descriptor) }
            throw error
        }
        return try SocketLink(
            watching: descriptor, link: link, format: format, failures: failures, loop: loop, calls: calls)
    }

    private static func option(_ name: Int32, of descriptor: Int32) throws(SystemFailure) -> Int32 {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 else { throw .last }
        return value
    }
}
