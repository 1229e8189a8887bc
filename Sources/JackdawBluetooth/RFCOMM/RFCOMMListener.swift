import Glibc
internal import JackdawSystem
public import JackdawTransport

/// Takes links from other machines at an RFCOMM channel of this one.
public final class RFCOMMListener: Sendable {
    /// The channel that others connect to.
    public let channel: UInt8
    private let descriptor: Int32
    private let loop: EventLoop
    private let calls: any SocketCalls

    /// Links that may wait to be taken.
    private static let backlog = 4
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
        let descriptor: Int32
        do throws(SystemFailure) {
            descriptor = try calls.socket(.rfcomm)
        } catch {
            throw .noSocket(error, link: Self.name(channel))
        }
        do throws(SystemFailure) {
            try calls.setSecurity(descriptor, security)
            try calls.bind(descriptor, to: .rfcomm(Self.anyDevice, channel: channel ?? 0))
            try calls.listen(descriptor, backlog: Self.backlog)
            self.channel = try calls.channel(descriptor)
        } catch {
            calls.close(descriptor)
            throw .notConnected(error, link: Self.name(channel))
        }
        self.descriptor = descriptor
        self.loop = loop
        self.calls = calls
    }

    deinit { calls.close(descriptor) }

    /// Waits for a link and takes it. For one task at a time.
    /// - Returns: the link, which is named after the other machine.
    /// - Throws: `LinkError`: `cancelled` where the task is.
    public func accept() async throws(LinkError) -> any Transport {
        while true {
            guard !Task.isCancelled else { throw .cancelled(Self.name(channel)) }
            let connection: (descriptor: Int32, device: BluetoothAddress)?
            do throws(SystemFailure) {
                connection = try take()
                if connection == nil { _ = try await loop.wait(descriptor, for: .reading) }
            } catch {
                throw .system(error, link: Self.name(channel), "cannot take a link")
            }
            guard let connection else { continue }
            let link = RFCOMMAddress(device: connection.device, channel: channel).link
            return try SocketLink(connection.descriptor, link: link, format: .rfcomm, loop: loop, calls: calls)
        }
    }

    /// A connection; nil where none waits.
    private func take() throws(SystemFailure) -> (descriptor: Int32, device: BluetoothAddress)? {
        var accepted: Int32?
        do throws(SystemFailure) {
            let descriptor = try calls.accept(descriptor)
            accepted = descriptor
            return (descriptor, try calls.peer(descriptor))
        } catch {
            if let accepted { calls.close(accepted) }
            // It may have gone before it was taken.
            guard [EAGAIN, ECONNABORTED, ENOTCONN].contains(error.code) else { throw error }
            return nil
        }
    }

    private static func name(_ channel: UInt8?) -> String { "rfcomm:\(channel.map(String.init) ?? "any")" }
}
