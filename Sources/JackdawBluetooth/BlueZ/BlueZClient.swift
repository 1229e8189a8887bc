internal import JackdawSystem
internal import JackdawTransport

/// The connection to bluetoothd: calls its methods, and mirrors the state of its objects.
actor BlueZClient {
    nonisolated let bus: Bus
    nonisolated let clock: any Clock<Duration>
    /// The time limit of a call that involves only bluetoothd, not a device.
    static let usualLimit = Duration.seconds(25)
    /// The time limit of a call that undoes something: its caller has already failed or been cancelled, and waits for
    /// it.
    static let undoLimit = Duration.seconds(5)

    private(set) var objects = BlueZObjects()
    private(set) var observers: [Int: @Sendable (BlueZObjects.Event) -> Void] = [:]
    private(set) var waiting: [Int: @Sendable (BlueZObjects?) -> Bool] = [:]
    /// The handlers of characteristic values.
    private(set) var listeners: [Int: (path: String, hear: @Sendable (WipedBytes) -> Void)] = [:]
    /// Values that were notified while their characteristic is being read.
    private var held: [String: [WipedBytes]] = [:]
    /// The task that requests the objects of a bluetoothd that has started.
    private var filling: Task<Void, Never>?
    private var lastNumber = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe bus.unownedExecutor }

    private init(_ bus: Bus, clock: any Clock<Duration>) {
        self.bus = bus
        self.clock = clock
    }

    deinit { filling?.cancel() }

    /// Connects to bluetoothd and requests its objects.
    static func open(
        _ address: BusAddress, on loop: EventLoop, clock: any Clock<Duration>
    ) async throws(BusError) -> BlueZClient {
        try await withDeadline(usualLimit, of: clock, late: .timedOut) { () throws(BusError) in
            let client = BlueZClient(try await Bus.open(address, on: loop), clock: clock)
            do throws(BusError) {
                try await client.start()
            } catch {
                await client.close()
                throw error
            }
            return client
        }
    }

    /// Calls a method of a bluetoothd object.
    /// - Parameters:
    ///   - path: the object's path.
    ///   - interface: the method's interface.
    ///   - member: the method's name.
    ///   - values: the method's arguments.
    ///   - limit: the time limit of the call.
    ///   - connection: a connection other than this client's own.
    ///   - take: receives the answer or the error on the loop, before any message that arrived after it.
    /// - Returns: the answer's values and descriptors.
    /// - Throws: ``BusError`` if there is no answer in time, or the answer is an error.
    @discardableResult
    nonisolated func call(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = [],
        within limit: Duration = usualLimit, over connection: Bus? = nil,
        _ take: @escaping @Sendable (Result<BusReply, BusError>) -> Void = { _ in }
    ) async throws(BusError) -> BusBody {
        let call = BusCall(BlueZName.service, path, interface, member, BusBody(values))
        let bus = connection ?? bus
        return try await withDeadline(limit, of: clock, late: .timedOut) { () throws(BusError) in
            try await bus.call(call, take).body
        }
    }

    /// Calls a method that undoes something, even if the caller's task is cancelled.
    nonisolated func undo(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = [], over connection: Bus? = nil
    ) async {
        // A separate task is not cancelled with this one. If the call fails, there is nothing left to undo.
        await Task {
            _ = try? await call(path, interface, member, values, within: Self.undoLimit, over: connection)
        }.value
    }

    /// Sets a property of an object.
    nonisolated func set(
        _ path: String, _ interface: String, _ name: String, _ value: BusValue
    ) async throws(BusError) {
        try await call(path, BlueZName.properties, "Set", [.string(interface), .string(name), .variant(value)])
    }

    /// The changes from now on, until the caller ends the stream.
    func events() -> AsyncStream<BlueZObjects.Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: BlueZObjects.Event.self)
        let number = nextNumber()
        observers[number] = { continuation.yield($0) }
        continuation.onTermination = { [weak self] _ in
            guard let self else { return }
            Task { await self.forget(number) }
        }
        return stream
    }

    /// Calls the handler on the loop with each change, before the loop does anything else.
    /// - Returns: the number to pass to ``forget(_:)``.
    func observe(_ handler: @escaping @Sendable (BlueZObjects.Event) -> Void) -> Int {
        let number = nextNumber()
        observers[number] = handler
        return number
    }

    /// Calls the handler on the loop with the notified values of a characteristic, except those that this program
    /// reads.
    /// - Returns: the number to pass to ``forget(_:)``.
    func listen(to path: String, _ handler: @escaping @Sendable (WipedBytes) -> Void) -> Int {
        let number = nextNumber()
        listeners[number] = (path, handler)
        return number
    }

    func forget(_ number: Int) {
        observers[number] = nil
        listeners[number] = nil
    }

    /// Reads the value of a characteristic.
    func read(_ path: String) async throws(BusError) -> WipedBytes {
        // bluetoothd refuses a second read at the same time too.
        guard held[path] == nil else { throw BusError(name: "org.bluez.Error.InProgress") }
        held[path] = []
        let options = BusValue.options([:])
        let body = try await call(path, BlueZName.characteristic, "ReadValue", [options]) { [weak self] result in
            self?.assumeIsolated { $0.endReading(path, result) }
        }
        return body[0]?.byteArray ?? []
    }

    /// Waits until the objects satisfy a condition.
    /// - Parameter condition: returns a value when it is satisfied; called after each change.
    /// - Returns: that value.
    /// - Throws: ``BusError`` if the task was cancelled.
    func wait<Value: Sendable>(
        until condition: @escaping @Sendable (BlueZObjects) -> Value?
    ) async throws(BusError) -> Value {
        if let value = condition(objects) { return value }
        let number = nextNumber()
        let value: Value? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: nil) }
                waiting[number] = { objects in
                    guard let objects else {
                        continuation.resume(returning: nil)
                        return true
                    }
                    guard let value = condition(objects) else { return false }
                    continuation.resume(returning: value)
                    return true
                }
            }
        } onCancel: {
            Task { await self.giveUp(number) }
        }
        guard let value else { throw .cancelled }
        return value
    }

    /// Closes the connection to bluetoothd.
    func close() async { await bus.close() }

    private func start() async throws(BusError) {
        let handler: @Sendable (BusSignal) -> Void = { [weak self] signal in
            self?.assumeIsolated { client in
                let events = client.objects.receive(signal)
                client.tell(events)
            }
        }
        let names = BusMatch(
            sender: "org.freedesktop.DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
            firstArgument: BlueZName.service)
        _ = try await bus.watch(names, handler)
        _ = try await bus.watch(BusMatch(sender: BlueZName.service), handler)
        await bus.notifyEnd { [weak self] in
            self?.assumeIsolated { client in
                let events = client.objects.lose()
                client.tell(events)
            }
        }
        try await askForObjects()
    }

    private func askForObjects() async throws(BusError) {
        try await call("/", BlueZName.objectManager, "GetManagedObjects") { [weak self] result in
            self?.assumeIsolated { client in
                guard case .success(let reply) = result else { return }
                let events = client.objects.replace(with: reply)
                client.tell(events)
            }
        }
    }

    /// Requests the objects of a bluetoothd that has started, until it answers: it may be busy during its start.
    private func fill() {
        filling?.cancel()
        filling = Task { [weak self, clock] in
            let backOff = BackOff()
            var pause = backOff.first
            while await self?.needsObjects() == true {
                guard (try? await clock.sleep(for: pause)) != nil else { return }
                pause = backOff.wait(after: pause)
            }
        }
    }

    /// Requests the objects once.
    /// - Returns: whether to request them again.
    private func needsObjects() async -> Bool {
        do throws(BusError) { try await askForObjects() } catch { return objects.owner != nil }
        return false
    }

    private func tell(_ events: [BlueZObjects.Event]) {
        guard !events.isEmpty else { return }
        for event in events {
            if case .notified(let path, let value) = event {
                hear(value, from: path)
            } else {
                for observer in observers.values { observer(event) }
            }
            if event == .serviceStarted { fill() }
        }
        for (number, isDone) in waiting where isDone(objects) { waiting[number] = nil }
    }

    private func hear(_ value: WipedBytes, from path: String) {
        guard held[path] == nil else {
            held[path]?.append(value)
            return
        }
        for listener in listeners.values where listener.path == path { listener.hear(value) }
    }

    /// bluetoothd notifies a value that is read before it answers the read, so that value is removed once.
    private func endReading(_ path: String, _ result: Result<BusReply, BusError>) {
        var values = held.removeValue(forKey: path) ?? []
        if case .success(let reply) = result, let index = values.lastIndex(where: { $0 == reply.body[0]?.byteArray }) {
            values.remove(at: index)
        }
        for value in values { hear(value, from: path) }
    }

    private func giveUp(_ number: Int) { _ = waiting.removeValue(forKey: number)?(nil) }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}

/// The task during which bluetoothd reported an error: the meaning of some of its errors depends on it.
enum BlueZTask {
    case searching
    /// Connecting, reading and writing.
    case connecting
    case pairing
}
