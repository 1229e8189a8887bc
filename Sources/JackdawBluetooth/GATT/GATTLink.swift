import Glibc
internal import JackdawSystem
public import JackdawTransport

/// Bytes over a pair of characteristics: one is written in pieces, the other notifies.
public struct GATTLink: Transport, BatteryReporting {
    private let stream: GATTStream

    /// The device, for what it offers besides.
    public var device: GATTDevice { stream.device }
    /// Bytes of one notification or one write at most: the link's attribute MTU without the three of its own. 20 where
    /// bluetoothd does not tell.
    public var payloadSize: Int { get async { await stream.payloadSize } }
    /// What the link is opened by.
    public var link: LinkName { stream.device.link }

    /// Opens the link of a connected device.
    static func open(_ device: GATTDevice, _ profile: GATTProfile) async throws(LinkError) -> GATTLink {
        GATTLink(stream: try await GATTStream.open(device, profile))
    }

    /// Waits for what the device notifies of next and hands it over. For one task at a time.
    /// - Parameter take: gets the bytes of one notification.
    /// - Returns: true; the end of a link over GATT is never in good order.
    /// - Throws: `LinkError` where the link was lost, again at each call, or where the task was cancelled.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        try await stream.next().withBytes(take)
        return true
    }

    /// Sends bytes in pieces, as the profile says. For one task at a time.
    /// - Parameter bytes: what to send.
    /// - Throws: `LinkError` with the number of bytes from the piece on that failed.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await stream.send(bytes) }

    /// Does nothing: GATT knows no end of one direction.
    public func endSending() {}

    /// What the device says of its battery: at once where it has, and whenever it says so again. Only the latest waits to be
    /// taken.
    /// - Returns: reports, until the connection has ended or the stream is given up.
    public func batteryReports() async -> AsyncStream<BatteryReport> { await device.batteryReports() }

    /// Ends the device's connection. Who waits gets `disconnected`; a second call does nothing.
    public func close() async { await stream.close() }
}

/// Writes values into a socket that bluetoothd has given away, and waits while it is full.
actor GATTOutlet {
    /// Bytes in a packet of the link, three of which are its own.
    nonisolated let packetSize: Int
    private let loop: EventLoop
    private var descriptor: BusDescriptor?
    private var waiting: (watch: Watch, continuation: CheckedContinuation<Void, Never>)?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    init(_ socket: AcquiredSocket, on loop: EventLoop) {
        packetSize = socket.packetSize
        descriptor = socket.descriptor
        self.loop = loop
    }

    /// Writes a value, whole. For one task at a time.
    /// - Parameter value: what to write.
    /// - Throws: ``SystemFailure``: `EPIPE` where the link was lost or this was closed, `ECANCELED` where the task was cancelled.
    func write(_ value: WipedBytes) async throws(SystemFailure) {
        while true {
            guard !Task.isCancelled else { throw SystemFailure(code: ECANCELED) }
            let failure = descriptor?.withDescriptor { descriptor in
                let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                let count = unsafe value.withUnsafeBytes { unsafe send(descriptor, $0.baseAddress, $0.count, flags) }
                return count < 0 ? SystemFailure.last.code : 0
            }
            switch failure {
            case 0: return
            case EINTR: continue
            case EAGAIN: try await waitForRoom()
            default: throw SystemFailure(code: failure ?? EPIPE)
            }
        }
    }

    /// Gives the socket up. Who writes fails.
    func close() {
        wake()
        descriptor = nil
    }

    private func waitForRoom() async throws(SystemFailure) {
        guard let number = descriptor?.withDescriptor({ $0 }) else { throw SystemFailure(code: EPIPE) }
        precondition(waiting == nil, "two tasks send over one link")
        let watch = try loop.watch(number, for: .writing) { [weak self] _ in self?.assumeIsolated { $0.wake() } }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = (watch, $0) }
        } onCancel: {
            Task { await self.wake() }
        }
    }

    private func wake() {
        guard let waiting else { return }
        self.waiting = nil
        loop.unwatch(waiting.watch)
        waiting.continuation.resume()
    }
}
