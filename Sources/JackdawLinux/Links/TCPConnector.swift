internal import JackdawSystem
internal import JackdawTransport

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
