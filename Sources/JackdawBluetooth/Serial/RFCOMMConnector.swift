import Glibc
package import JackdawSystem
public import JackdawTransport

/// Opens links to RFCOMM services of devices, over the kernel's sockets.
public struct RFCOMMConnector: Sendable {
    private let connector: SocketConnector
    private let channels: ChannelCache
    private let clock: any Clock<Duration>

    /// Creates a connector with a thread of its own, which all its links share.
    /// - Throws: `LinkError` if the system has no thread or descriptor left.
    public init() throws(LinkError) {
        do throws(SystemFailure) {
            self.init(loop: try EventLoop())
        } catch {
            throw .system(error, link: "rfcomm", "no event loop can be created")
        }
    }

    /// - Parameters:
    ///   - loop: watches the links.
    ///   - calls: the system calls of sockets.
    ///   - channels: stores the channels that devices have sent.
    ///   - clock: measures the time limit of connecting.
    init(
        loop: EventLoop, calls: any SocketCalls = SystemSocketCalls(), channels: ChannelCache = ChannelCache(),
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        connector = SocketConnector(loop: loop, calls: calls)
        self.channels = channels
        self.clock = clock
    }

    /// Opens a link. If the channel is busy, or the new link breaks at once, the connector retries for up to 750 ms: a
    /// link that was closed a moment ago can have this effect.
    /// - Parameters:
    ///   - address: the device, and the channel if it is known.
    ///   - service: the service to query the device for if the channel is not known.
    ///   - name: the service's name, if the device has several of the class.
    ///   - security: the security that the link requires.
    ///   - limit: the time limit; nil waits as long as the kernel tries.
    /// - Returns: the link.
    /// - Throws: `LinkError`, with a code for each cause and a remedy; `serviceMissing` if the device has no such
    ///   service, or no service has that name.
    public func connect(
        to address: RFCOMMAddress, service: BluetoothUUID = .serialPort, named name: String? = nil,
        security: LinkSecurity = .medium, within limit: Duration? = .seconds(30)
    ) async throws(LinkError) -> any Transport {
        let late = LinkError(
            .timedOut, link: address.link.description, "no connection in time",
            remedy: "switch the device on, and bring it nearer")
        return try await withDeadline(limit, of: clock, late: late) { () throws(LinkError) in
            guard let channel = address.channel else {
                return try await find(address.device, service, name, security)
            }
            return try await connect(address.device, channel, security)
        }
    }

    /// Creates a link from a socket that is already connected, such as one that bluetoothd passed to the program's own
    /// client (`Profile1.NewConnection`), or one that was passed at the program's start.
    /// - Parameters:
    ///   - descriptor: a connected RFCOMM socket, or another stream socket; owned by the link from now on, and closed
    ///     if this fails.
    ///   - address: the address in the link's name.
    /// - Returns: the link.
    /// - Throws: `LinkError` (`system`) if it is not a connected stream socket, or the system cannot watch it.
    public func adopt(_ descriptor: Int32, as address: RFCOMMAddress) throws(LinkError) -> any Transport {
        try connector.adopt(descriptor, link: address.link)
    }

    /// The waits between attempts while a link closed a moment ago, by this program or an earlier one, blocks the new
    /// link. Until the device has confirmed the end, its channel is busy, and a link opened beside it breaks with it.
    static let pauses: [Duration] = [.milliseconds(50), .milliseconds(100), .milliseconds(200), .milliseconds(400)]

    private func connect(
        _ device: BluetoothAddress, _ channel: UInt8, _ security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        let link = RFCOMMAddress(device: device, channel: channel).link
        for pause in Self.pauses {
            do throws(LinkError) {
                return try await connector.connect(to: device, channel: channel, link: link, security: security)
            } catch {
                guard error.code == .busy || error.code == .disconnected else { throw error }
                do { try await clock.sleep(for: pause) } catch { throw .cancelled(link.description) }
            }
        }
        return try await connector.connect(to: device, channel: channel, link: link, security: security)
    }

    private func find(
        _ device: BluetoothAddress, _ service: BluetoothUUID, _ name: String?, _ security: LinkSecurity
    ) async throws(LinkError) -> SocketLink {
        let key = ChannelCache.Service(device: device, service: service, name: name)
        if let channel = await channels[key] {
            do throws(LinkError) {
                return try await connect(device, channel, security)
            } catch {
                guard error.code == .refused else { throw error }
                // The service may have moved to another channel.
                await channels.forget(key)
            }
        }
        let channel = try await ServiceDiscovery(connector: connector).channel(of: device, service, named: name)
        let link = try await connect(device, channel, security)
        await channels.remember(channel, of: key)
        return link
    }
}

/// Accepts links from other machines on an RFCOMM channel of this computer.
public final class RFCOMMListener: Sendable {
    /// The channel that other machines connect to.
    public let channel: UInt8
    private let listener: SocketListener
    private let loop: EventLoop
    private let calls: any SocketCalls

    private static let anyDevice = BluetoothAddress(bytes: [0, 0, 0, 0, 0, 0])

    /// Begins to listen, with a thread of its own.
    /// - Parameters:
    ///   - channel: 1 to 30; nil uses any free channel.
    ///   - security: the security that the links require.
    /// - Throws: `LinkError`: `busy` if another program uses the channel.
    public convenience init(channel: UInt8? = nil, security: LinkSecurity = .medium) throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop()
        } catch {
            throw .system(error, link: Self.name(channel), "no event loop can be created")
        }
        try self.init(channel: channel, security: security, loop: loop, calls: SystemSocketCalls())
    }

    init(channel: UInt8?, security: LinkSecurity, loop: EventLoop, calls: any SocketCalls) throws(LinkError) {
        listener = try SocketListener(
            at: .rfcomm(Self.anyDevice, channel: channel ?? 0), .rfcomm, options: [.security(security)],
            link: Self.name(channel), failures: .bluetooth, loop: loop, calls: calls)
        guard let own = listener.address.rfcomm else {
            throw .system(SystemFailure(code: EAFNOSUPPORT), link: Self.name(channel), "has no channel")
        }
        self.channel = own.channel
        self.loop = loop
        self.calls = calls
    }

    /// Waits for a link and accepts it. Only one task at a time may wait.
    /// - Returns: the link, named after the other machine.
    /// - Throws: `LinkError`: `cancelled` if the task was cancelled.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// Accepts a link as ``accept()`` does; calls `whenShort` if descriptors or memory run out, while connections wait.
    package func accept(
        whenShort: (SystemFailure) async -> Void
    ) async throws(LinkError) -> any Transport {
        try await listener.acceptLink(whenShort: whenShort) { descriptor, peer throws(SystemFailure) in
            let link = RFCOMMAddress(device: peer.rfcomm?.device ?? Self.anyDevice, channel: channel).link
            return try SocketLink(
                watching: descriptor, link: link, format: .indivisible, failures: .bluetooth, loop: loop, calls: calls)
        }
    }

    private static func name(_ channel: UInt8?) -> String { "rfcomm:\(channel.map(String.init) ?? "any")" }
}
