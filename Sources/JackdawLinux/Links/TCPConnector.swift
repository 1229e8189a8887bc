import Glibc
package import JackdawSystem
public import JackdawTransport

/// Opens links over TCP.
struct TCPConnector: Sendable {
    private let connector: SocketConnector
    private let lookup: HostLookup
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - loop: watches the links.
    ///   - lookup: resolves host names.
    ///   - calls: the system calls.
    ///   - clock: measures the time limits.
    init(
        loop: EventLoop, lookup: HostLookup = HostLookup(), calls: any SocketCalls = SystemSocketCalls(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        connector = SocketConnector(loop: loop, failures: .network, calls: calls)
        self.lookup = lookup
        self.clock = clock
    }

    /// Opens a link. Tries the addresses of a host one after the other, each with an equal share of the time.
    /// - Parameters:
    ///   - address: the host and the port.
    ///   - limit: the time limit for the name lookup, and the same again for the connection.
    /// - Returns: the link.
    /// - Throws: `LinkError`; of several addresses, that of the last one.
    func connect(to address: TCPAddress, within limit: Duration = .seconds(10)) async throws(LinkError) -> SocketLink {
        let link = address.link.description
        let addresses = try await withDeadline(
            limit, of: clock,
            late: LinkError(
                .timedOut, link: link, "the host's name was not found in time", remedy: "give the host's address")
        ) { [lookup] () throws(LinkError) in
            do throws(HostLookup.Failure) {
                return try await lookup.addresses(of: address.host, port: address.port)
            } catch {
                throw LinkError(error, link: link)
            }
        }
        guard let addresses else { throw .cancelled(link) }
        let late = LinkError(
            .timedOut, link: link, "no connection in time", remedy: "switch the host on, and check the firewalls")
        var failure = late
        for candidate in addresses {
            do throws(LinkError) {
                return try await withDeadline(limit / addresses.count, of: clock, late: late) {
                    [connector] () throws(LinkError) in
                    guard let kind = candidate.streamKind else {
                        throw LinkError(.unsupported, link: link, "an address of an unsupported network")
                    }
                    return try await connector.connect(
                        to: candidate, kind, options: SocketOption.readerLink, format: .stream, link: address.link)
                }
            } catch {
                guard error.code != .cancelled else { throw error }
                failure = error
            }
        }
        throw failure
    }
}

/// A port of a host: `reader.example:4000`, `192.0.2.7:4000` or `[2001:db8::7]:4000`.
public struct TCPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host's name, or its numeric address without brackets; never empty.
    public let host: String
    /// The port; 0 selects any free port for a listener.
    public let port: UInt16

    /// An address from its parts.
    /// - Parameters:
    ///   - host: the host's name or its numeric address, not empty.
    ///   - port: the port; 0 selects any free port for a listener.
    public init(host: String, port: UInt16) {
        precondition(!host.isEmpty, "the host must not be empty")
        self.host = host
        self.port = port
    }

    /// Parses the address of a link.
    /// - Parameter link: a name with the scheme `tcp`.
    /// - Throws: `LinkError` with code `badName`.
    public init(_ link: LinkName) throws(LinkError) {
        func bad(_ message: String) -> LinkError {
            LinkError(.badName, link: link.description, message, remedy: "write it as tcp:HOST:PORT or tcp:[::1]:PORT")
        }
        guard link.scheme == .tcp else { throw bad("not the name of a TCP link") }
        guard let colon = link.address.lastIndex(of: ":"), !link.address.hasSuffix("]") else {
            throw bad("a port is missing after the host")
        }
        let digits = link.address[link.address.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw bad("not a port, 0 to 65535")
        }
        var host = link.address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw bad("an address with colons must be in brackets")
        }
        guard !host.isEmpty, !host.contains(where: { "[]".contains($0) || $0.isWhitespace || $0 == "\0" }) else {
            throw bad("not the name or address of a host")
        }
        self.init(host: String(host), port: port)
    }

    /// The name of a link to this address.
    public var link: LinkName { LinkName(.tcp, description) }

    /// Host, colon and port, with brackets around a host that has colons.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Accepts links over TCP for a simulated reader. By default only programs of this computer can connect, because such a
/// link has no encryption and no authentication.
public final class TCPListener: Sendable {
    /// The address that it listens at, with the actual port.
    public let address: TCPAddress
    private let listener: SocketListener
    private let loop: EventLoop
    private let calls: any SocketCalls

