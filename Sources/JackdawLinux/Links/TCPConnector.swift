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
    ///   - lookup: finds the hosts.
    ///   - calls: the system's.
    ///   - clock: measures how long connecting takes.
    init(
        loop: EventLoop, lookup: HostLookup = HostLookup(), calls: any SocketCalls = SystemSocketCalls(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        connector = SocketConnector(loop: loop, failures: .network, calls: calls)
        self.lookup = lookup
        self.clock = clock
    }

    /// Opens a link, trying a host's addresses one after the other; each has its part of the time.
    /// - Parameters:
    ///   - address: where to.
    ///   - limit: the longest that looking the host up may take, and then connecting.
    /// - Returns: the link.
    /// - Throws: `LinkError`, that of the last address where there are several.
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
            .timedOut, link: link, "no connection in time", remedy: "switch the host on, and look at firewalls")
        var failure = late
        for candidate in addresses {
            do throws(LinkError) {
                return try await withDeadline(limit / addresses.count, of: clock, late: late) {
                    [connector] () throws(LinkError) in
                    guard let kind = candidate.streamKind else {
                        throw LinkError(.unsupported, link: link, "no address of a network that is known here")
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
    /// The host's name, or its address in digits without brackets; never empty.
    public let host: String
    /// The port; 0 is any that is free, for one that listens.
    public let port: UInt16

    /// An address.
    /// - Parameters:
    ///   - host: the host's name or its address in digits, not empty.
    ///   - port: the port.
    public init(host: String, port: UInt16) {
        precondition(!host.isEmpty, "a host has a name")
        self.host = host
        self.port = port
    }

    /// Reads the address of a link.
    /// - Parameter link: a name with the scheme `tcp`.
    /// - Throws: `LinkError` with code `badName`.
    public init(_ link: LinkName) throws(LinkError) {
        func bad(_ message: String) -> LinkError {
            LinkError(.badName, link: link.description, message, remedy: "write it as tcp:HOST:PORT or tcp:[::1]:PORT")
        }
        guard link.scheme == .tcp else { throw bad("no name of a link over TCP") }
        guard let colon = link.address.lastIndex(of: ":"), !link.address.hasSuffix("]") else {
            throw bad("a port is missing behind the host")
        }
        let digits = link.address[link.address.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw bad("no port, which are 0 to 65535")
        }
        var host = link.address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw bad("an address with colons stands in brackets")
        }
        guard !host.isEmpty, !host.contains(where: { "[]".contains($0) || $0.isWhitespace || $0 == "\0" }) else {
            throw bad("no name or address of a host")
        }
        self.init(host: String(host), port: port)
    }

    /// The name of a link to it.
    public var link: LinkName { LinkName(.tcp, description) }

    /// Host, colon and port, with brackets around a host that has colons.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Takes links over TCP, for what stands in for a reader. Only programs of this computer can connect, unless that is asked
/// for: nothing on such a link is encrypted, and nobody has to say who they are.
public final class TCPListener: Sendable {
    /// Where it listens, with the port that it has.
    public let address: TCPAddress
    private let listener: SocketListener
    private let loop: EventLoop
    private let calls: any SocketCalls

    /// Begins to listen, with a thread of its own.
    /// - Parameters:
    ///   - address: the address in digits, and the port; port 0 is any that is free.
    ///   - isOpenToOthers: whether other machines may connect, too, where the address is not this computer's loopback.
    /// - Throws: `LinkError`: `busy` where another program has the port, `notPermitted` where others could connect and that
    ///   was not asked for.
    public convenience init(
        at address: TCPAddress = TCPAddress(host: "127.0.0.1", port: 0), isOpenToOthers: Bool = false
    ) throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop(name: "jackdaw-listen")
        } catch {
            throw .system(error, link: address.link.description, "cannot be watched")
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
                .badName, link: link, "no address of this computer in digits", remedy: "listen at tcp:127.0.0.1:PORT")
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

    /// Waits for a link and takes it. For one task at a time.
    /// - Returns: the link, which is named after the other side.
    /// - Throws: `LinkError`: `cancelled` where the task is.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// The same, and reports that the system is short of descriptors or memory: connections wait until it has some.
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
    /// What failures of TCP's sockets mean.
    static let network = SocketFailures(
        noSocket: { failure, link in
            switch failure.code {
            case EACCES, EPERM:
                LinkError(
                    .notPermitted, link: link, "this program may not use the network",
                    remedy: "look at its service's or its container's rules", underlying: failure.message)
            case EAFNOSUPPORT, EPROTONOSUPPORT:
                LinkError(
                    .unsupported, link: link, "this system has no such network", underlying: failure.message)
            default: .system(failure, link: link, "no socket to spare")
            }
        }, notConnected: { notConnected($0, link: $1) }, lost: { lost($0, link: $1, undelivered: $2) })

    private static func notConnected(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (LinkError.Code, String, String?) =
            switch failure.code {
            case ECONNREFUSED:
                (.refused, "nobody listens at this port", "start what listens there, or look at the port")
            case EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                (.outOfRange, "the host cannot be reached", "look whether it and this computer are on the network")
            case ETIMEDOUT: (.timedOut, "the host does not answer", "switch it on, and look at firewalls")
            case EACCES, EPERM:
                (.notPermitted, "a rule of this system forbids it", "take a port above 1023, and look at firewalls")
            case EADDRINUSE: (.busy, "another program has this port", "end it, or take another port")
            case EADDRNOTAVAIL: (.notFound, "this computer has no such address, or no port", "take another one")
            case EAFNOSUPPORT, EPROTONOSUPPORT, EINVAL:
                (.unsupported, "this system has no way to such an address", nil)
            case ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE:
                (.disconnected, "the link broke before it was made", "try again")
            default: (.system, "cannot be connected", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    private static func lost(_ failure: SystemFailure, link: String, undelivered: Int) -> LinkError {
        let (message, remedy) =
            switch failure.code {
            case ECONNRESET: ("the other side broke the link", "look whether it still runs, and connect again")
            case EPIPE, ENOTCONN: ("the link has ended", "connect again")
            case ETIMEDOUT, EHOSTUNREACH, EHOSTDOWN, ENETUNREACH, ENETDOWN:
                ("the other side is heard no more", "look at the network, and connect again")
            default: ("the link broke", "connect again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.message, undelivered: undelivered)
    }
}

extension LinkError {
    /// A host's name leads to no address.
    init(_ failure: HostLookup.Failure, link: String) {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case EAI_NONAME, Self.noData: (.notFound, "there is no such host", "look at its name, or give its address")
            case EAI_AGAIN: (.notFound, "no name server answers", "look at the network, or give the host's address")
            default: (.system, "the host's name cannot be looked up", "give the host's address")
            }
        self.init(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    /// `EAI_NODATA`, which Glibc's header hides from Swift.
    private static let noData: Int32 = -5
}
