import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// What a ``GATTLink`` has received and not handed over yet, and what it is written by.
actor GATTStream {
    nonisolated let device: GATTDevice
    private let profile: GATTProfile
    private let written: BlueZCharacteristic
    private let notifying: String
    private var observer: Int?
    /// What was notified of and not received yet.
    private var packets: [[UInt8]] = []
    /// What notifications come by, where bluetoothd gives one away.
    private var socket: (descriptor: BusDescriptor, watch: Watch)?
    /// What is written without an answer goes by it, where bluetoothd gives one away.
    private var outlet: GATTOutlet?
    private var receiver: CheckedContinuation<Void, Never>?
    /// Why nothing more will come.
    private var end: LinkError?
    /// Why the device says that it has gone.
    private var reason: String?

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe device.client.unownedExecutor }

    private init(_ device: GATTDevice, _ profile: GATTProfile, written: BlueZCharacteristic, notifying: String) {
        self.device = device
        self.profile = profile
        self.written = written
        self.notifying = notifying
    }

    /// Listens to a connected device.
    static func open(_ device: GATTDevice, _ profile: GATTProfile) async throws(LinkError) -> GATTStream {
        let written = try await device.find(profile.service, profile.write)
        let notifying = try await device.find(profile.service, profile.notify)
        let stream = GATTStream(device, profile, written: written, notifying: notifying.path)
        await stream.listen()
        do throws(LinkError) {
            try await stream.subscribe(notifying)
        } catch {
            await stream.close()
            throw error
        }
        return stream
    }

    deinit {
        if let socket { device.client.bus.loop.unwatch(socket.watch) }
        guard let observer else { return }
        Task { [client = device.client] in await client.forget(observer) }
    }

    /// Asks for notifications: by a socket, on which none is lost; on the bus where bluetoothd gives none away.
    private func subscribe(_ notifying: BlueZCharacteristic) async throws(LinkError) {
        if !profile.isAcknowledged, let socket = try? await device.acquireWriting(written) {
            outlet = GATTOutlet(socket, on: device.client.bus.loop)
        }
        if let socket = try? await device.acquireNotifications(notifying) { return try adopt(socket.descriptor) }
        do throws(BusError) {
            try await device.client.call(notifying.path, BlueZName.characteristic, "StartNotify")
        } catch {
            throw device.failure(error)
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
        guard let socket, let number = socket.descriptor.withDescriptor({ $0 }) else { return }
        var isDry = false
        while true {
            // Values have 512 bytes at most.
            let packet = unsafe [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
                let result = unsafe recv(number, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
                isDry = result < 0 && [EAGAIN, EINTR].contains(errno)
                count = max(0, result)
            }
            guard !isDry else { return }
            guard !packet.isEmpty else { break }
            packets.append(packet)
            wake()
        }
        device.client.bus.loop.unwatch(socket.watch)
        self.socket = nil
        guard end == nil else { return }
        // Why it ended comes over the bus, before the answer to this.
        device.client.bus.assumeIsolated { [isConnected] bus in
            bus.send(isConnected) { [weak self] _ in
                self?.assumeIsolated { $0.lose(.disconnected, "notifications ended") }
            }
        }
    }

    /// Waits for what the device notifies of next. For one task at a time.
    func next() async throws(LinkError) -> [UInt8] {
        while packets.isEmpty {
            if let end { throw end }
            if Task.isCancelled { throw LinkError(.cancelled, link: name) }
            await withTaskCancellationHandler {
                await withCheckedContinuation { receiver = $0 }
            } onCancel: {
                Task { await self.wake() }
            }
        }
        return packets.removeFirst()
    }

    private var name: String { device.link.description }

    /// Sends bytes in pieces, as the profile says.
    func send(_ bytes: [UInt8]) async throws(LinkError) {
        let size = profile.chunkSize(packet: outlet?.packetSize ?? written.packetSize)
        var sent = 0
        while sent < bytes.count {
            let left = bytes.count - sent
            if let end { throw LinkError(end, undelivered: left) }
            let chunk = Array(bytes[sent..<min(sent + size, bytes.count)])
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

    private func write(_ chunk: [UInt8]) async throws(BusError) {
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

    /// Ends the device's connection.
    func close() async {
        guard end == nil else { return }
        finish(LinkError(.disconnected, link: name, "the link was closed"))
        await device.disconnect()
    }

    private func listen() async {
        observer = await device.client.observe { [weak self] event in
            self?.assumeIsolated { $0.receive(event) }
        }
    }

    private func receive(_ event: BlueZObjects.Event) {
        switch event {
        case .changed(notifying, BlueZName.characteristic, let properties):
            guard end == nil, let packet = properties["Value"]?.byteArray, !packet.isEmpty else { return }
            packets.append(packet)
            wake()
        case .disconnected(device.path, let reason): self.reason = reason
        case .changed(device.path, BlueZName.device, let properties) where properties["Connected"] == .boolean(false):
            lose(reason.flatMap { BlueZCause(disconnection: $0) } ?? .disconnected, reason ?? "the connection ended")
        case .removed(device.path, BlueZName.device): lose(.disconnected, "the device was removed")
        case .serviceEnded: lose(.serviceMissing, "bluetoothd ended")
        default: break
        }
    }

    private func lose(_ cause: BlueZCause, _ words: String) {
        finish(LinkError(cause, link: name, underlying: words))
    }

    private func finish(_ error: LinkError) {
        guard end == nil else { return }
        end = error
        drain()
        if let socket { device.client.bus.loop.unwatch(socket.watch) }
        socket = nil
        outlet?.assumeIsolated { $0.close() }
        wake()
        guard let observer else { return }
        self.observer = nil
        device.client.assumeIsolated { $0.forget(observer) }
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