    /// Begins to listen, with a thread of its own.
    /// - Parameters:
    ///   - address: the numeric address, and the port; port 0 selects any free port.
    ///   - isOpenToOthers: whether other machines may connect, if the address is not this computer's loopback.
    /// - Throws: `LinkError`: `busy` if another program has the port, `notPermitted` if others could connect and
    ///   `isOpenToOthers` is false.
    public convenience init(
        at address: TCPAddress = TCPAddress(host: "127.0.0.1", port: 0), isOpenToOthers: Bool = false
    ) throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop(name: "jackdaw-listen")
        } catch {
            throw .system(error, link: address.link.description, "no event loop can be created")
        }
        try self.init(at: address, isOpenToOthers: isOpenToOthers, loop: loop, calls: SystemSocketCalls())
    }

    init(
        at address: TCPAddress, isOpenToOthers: Bool, loop: EventLoop, calls: any SocketCalls
    ) throws(LinkError) {
        let link = address.link.description
        let host = address.host == "localhost" ? "127.0.0.1" : address.host
        guard let own = HostLookup().numeric(host, port: address.port)?.first, let kind = own.streamKind else {
            throw LinkError(
                .badName, link: link, "not a numeric address of this computer", remedy: "listen at tcp:127.0.0.1:PORT")
        }
        guard own.isLoopback || isOpenToOthers else {
            throw LinkError(
                .notPermitted, link: link, "other machines could connect there",
                remedy: "listen at tcp:127.0.0.1:\(address.port), for programs of this computer")
        }
        listener = try SocketListener(
            at: own, kind, options: [.reusedAddress], link: link, failures: .network, loop: loop, calls: calls)
        self.address = TCPAddress(host: host, port: listener.address.network?.port ?? address.port)
        self.loop = loop
        self.calls = calls
    }

    /// Waits for a connection and accepts it. Only one task may wait at a time.
    /// - Returns: the link, which is named after the peer's address.
    /// - Throws: `LinkError`: `cancelled` if the task is cancelled.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// Accepts as ``accept()`` does; calls `whenShort` if descriptors or memory run out, while connections wait.
    package func accept(
        whenShort: (SystemFailure) async -> Void
    ) async throws(LinkError) -> any Transport {
        try await listener.acceptLink(whenShort: whenShort) { descriptor, peer throws(SystemFailure) in
            let link = peer.network.map { TCPAddress(host: $0.host, port: $0.port).link } ?? address.link
            do throws(SystemFailure) {
                for option in SocketOption.readerLink { try calls.setOption(descriptor, option) }
            } catch {
                calls.close(descriptor)
                return nil
            }
            return try SocketLink(
                watching: descriptor, link: link, format: .stream, failures: .network, loop: loop, calls: calls)
        }
    }
}

extension SocketFailures {
    /// Converts the errors of TCP sockets.
    static let network = SocketFailures(
        noSocket: { failure, link in
            switch failure.code {
            case EACCES, EPERM:
                LinkError(
                    .notPermitted, link: link, "this program may not use the network",
                    remedy: "check the rules of its service or container", underlying: failure.message)
            case EAFNOSUPPORT, EPROTONOSUPPORT:
                LinkError(
                    .unsupported, link: link, "this system does not support this network", underlying: failure.message)
            default: .system(failure, link: link, "no socket can be created")
            }
        }, notConnected: { notConnected($0, link: $1) }, lost: { lost($0, link: $1, undelivered: $2) })

    private static func notConnected(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (LinkError.Code, String, String?) =
            switch failure.code {
            case ECONNREFUSED:
                (.refused, "no program listens at this port", "start the program that listens there, or check the port")
            case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                (.outOfRange, "the host cannot be reached", "check that it and this computer are on the network")
            case ETIMEDOUT: (.timedOut, "the host does not answer", "switch it on, and check the firewalls")
            case EACCES, EPERM:
                (.notPermitted, "a rule of this system forbids it", "use a port above 1023, and check the firewalls")
            case EADDRINUSE: (.busy, "another program uses this port", "end it, or use another port")
            case EADDRNOTAVAIL: (.notFound, "this computer has no such address, or no free port", "use another one")
            case EAFNOSUPPORT, EPROTONOSUPPORT, EINVAL:
                (.unsupported, "this system does not support such an address", nil)
            case ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE:
                (.disconnected, "the link was lost before it was established", "try again")
            default: (.system, "cannot be connected", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    private static func lost(_ failure: SystemFailure, link: String, undelivered: Int) -> LinkError {
        let (message, remedy) =
            switch failure.code {
            case ECONNRESET: ("the other side reset the link", "check that it is running, and connect again")
            case EPIPE, ENOTCONN: ("the link has ended", "connect again")
            case ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                ("the other side no longer answers", "check the network, and connect again")
            default: ("the link was lost", "connect again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.message, undelivered: undelivered)
    }
}

extension LinkError {
    /// The error of a host name that cannot be resolved.
    init(_ failure: HostLookup.Failure, link: String) {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case EAI_NONAME, Self.noData: (.notFound, "there is no such host", "check its name, or give its address")
            case EAI_AGAIN: (.notFound, "no name server answers", "check the network, or give the host's address")
            default: (.system, "the host's name cannot be looked up", "give the host's address")
            }
        self.init(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    /// `EAI_NODATA`, which Glibc's header hides from Swift.
    private static let noData: Int32 = -5
}
