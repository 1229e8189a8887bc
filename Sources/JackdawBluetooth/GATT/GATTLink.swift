import Glibc
internal import JackdawSystem
public import JackdawTransport

/// A byte link over two characteristics: it writes chunks to one, and receives notifications of the other.
public struct GATTLink: Transport, BatteryReporting {
    private let stream: GATTStream

    /// The device, for its other services.
    public var device: GATTDevice { stream.device }
    /// The greatest number of bytes in one notification or one write: the link's ATT MTU without its header of three
    /// bytes. 20 if bluetoothd does not report the MTU.
    public var payloadSize: Int { get async { await stream.payloadSize } }
    /// The name that opens the link.
    public var link: LinkName { stream.device.link }

    /// Opens the link of a connected device.
    static func open(_ device: GATTDevice, _ profile: GATTProfile) async throws(LinkError) -> GATTLink {
        GATTLink(stream: try await GATTStream.open(device, profile))
    }

    /// Waits for the next notification of the device and passes it to `take`. Only one task at a time may receive.
    /// - Parameter take: receives the bytes of one notification.
    /// - Returns: true; a link over GATT never ends in good order.
    /// - Throws: `LinkError` if the link was lost, again at each call, or if the task was cancelled.
    public func receive(_ take: (Span<UInt8>) -> Void) async throws(LinkError) -> Bool {
        try await stream.next().withBytes(take)
        return true
    }

    /// Sends bytes in chunks of the profile's size. Only one task at a time may send.
    /// - Parameter bytes: the bytes to send.
    /// - Throws: `LinkError` with the number of bytes from the failed chunk on.
    public func send(_ bytes: [UInt8]) async throws(LinkError) { try await stream.send(bytes) }

    /// Has no effect: GATT cannot close one direction.
    public func endSending() {}

    /// The battery reports of the device: the last one at once, if there is one, then each new one. Only the latest
    /// report is buffered.
    /// - Returns: reports, until the connection ends or the caller ends the stream.
    public func batteryReports() async -> AsyncStream<BatteryReport> { await device.batteryReports() }

    /// Ends the device's connection. Tasks that wait receive `disconnected`; a second call has no effect.
    public func close() async { await stream.close() }
}

/// Writes values to a socket acquired from bluetoothd, and waits while the socket is full.
actor GATTOutlet {
    /// Bytes in a packet of the link (the ATT MTU), three of which are its header.
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

    /// Writes a complete value. Only one task at a time may write.
    /// - Parameter value: the bytes to write.
    /// - Throws: `SystemFailure`: `EPIPE` if the link was lost or this socket was closed, `ECANCELED` if the task was
    ///   cancelled.
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

    /// Closes the socket. A pending write fails.
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
