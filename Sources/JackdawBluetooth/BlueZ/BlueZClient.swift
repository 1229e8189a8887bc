internal import JackdawSystem
internal import JackdawTransport

/// The connection to bluetoothd: calls its methods and keeps what it tells of its objects.
actor BlueZClient {
    nonisolated let bus: Bus
    nonisolated let clock: any Clock<Duration>
    /// How long a call that asks nobody but bluetoothd may take.
    static let usualLimit = Duration.seconds(25)
    /// How long a call that undoes something may take: somebody has given up already and waits for it.
    static let undoLimit = Duration.seconds(5)

    private(set) var objects = BlueZObjects()
    private(set) var observers: [Int: @Sendable (BlueZObjects.Event) -> Void] = [:]
    private(set) var waiting: [Int: @Sendable (BlueZObjects?) -> Bool] = [:]
    /// Who hears of a characteristic's values.
    private(set) var listeners: [Int: (path: String, hear: @Sendable (WipedBytes) -> Void)] = [:]
    /// Values that characteristics told of while they are read.
    private var held: [String: [WipedBytes]] = [:]
    /// Asks for the objects of a bluetoothd that has come.
    private var filling: Task<Void, Never>?
    private var lastNumber = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe bus.unownedExecutor }

    private init(_ bus: Bus, clock: any Clock<Duration>) {
        self.bus = bus
        self.clock = clock
    }

    deinit { filling?.cancel() }

    /// Connects to bluetoothd.
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

    /// Calls a method of an object of bluetoothd.
    /// - Parameters:
    ///   - path: of the object.
    ///   - interface: of the method.
    ///   - member: its name.
    ///   - values: its arguments.
    ///   - limit: how long it may take.
    ///   - connection: another one than this client's own.
    ///   - take: gets the answer, or why there is none, on the loop before any message that came after it.
    /// - Returns: the answer's values and descriptors.
    /// - Throws: ``BusError``.
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

    /// Calls a method that has to be called whatever becomes of the task: it undoes something.
    nonisolated func undo(
        _ path: String, _ interface: String, _ member: String, _ values: [BusValue] = [], over connection: Bus? = nil
    ) async {
        // A task of its own is not cancelled with this one. What cannot be undone has gone.
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

    /// What changes from now on, until the stream is given up.
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

    /// Calls back on the loop with what changes, before anything else happens there.
    /// - Returns: what ``forget(_:)`` ends it by.
    func observe(_ handler: @escaping @Sendable (BlueZObjects.Event) -> Void) -> Int {
        let number = nextNumber()
        observers[number] = handler
        return number
    }

    /// Calls back on the loop with the values that a characteristic tells of, but for those that this program reads.
    /// - Returns: what ``forget(_:)`` ends it by.
    func listen(to path: String, _ handler: @escaping @Sendable (WipedBytes) -> Void) -> Int {
        let number = nextNumber()
        listeners[number] = (path, handler)
        return number
    }

    func forget(_ number: Int) {
        observers[number] = nil
        listeners[number] = nil
    }

    /// Reads a characteristic.
    func read(_ path: String) async throws(BusError) -> WipedBytes {
        // bluetoothd refuses a second one as well.
        guard held[path] == nil else { throw BusError(name: "org.bluez.Error.InProgress") }
        held[path] = []
        let options = BusValue.options([:])
        let body = try await call(path, BlueZName.characteristic, "ReadValue", [options]) { [weak self] result in
            self?.assumeIsolated { $0.endReading(path, result) }
        }
        return body[0]?.byteArray ?? []
    }

    /// Waits until the objects are as they should be.
    /// - Parameter condition: answers with a value when they are; asked after each change.
    /// - Returns: that value.
    /// - Throws: ``BusError`` where the task was cancelled.
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

    /// Ends the connection.
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

    /// Asks for the objects of a bluetoothd that has come, until they are here: it may be busy at its start.
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

    /// Asks for the objects once.
    /// - Returns: whether they are to be asked for again.
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

    /// bluetoothd tells of what is read before it answers.
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

/// What was being done when bluetoothd refused: some of its errors mean one thing here and another there.
enum BlueZTask {
    case searching
    /// Connecting, reading and writing.
    case connecting
    case pairing
}
