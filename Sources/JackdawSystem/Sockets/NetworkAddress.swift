internal import CLinux
import Glibc
internal import JackdawTransport

extension SocketAddress {
    /// The kind of stream socket that connects to a network address; nil for an address of another family.
    package var streamKind: SocketKind? {
        guard let family, family == AF_INET || family == AF_INET6 else { return nil }
        return SocketKind(domain: family, type: Int32(SOCK_STREAM.rawValue), protocolNumber: Int32(IPPROTO_TCP))
    }

    /// Whether only programs of this computer can connect to the address.
    package var isLoopback: Bool {
        if family == AF_INET, let address = self.as(sockaddr_in.self) {
            return UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127
        }
        // In `sockaddr_in6`, the address follows the family, the port and the flow label.
        guard family == AF_INET6, bytes.count >= 24 else { return false }
        let host = Array(bytes[8..<24])
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127]
        return host == [UInt8](repeating: 0, count: 15) + [1] || host.starts(with: mapped)
    }

    /// The host's numeric address, and the port; nil if this is not a network address.
    package var network: (host: String, port: UInt16)? {
        guard streamKind != nil else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe getnameinfo(
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count), &host,
                socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0, let number = UInt16(Self.text(port)) else { return nil }
        return (Self.text(host), number)
    }

    private var family: Int32? { self.as(sa_family_t.self).map { Int32($0) } }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

extension SocketOption {
    /// The options of a link to a reader: commands go out at once, and the kernel detects within a minute that a reader
    /// has disappeared silently, whether or not it has bytes to acknowledge (tcp(7)).
    package static let readerLink: [SocketOption] = [
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1)),
        SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE, value: Int32(1)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: Int32(30)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: Int32(10)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: Int32(3)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, value: UInt32(60_000)),
    ]

    /// The option of a listening socket: the port can be used at once after the previous program has ended.
    package static let reusedAddress = SocketOption(level: SOL_SOCKET, name: SO_REUSEADDR, value: Int32(1))
}

/// Looks up the addresses of hosts.
package struct HostLookup: Sendable {
    /// The failure of a lookup.
    package struct Failure: Error, Hashable {
        /// The error code of `getaddrinfo`.
        package let code: Int32
        /// The system's text for the code.
        package let message: String

        package init(code: Int32, message: String) {
            self.code = code
            self.message = message
        }
    }

    /// Looks up a host, and blocks as long as that takes. The arguments are the host's name or numeric address, the
    /// port, and whether only a numeric address is allowed.
    private let look: @Sendable (String, UInt16, _ isNumeric: Bool) -> Result<[SocketAddress], Failure>

    package init(
        _ look: @escaping @Sendable (String, UInt16, _ isNumeric: Bool) -> Result<[SocketAddress], Failure> = system
    ) {
        self.look = look
    }

    /// The addresses of a host that is given by a numeric address; nil if it is a name.
    package func numeric(_ host: String, port: UInt16) -> [SocketAddress]? {
        guard case .success(let addresses) = look(host, port, true), !addresses.isEmpty else { return nil }
        return addresses
    }

    private struct Waiting {
        var continuation: CheckedContinuation<Result<[SocketAddress], Failure>?, Never>?
        var isOver = false
    }

    /// Looks up the addresses of a host, the best one first. A name is looked up on a thread of its own; if the task is
    /// cancelled, the thread is left to finish alone.
    /// - Returns: at least one address; nil if the task was cancelled.
    package func addresses(of host: String, port: UInt16) async throws(Failure) -> [SocketAddress]? {
        if let numeric = numeric(host, port: port) { return numeric }
        let waiting = Lock(Waiting())
        let end = { @Sendable (result: Result<[SocketAddress], Failure>?) in
            let continuation = waiting.withLock { waiting in
                defer { waiting.continuation = nil }
                waiting.isOver = true
                return waiting.continuation
            }
            continuation?.resume(returning: result)
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let waits = waiting.withLock { waiting in
                    if !waiting.isOver { waiting.continuation = continuation }
                    return !waiting.isOver
                }
                guard waits else { return continuation.resume(returning: nil) }
                do throws(SystemFailure) {
                    try WorkerThread(name: "jackdaw-lookup") { [look] in end(look(host, port, false)) }.detach()
                } catch {
                    end(.failure(Failure(code: EAI_SYSTEM, message: error.message)))
                }
            }
        } onCancel: {
            end(nil)
        }
        guard let addresses = try result?.get() else { return nil }
        guard !addresses.isEmpty else { throw Failure(code: EAI_NONAME, message: "no address") }
        return addresses
    }

    /// The system's lookup. The corresponding C function is `getaddrinfo`.
    package static func system(
        _ host: String, _ port: UInt16, _ isNumeric: Bool
    ) -> Result<[SocketAddress], Failure> {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard code == 0 else {
            let words = code == EAI_SYSTEM ? SystemFailure.last.message : unsafe String(cString: gai_strerror(code))
            return .failure(Failure(code: code, message: words))
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            let size = unsafe Int(entry.pointee.ai_addrlen)
            let bytes = unsafe UnsafeRawBufferPointer(start: entry.pointee.ai_addr, count: size)
            addresses.append(SocketAddress(bytes: unsafe Array(bytes)))
            unsafe next = entry.pointee.ai_next
        }
        return .success(addresses)
    }
}
