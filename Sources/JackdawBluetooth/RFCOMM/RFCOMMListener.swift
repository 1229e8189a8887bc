import Glibc
package import JackdawSystem
public import JackdawTransport

/// Takes links from other machines at an RFCOMM channel of this one.
public final class RFCOMMListener: Sendable {
    /// The channel that others connect to.
    public let channel: UInt8
    private let listener: SocketListener
    private let loop: EventLoop
    private let calls: any SocketCalls

    private static let anyDevice = BluetoothAddress(bytes: [0, 0, 0, 0, 0, 0])

    /// Begins to listen, with a thread of its own.
    /// - Parameters:
    ///   - channel: 1 to 30; nil for any that is free.
    ///   - security: what the links need.
    /// - Throws: `LinkError`: `busy` where another program has the channel.
    public convenience init(channel: UInt8? = nil, security: LinkSecurity = .medium) throws(LinkError) {
        let loop: EventLoop
        do throws(SystemFailure) {
            loop = try EventLoop()
        } catch {
            throw .system(error, link: Self.name(channel), "cannot be watched")
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

    /// Waits for a link and takes it. For one task at a time.
    /// - Returns: the link, which is named after the other machine.
    /// - Throws: `LinkError`: `cancelled` where the task is.
    public func accept() async throws(LinkError) -> any Transport { try await accept { _ in } }

    /// The same, and reports that the system is short of descriptors or memory: connections wait until it has some.
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
