import Glibc
internal import JackdawSystem

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
