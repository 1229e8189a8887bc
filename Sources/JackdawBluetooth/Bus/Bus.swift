internal import JackdawSystem

/// A connection to a D-Bus bus. It runs on an `EventLoop`, which calls the handlers in the order of the messages.
actor Bus {
    /// The registration of signals or of an object, to pass to ``remove(_:)``.
    struct Registration: Sendable {
        fileprivate let number: Int
    }

    nonisolated let address: BusAddress
    nonisolated let loop: EventLoop
    private let connection: BusConnection
    private let timer: BusTimer
    /// A copy of the library's descriptor: the library may close its own during processing, and its number may then be
    /// reused.
    private var descriptor: BusDescriptor?
    private var watches: [Watch] = []
    private var watchedFor: Readiness = []
    private var watchedUntil: UInt64?
    /// Pending calls, by a number of this class, with the connection's number.
    private var calls: [Int: (slot: Int, completion: @Sendable (Result<BusReply, BusError>) -> Void)] = [:]
    /// Pending match rules, by a number of this class, with the connection's number.
    private var matches: [Int: Int] = [:]
    private var lastNumber = 0
    private var whenEnded: [@Sendable () -> Void] = []
    /// Whether the connection is over.
    private(set) var isEnded = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    private init(_ address: BusAddress, on loop: EventLoop) throws(BusError) {
        self.address = address
        self.loop = loop
        do {
            timer = try BusTimer()
        } catch {
            throw BusError(result: -error.code)
        }
        connection = try BusConnection(to: address)
    }

    deinit { for watch in watches { loop.unwatch(watch) } }

    /// Connects to a bus, and waits until the bus has accepted the connection.
    static func open(_ address: BusAddress, on loop: EventLoop) async throws(BusError) -> Bus {
        let bus = try Bus(address, on: loop)
        try await bus.start()
        return bus
    }

    /// The unique name that the bus has assigned to this connection.
    var uniqueName: String { connection.uniqueName ?? "" }

    /// Calls a method and waits for the answer. If the task is cancelled, it returns without the answer.
    /// - Parameters:
    ///   - call: the method and its arguments.
    ///   - take: receives the answer or the error on the loop, before any message that arrived after it.
    /// - Returns: the answer.
    /// - Throws: ``BusError`` if the answer is an error, the connection has ended, or the task was cancelled.
    func call(
        _ call: BusCall, _ take: @escaping @Sendable (Result<BusReply, BusError>) -> Void = { _ in }
    ) async throws(BusError) -> BusReply {
        let number = nextNumber()
        let result: Result<BusReply, BusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let finish: @Sendable (Result<BusReply, BusError>) -> Void = { result in
                    take(result)
                    continuation.resume(returning: result)
                }
                guard !Task.isCancelled else { return finish(.failure(.cancelled)) }
                start(call, number, finish)
            }
        } onCancel: {
            Task { await self.cancel(number) }
        }
        return try result.get()
    }

    /// Calls a method; the completion receives the answer before any message that arrived after it.
    func send(_ call: BusCall, _ completion: @escaping @Sendable (Result<BusReply, BusError>) -> Void) {
        start(call, nextNumber(), completion)
    }

    /// Subscribes to signals, and waits until the bus has installed the match rule or the task is cancelled. The loop
    /// calls the handler, which must not retain the bus.
    func watch(
        _ match: BusMatch, _ handler: @escaping @Sendable (BusSignal) -> Void
    ) async throws(BusError) -> Registration {
        guard !isEnded else { throw .disconnected }
        let number = nextNumber()
        let failure: BusError? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(BusError) {
                    matches[number] = try connection.match(
                        match, installed: { continuation.resume(returning: $0) }, handler)
                    update()
                } catch {
                    continuation.resume(returning: error)
                }
            }
        } onCancel: {
            Task { await self.cancelMatch(number) }
        }
        // If the task was cancelled at the last moment, the match rule is already removed.
        guard let match = matches.removeValue(forKey: number) else { throw failure ?? .cancelled }
        let registration = Registration(number: match)
        if let failure {
            remove(registration)
            throw failure
        }
        return registration
    }

    /// Exports an object. The loop calls the handler with each method call, to be answered with ``answer(_:_:)``; the
    /// handler must not retain the bus.
    func export(
        _ path: String, _ handler: @escaping @Sendable (BusRequest) -> Void
    ) throws(BusError) -> Registration {
        guard !isEnded else { throw .disconnected }
        return Registration(number: try connection.export(path, handler))
    }

    /// Removes a match rule or an exported object.
    func remove(_ registration: Registration) {
        guard !isEnded else { return }
        connection.remove(registration.number)
        update()
    }

    /// Answers a method call to an exported object.
    func answer(_ request: BusRequest, _ result: Result<BusBody, BusError>) {
        guard !isEnded else { return }
        // The caller may have left the bus, which is no error here.
        try? connection.answer(request.number, result)
        update()
    }

    /// Sends a signal.
    func emit(_ signal: BusSignal) throws(BusError) {
        guard !isEnded else { throw .disconnected }
        try connection.emit(signal)
        update()
    }

    /// Calls the handler on the loop when the connection ends; at once if it has ended.
    func notifyEnd(_ handler: @escaping @Sendable () -> Void) {
        guard !isEnded else { return handler() }
        whenEnded.append(handler)
    }

    /// Closes the connection. Pending calls fail.
    func close() { end() }

    private func start() async throws(BusError) {
        do {
            let ready: @Sendable (Readiness) -> Void = { [weak self] _ in self?.assumeIsolated { $0.process() } }
            watches.append(try loop.watch(timer.descriptor, for: .reading, ready))
            let descriptor = try BusDescriptor(copying: connection.descriptor)
            self.descriptor = descriptor
            watchedFor = connection.interest
            if let number = descriptor.withDescriptor({ $0 }) {
                watches.append(try loop.watch(number, for: watchedFor, ready))
            }
        } catch {
            throw BusError(result: -error.code)
        }
        process()
        // The first answer shows that the bus has accepted the connection.
        _ = try await call(.daemon("GetId"))
    }

    private func start(
        _ call: BusCall, _ number: Int, _ completion: @escaping @Sendable (Result<BusReply, BusError>) -> Void
    ) {
        guard !isEnded else { return completion(.failure(.disconnected)) }
        do throws(BusError) {
            let slot = try connection.call(call) { [weak self] result in
                self?.assumeIsolated { $0.finish(number, result) }
            }
            calls[number] = (slot, completion)
            update()
        } catch {
            completion(.failure(error))
        }
    }

    private func finish(_ number: Int, _ result: Result<BusReply, BusError>) {
        calls.removeValue(forKey: number)?.completion(result)
    }

    private func cancel(_ number: Int) {
        guard let call = calls.removeValue(forKey: number) else { return }
        connection.remove(call.slot)
        call.completion(.failure(.cancelled))
        update()
    }

    private func cancelMatch(_ number: Int) {
        guard let match = matches.removeValue(forKey: number) else { return }
        remove(Registration(number: match))
    }

    private func process() {
        guard !isEnded else { return }
        do throws(BusError) {
            try connection.process()
            update()
        } catch {
            end()
        }
    }

    /// Updates the watches to the events and the deadline that the library waits for.
    private func update() {
        guard !isEnded, let watch = watches.last else { return }
        let interest = connection.interest
        if interest != watchedFor {
            watchedFor = interest
            loop.change(watch, to: interest)
        }
        let deadline = connection.deadline
        if deadline != watchedUntil {
            watchedUntil = deadline
            timer.set(deadline)
        }
    }

    private func end() {
        guard !isEnded else { return }
        isEnded = true
        for watch in watches { loop.unwatch(watch) }
        watches = []
        descriptor = nil
        connection.close()
        let calls = calls
        self.calls = [:]
        for call in calls.values { call.completion(.failure(.disconnected)) }
        for handler in whenEnded { handler() }
        whenEnded = []
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }
}
