import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// What a ``GATTLink`` has received and not handed over yet, and what it is written by.
actor GATTStream {
    /// Values that wait to be received: what the fastest links bring in about a second.
    static let capacity = 1_024

    nonisolated let device: GATTDevice
    private let profile: GATTProfile
    private let written: BlueZCharacteristic
    private let notifying: BlueZCharacteristic
    /// What the device's connection is followed by, as long as it lasts.
    private var observer: Int?
    /// What notifications are heard by on the bus, where bluetoothd gives no socket away.
    private var listener: Int?
    /// What was notified of and not received yet.
    private var values = ValueQueue(capacity: capacity)
    /// What notifications come by, where bluetoothd gives one away.
    private var socket: (descriptor: BusDescriptor, watch: Watch)?
    /// Bytes in a packet of the link, three of which are its own, as bluetoothd told with the socket.
    private var packetSize: Int?
    /// What is written without an answer goes by it, where bluetoothd gives one away.
    private var outlet: GATTOutlet?
    private var receiver: CheckedContinuation<Void, Never>?
    /// Why nothing more will come.
    private var end: LinkError?
    /// Why the device says that it has gone.
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

    /// Listens to a connected device. Where that fails its connection stays.
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

    /// Asks for notifications: by a socket, on which fewer are lost; on the bus where bluetoothd gives none away.
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
                // Values that were told of before were not for this link.
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

    /// Takes what has come by the socket.
    private func drain() {
        while let number = socket?.descriptor.withDescriptor({ $0 }) {
            var isDry = false
            var hasEnded = false
            // What the largest packet holds (517 bytes), though values have fewer.
            let value = unsafe WipedBytes(capacity: 514) { buffer in
                let count = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                isDry = count < 0 && [EAGAIN, EINTR].contains(errno)
                hasEnded = count < 0
                return max(0, count)
            }
            guard !isDry else { return }
            // An empty value looks like the end.
            if value.isEmpty { hasEnded = hasEnded || (try? SystemSocketCalls().hasEnded(number)) != false }
            guard !hasEnded else { return endOfSocket() }
            take(value)
        }
    }

    private func take(_ value: WipedBytes) {
        guard end == nil, !value.isEmpty else { return }
        guard values.append(value) else {
            // A link with a hole in it is none. Left in the socket, it would be bluetoothd that loses it, and tells nobody.
            return finish(
                LinkError(
                    .system, link: name, "data of the device was lost: it was not received in time",
                    remedy: "receive all the time, in a task of its own"))
        }
        wake()
    }

    private func endOfSocket() {
        giveUpSocket()
        guard observer != nil else { return }
        // Why it ended comes over the bus, before the answer to this.
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

    /// Waits for what the device notifies of next. For one task at a time.
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

    /// Bytes of a value at most.
    var payloadSize: Int { GATTProfile.payloadSize(packet: outlet?.packetSize ?? written.packetSize ?? packetSize) }

    /// Sends bytes in pieces, as the profile says.
    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let size = profile.chunkSize(payload: payloadSize)
        var sent = 0
        while sent < bytes.count {
            let left = bytes.count - sent
            if let end { throw LinkError(end, undelivered: left) }
            let chunk = WipedBytes(bytes[sent..<min(sent + size, bytes.count)])
            do throws(BusError) {
                try await write(chunk)
            } catch {
                // Why the link was lost says more than that writing failed.
                if let end { throw LinkError(end, undelivered: left) }
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
            // Why it ended comes over the bus, before the answer to this.
            _ = try? await device.client.bus.call(isConnected)
            throw BusError(name: "org.bluez.Error.NotConnected", message: error.message)
        }
    }

    /// Asks bluetoothd for what is told anyway, but before its answer.
    private var isConnected: BusCall {
        BusCall(
            BlueZName.service, device.path, BlueZName.properties, "Get",
            BusBody([.string(BlueZName.device), .string("Connected")]))
    }

    /// Ends the device's connection, unless it has ended: a later one is another's.
    func close() async {
        let isOver = observer == nil
        shut()
        if !isOver { await device.disconnect() }
    }

    /// Ends the link, and nothing else.
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

    /// Ends the link after what has come.
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

extension LinkError {
    /// The same, with the number of bytes that were not sent.
    fileprivate init(_ error: LinkError, undelivered: Int) {
        self.init(
            error.code, link: error.link, error.message, remedy: error.remedy, underlying: error.underlying,
            undelivered: undelivered)
    }
}

/// Values that have come and were not taken yet, in their order: a ring, which is full at some point.
struct ValueQueue {
    private var values: [WipedBytes?]
    private var first = 0
    private var count = 0

    /// - Parameter capacity: values that there is room for.
    init(capacity: Int) { values = Array(repeating: nil, count: capacity) }

    var isEmpty: Bool { count == 0 }

    /// Takes a value in.
    /// - Returns: whether there was room.
    mutating func append(_ value: WipedBytes) -> Bool {
        guard count < values.count else { return false }
        values[(first + count) % values.count] = value
        count += 1
        return true
    }

    /// Gives the oldest value away; nil where there is none.
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

/// A socket that bluetoothd has given away for a characteristic: a packet in it is a value. It is closed with this.
struct AcquiredSocket: Sendable {
    let descriptor: BusDescriptor
    /// Bytes in a packet of the link, three of which are its own.
    let packetSize: Int
}
