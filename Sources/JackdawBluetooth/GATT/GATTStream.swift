import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// The receiving and sending state of a ``GATTLink``: received values that no task has taken, and the way to write.
actor GATTStream {
    /// The greatest number of values that wait to be received: about one second on the fastest links.
    static let capacity = 1_024

    nonisolated let device: GATTDevice
    private let profile: GATTProfile
    private let written: BlueZCharacteristic
    private let notifying: BlueZCharacteristic
    /// The observer of the device's connection; nil after its end.
    private var observer: Int?
    /// The listener for notifications on the bus, if bluetoothd provides no socket.
    private var listener: Int?
    /// Notified values that no task has received yet.
    private var values = ValueQueue(capacity: capacity)
    /// The socket for notifications, if bluetoothd provides one.
    private var socket: (descriptor: BusDescriptor, watch: Watch)?
    /// Bytes in a packet of the link (the ATT MTU), three of which are its header, as bluetoothd reported with the
    /// socket.
    private var packetSize: Int?
    /// The socket for writes without a response, if bluetoothd provides one.
    private var outlet: GATTOutlet?
    private var receiver: CheckedContinuation<Void, Never>?
    /// The error that ended the link.
    private var end: LinkError?
    /// The reason that bluetoothd reported for the end of the connection.
    private var reason: String?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe device.client.unownedExecutor }

    private init(
        _ device: GATTDevice, _ profile: GATTProfile, written: BlueZCharacteristic, notifying: BlueZCharacteristic
    ) {
        self.device = device
        self.profile = profile
        self.written = written
        self.notifying = notifying
    }

    /// Subscribes to a connected device. If that fails, the device stays connected.
    static func open(_ device: GATTDevice, _ profile: GATTProfile) async throws(LinkError) -> GATTStream {
        let written = try await device.find(profile.service, profile.write)
        let notifying = try await device.find(profile.service, profile.notify)
        let stream = GATTStream(device, profile, written: written, notifying: notifying)
        await stream.follow()
        do throws(LinkError) {
            try await stream.subscribe()
        } catch {
            await stream.shut()
            throw error
        }
        return stream
    }

    deinit {
        if let socket { device.client.bus.loop.unwatch(socket.watch) }
        let numbers = [observer, listener].compactMap { $0 }
        guard !numbers.isEmpty else { return }
        Task { [client = device.client] in
            for number in numbers { await client.forget(number) }
        }
    }

    /// Subscribes to notifications: through a socket, which loses fewer, or on the bus if bluetoothd provides no
    /// socket.
    private func subscribe() async throws(LinkError) {
        if !profile.isAcknowledged, let socket = try? await device.acquireWriting(written) {
            outlet = GATTOutlet(socket, on: device.client.bus.loop)
        }
        if let socket = try? await device.acquireNotifications(notifying) {
            packetSize = socket.packetSize
            return try adopt(socket.descriptor)
        }
        do throws(BusError) {
            try await device.client.call(notifying.path, BlueZName.characteristic, "StartNotify") {
                [weak self] result in
                // Values notified before the answer were not for this link.
                if case .success = result { self?.assumeIsolated { $0.listen() } }
            }
        } catch {
            throw device.failure(error)
        }
    }

    private func listen() {
        guard end == nil else { return }
        listener = device.client.assumeIsolated { [path = notifying.path] client in
            client.listen(to: path) { [weak self] value in self?.assumeIsolated { $0.take(value) } }
        }
    }

    private func adopt(_ descriptor: BusDescriptor) throws(LinkError) {
        guard let number = descriptor.withDescriptor({ $0 }) else { return }
        do {
            let watch = try device.client.bus.loop.watch(number, for: .reading) { [weak self] _ in
                self?.assumeIsolated { $0.drain() }
            }
            socket = (descriptor, watch)
        } catch {
            throw LinkError(.system, link: name, underlying: error.message)
        }
    }

    /// Receives the values that are waiting in the socket.
    private func drain() {
        while let number = socket?.descriptor.withDescriptor({ $0 }) {
            var isDry = false
            var hasEnded = false
            // Larger than a value can be: the largest packet has 517 bytes, three of which are its header.
            let value = unsafe WipedBytes(capacity: 514) { buffer in
                let count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                isDry = count < 0 && [EAGAIN, EINTR].contains(errno)
                hasEnded = count < 0
                return max(0, count)
            }
            guard !isDry else { return }
            // A read of an empty value looks like the end of the socket.
            if value.isEmpty { hasEnded = hasEnded || (try? SystemSocketCalls().hasEnded(number)) != false }
            guard !hasEnded else { return endOfSocket() }
            take(value)
        }
    }

    private func take(_ value: WipedBytes) {
        guard end == nil, !value.isEmpty else { return }
        guard values.append(value) else {
            // The link ends, because a gap in its data would go unnoticed. If the values stayed in the socket,
            // bluetoothd would discard them without an error.
            return finish(
                LinkError(
                    .system, link: name, "data of the device was lost: it was not received in time",
                    remedy: "receive continuously, in a separate task"))
        }
        wake()
    }

    private func endOfSocket() {
        giveUpSocket()
        guard observer != nil else { return }
        // The bus delivers the reason for the end before the answer to this call.
        device.client.bus.assumeIsolated { [isConnected] bus in
            bus.send(isConnected) { [weak self] _ in
                self?.assumeIsolated { $0.lose(.disconnected, "notifications ended") }
            }
        }
    }

    private func giveUpSocket() {
        guard let socket else { return }
        device.client.bus.loop.unwatch(socket.watch)
        self.socket = nil
    }

    /// Waits for the next notification of the device. Only one task at a time may receive.
    func next() async throws(LinkError) -> WipedBytes {
        while true {
            if let value = values.next() { return value }
            if let end { throw end }
            if Task.isCancelled { throw LinkError(.cancelled, link: name) }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    precondition(receiver == nil, "two tasks receive from one link")
                    receiver = continuation
                }
            } onCancel: {
                Task { await self.wake() }
            }
        }
    }

    private var name: String { device.link.description }

    /// The greatest number of bytes in a value.
    var payloadSize: Int { GATTProfile.payloadSize(packet: outlet?.packetSize ?? written.packetSize ?? packetSize) }

    /// Sends bytes in chunks of the profile's size.
    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let size = profile.chunkSize(payload: payloadSize)
        var sent = 0
        while sent < bytes.count {
            let left = bytes.count - sent
            if let end { throw end.leaving(undelivered: left) }
            let chunk = WipedBytes(bytes[sent..<min(sent + size, bytes.count)])
            do throws(BusError) {
                try await write(chunk)
            } catch {
                // The reason for the loss of the link is more useful than the error of the write.
                if let end { throw end.leaving(undelivered: left) }
                throw device.failure(error, undelivered: left)
            }
            sent += chunk.count
        }
    }

    private func write(_ chunk: WipedBytes) async throws(BusError) {
        guard let outlet else {
            return try await device.write(chunk, to: written.path, isAcknowledged: profile.isAcknowledged)
        }
        do throws(SystemFailure) {
            try await outlet.write(chunk)
        } catch {
            if error.code == ECANCELED { throw .cancelled }
            // The bus delivers the reason for the end before the answer to this call.
            _ = try? await device.client.bus.call(isConnected)
            throw BusError(name: "org.bluez.Error.NotConnected", message: error.message)
        }
    }

    /// A call that requests a property which bluetoothd also signals. The signal arrives before the answer.
    private var isConnected: BusCall {
        BusCall(
            BlueZName.service, device.path, BlueZName.properties, "Get",
            BusBody([.string(BlueZName.device), .string("Connected")]))
    }

    /// Ends the device's connection, unless it has already ended: a later connection belongs to another link.
    func close() async {
        let isOver = observer == nil
        shut()
        if !isOver { await device.disconnect() }
    }

    /// Ends the link, but not the device's connection.
    private func shut() {
        finish(LinkError(.disconnected, link: name, "the link was closed"))
        values.removeAll()
        forget(&observer)
    }

    private func follow() async {
        observer = await device.client.observe { [weak self] event in
            self?.assumeIsolated { $0.receive(event) }
        }
    }

    private func receive(_ event: BlueZObjects.Event) {
        switch event {
        case .disconnected(device.path, let reason): self.reason = reason
        case .changed(device.path, BlueZName.device, let properties) where properties["Connected"] == .boolean(false):
            disconnected(
                reason.flatMap { BlueZCause(disconnection: $0) } ?? .disconnected, reason ?? "the connection ended")
        case .removed(device.path, BlueZName.device): disconnected(.disconnected, "the device was removed")
        case .serviceEnded: disconnected(.serviceMissing, "bluetoothd ended")
        default: break
        }
    }

    private func disconnected(_ cause: BlueZCause, _ words: String) {
        forget(&observer)
        lose(cause, words)
    }

    /// Ends the link after the values that have already arrived.
    private func lose(_ cause: BlueZCause, _ words: String) {
        drain()
        finish(LinkError(cause, link: name, underlying: words))
    }

    private func finish(_ error: LinkError) {
        guard end == nil else { return }
        end = error
        giveUpSocket()
        outlet?.assumeIsolated { $0.close() }
        forget(&listener)
        wake()
    }

    private func forget(_ number: inout Int?) {
        guard let known = number else { return }
        number = nil
        device.client.assumeIsolated { $0.forget(known) }
    }

    private func wake() {
        receiver?.resume()
        receiver = nil
    }
}

/// A bounded ring of received values that no task has taken yet, in order.
struct ValueQueue {
    private var values: [WipedBytes?]
    private var first = 0
    private var count = 0

    /// - Parameter capacity: the greatest number of values.
    init(capacity: Int) { values = Array(repeating: nil, count: capacity) }

    var isEmpty: Bool { count == 0 }

    /// Appends a value.
    /// - Returns: false if the ring is full.
    mutating func append(_ value: WipedBytes) -> Bool {
        guard count < values.count else { return false }
        values[(first + count) % values.count] = value
        count += 1
        return true
    }

    /// Removes and returns the oldest value; nil if the ring is empty.
    mutating func next() -> WipedBytes? {
        guard !isEmpty else { return nil }
        defer {
            values[first] = nil
            first = (first + 1) % values.count
            count -= 1
        }
        return values[first]
    }

    mutating func removeAll() { while next() != nil {} }
}

/// A socket that bluetoothd has provided for a characteristic: each packet is one value. It is closed together with
/// this value.
struct AcquiredSocket: Sendable {
    let descriptor: BusDescriptor
    /// Bytes in a packet of the link (the ATT MTU), three of which are its header.
    let packetSize: Int
}
