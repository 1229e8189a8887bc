internal import CBlueZ
import Glibc
internal import JackdawSystem
internal import JackdawTransport

extension SocketConnector {
    /// Creates a connector for Bluetooth sockets.
    init(loop: EventLoop, calls: any SocketCalls = SystemSocketCalls()) {
        self.init(loop: loop, failures: .bluetooth, calls: calls)
    }

    /// Connects to an RFCOMM channel of a device.
    func connect(
        to device: BluetoothAddress, channel: UInt8, link: LinkName, security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        try await connect(
            to: .rfcomm(device, channel: channel), .rfcomm, options: [.security(security)], format: .indivisible,
            link: link)
    }

    /// Connects to an L2CAP service of a device.
    func connect(
        to device: BluetoothAddress, service: UInt16, link: LinkName, security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        // The packet size that the kernel allows the other side if no other was negotiated (`L2CAP_DEFAULT_MTU`).
        try await connect(
            to: .l2cap(device, service: service), .l2cap, options: [.security(security)], format: .packets(size: 672),
            link: link)
    }

    /// Creates a link from a connected stream socket.
    /// - Parameters:
    ///   - descriptor: the socket, owned by the link from now on, and closed if this fails.
    ///   - link: the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`system`) if it is not a connected stream socket, or cannot be watched.
    func adopt(_ descriptor: Int32, link: LinkName) throws(LinkError) -> SocketLink {
        do throws(SystemFailure) {
            return try watch(descriptor, link: link)
        } catch {
            throw .system(error, link: link.description, "descriptor \(descriptor) is not a connected stream socket")
        }
    }

    /// Creates a link from a connected stream socket as ``adopt(_:link:)`` does, but throws the system's failure.
    /// - Throws: `SystemFailure` with the system's code: `ENOTCONN` or `EBADF` if the other side has disconnected.
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

extension LinkError {
    /// The error of a connected link that was lost.
    static func lost(_ failure: SystemFailure, link: String, undelivered: Int) -> LinkError {
        let (message, remedy): (String, String?) =
            switch failure.code {
            case ECONNRESET: ("the device reset the link", "check that it is switched on, and connect again")
            case EPIPE, ENOTCONN: ("the link has ended", "connect again")
            case ETIMEDOUT, EHOSTDOWN: ("the device no longer answers", "bring it nearer, and connect again")
            case ECONNABORTED: ("this computer ended the link", "check that its Bluetooth is on, and connect again")
            case ENETDOWN, ENODEV: ("this computer's Bluetooth was switched off", "bluetoothctl power on")
            default: ("the link was lost", "connect again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.message, undelivered: undelivered)
    }

    /// The error of a socket that could not be created. The kernel refuses a Bluetooth socket if it has no Bluetooth,
    /// outside the host's network namespace, and if the restrictions of a service or a container exclude it.
    static func noSocket(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
                (
                    .unsupported, "this kernel has no Bluetooth sockets, or none for this program",
                    "sudo modprobe rfcomm, or \(throughBluetoothd)"
                )
            case EPERM, EACCES: (.notPermitted, "this program may not use Bluetooth sockets", throughBluetoothd)
            default: (.system, "no socket can be created", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    private static let throughBluetoothd = "use bluetoothd instead: jackdaw listen --route bluetoothd"

    /// The error of a connection that failed. The kernel translates the controller's error (`bt_to_errno`).
    static func notConnected(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case ECONNREFUSED:
                (.refused, "the device offers no service there", "find the channel that it offers, or pair with it")
            case EHOSTDOWN: (.outOfRange, "the device does not answer", "switch it on, and bring it nearer")
            case ETIMEDOUT: (.timedOut, "the device stopped answering", "bring it nearer, and try again")
            case EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENODEV, EADDRNOTAVAIL:
                (.adapterOff, "this computer's Bluetooth is off, or it has none", "bluetoothctl power on")
            case EPERM: (.notPermitted, "this program may not use Bluetooth sockets", throughBluetoothd)
            case EACCES:
                (.rejected, "the authentication of the device failed", "pair with it again: jackdaw pair")
            case EBADE:
                (
                    .pairedElsewhere, "the device or this computer has lost its key",
                    "remove the pairing on both, and pair again: jackdaw pair"
                )
            case ELOOP: (.rejected, "the device refuses repeated attempts", "wait a minute, and pair with it again")
            case EBUSY, EALREADY, EADDRINUSE, EMLINK:
                (.busy, "the channel or the adapter is in use", "end the program that uses the device")
            case ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE:
                (.disconnected, "the link was lost before it was established", "try again")
            // EPROTONOSUPPORT means that the device lacks a feature.
            case EOPNOTSUPP, EPROTONOSUPPORT: (.unsupported, "the device and this computer share no protocol", nil)
            default: (.system, "cannot be connected", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }
}

extension SocketFailures {
    /// Maps failures of Bluetooth sockets to link errors.
    static let bluetooth = SocketFailures(
        noSocket: { .noSocket($0, link: $1) }, notConnected: { .notConnected($0, link: $1) },
        lost: { .lost($0, link: $1, undelivered: $2) })
}
