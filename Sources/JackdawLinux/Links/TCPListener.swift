package import JackdawSystem
public import JackdawTransport

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
