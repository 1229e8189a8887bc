internal import CLinux
internal import CSystemD
import Glibc
internal import JackdawSystem

/// The connection of sd-bus, which wraps the C library. Only one thread may use it; ``Bus`` ensures that.
@safe final class BusConnection {
    /// The library's slot for a call, a match rule or an object, and its handler.
    @safe private final class Slot {
        unowned let connection: BusConnection
        let number: Int
        let handler: (OpaquePointer) -> Void
        /// For a match rule: called once, with the bus's answer.
        var installed: ((BusError?) -> Void)?
        var pointer: OpaquePointer?

        init(_ connection: BusConnection, number: Int, handler: @escaping (OpaquePointer) -> Void) {
            self.connection = connection
            self.number = number
            unsafe self.handler = handler
        }

        var userData: UnsafeMutableRawPointer { unsafe Unmanaged.passUnretained(self).toOpaque() }

        static func of(_ userData: UnsafeMutableRawPointer?) -> Slot? {
            unsafe userData.map { unsafe Unmanaged<Slot>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private let bus: OpaquePointer
    private var slots: [Int: Slot] = [:]
    private var requests: [Int: OpaquePointer] = unsafe [:]
    private var lastNumber = 0

    /// Begins to connect.
    init(to address: BusAddress) throws(BusError) {
        var bus: OpaquePointer?
        switch address {
        case .system:
            try Self.check(unsafe sd_bus_open_system(&bus))
            guard let bus = unsafe bus else { throw .disconnected }
            unsafe self.bus = bus
        case .at(let address):
            try Self.check(unsafe sd_bus_new(&bus))
            guard let bus = unsafe bus else { throw .disconnected }
            unsafe self.bus = bus
            try Self.check(unsafe sd_bus_set_address(bus, address))
            try Self.check(unsafe sd_bus_set_bus_client(bus, 1))
            try Self.check(unsafe sd_bus_negotiate_fds(bus, 1))
            try Self.check(unsafe sd_bus_start(bus))
        }
        // Calls have no time limit in the library: the limit is on this program's own clock.
        try Self.check(unsafe sd_bus_set_method_call_timeout(bus, jackdaw_bus_no_timeout()))
    }

    deinit {
        close()
        unsafe sd_bus_unref(bus)
    }

    /// Disconnects from the bus. Afterwards, only pending match rules are called back, with an error.
    func close() {
        let slots = slots.values
        self.slots = [:]
        for slot in slots {
            slot.installed?(.disconnected)
            unsafe sd_bus_slot_unref(slot.pointer)
        }
        while let request = unsafe requests.popFirst() { unsafe sd_bus_message_unref(request.value) }
        unsafe sd_bus_close(bus)
    }

    /// The descriptor to watch.
    var descriptor: Int32 { unsafe sd_bus_get_fd(bus) }

    /// The events to watch for.
    var interest: Readiness {
        let events = unsafe sd_bus_get_events(bus)
        var interest: Readiness = []
        if events > 0, events & Int32(POLLIN) != 0 { interest.insert(.reading) }
        if events > 0, events & Int32(POLLOUT) != 0 { interest.insert(.writing) }
        return interest
    }

    /// The latest time to call ``process()``, in microseconds of the monotonic clock.
    var deadline: UInt64? {
        var deadline: UInt64 = 0
        guard unsafe sd_bus_get_timeout(bus, &deadline) > 0, deadline != jackdaw_bus_no_timeout() else { return nil }
        return deadline
    }

    /// The connection's own unique name; nil before the bus has assigned it.
    var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        guard unsafe sd_bus_get_unique_name(bus, &name) >= 0 else { return nil }
        return unsafe name.map { unsafe String(cString: $0) }
    }

    /// Processes everything that does not need to wait.
    func process() throws(BusError) {
        while try Self.check(unsafe sd_bus_process(bus, nil)) > 0 {}
    }

    /// Calls a method. The completion is called once, unless ``remove(_:)`` is called before it with the returned
    /// number.
    func call(
        _ call: BusCall, _ completion: @escaping (Result<BusReply, BusError>) -> Void
    ) throws(BusError) -> Int {
        var message: OpaquePointer?
        try Self.check(
            unsafe sd_bus_message_new_method_call(
                bus, &message, call.destination, call.path, call.interface, call.member))
        defer { unsafe sd_bus_message_unref(message) }
        try unsafe write(call.body, into: message)
        let slot = unsafe Slot(self, number: nextNumber()) { reply in completion(unsafe Self.result(of: reply)) }
        try Self.check(
            unsafe sd_bus_call_async(
                bus, &slot.pointer, message,
                { message, userData, _ in
                    guard let message = unsafe message, let slot = unsafe Slot.of(userData) else { return 1 }
                    unsafe slot.handler(message)
                    slot.connection.remove(slot.number)
                    return 1
                }, slot.userData, jackdaw_bus_no_timeout()))
        slots[slot.number] = slot
        return slot.number
    }

    /// Subscribes to signals.
    /// - Parameters:
    ///   - match: the match rule.
    ///   - installed: called once, with nil when the bus has installed the match rule.
    ///   - handler: receives the signals.
    /// - Returns: the number to pass to ``remove(_:)``.
    /// - Throws: ``BusError`` if the request could not be sent.
    func match(
        _ match: BusMatch, installed: @escaping (BusError?) -> Void, _ handler: @escaping (BusSignal) -> Void
    ) throws(BusError) -> Int {
        let slot = unsafe Slot(self, number: nextNumber()) { message in
            guard let signal = unsafe Self.signal(message) else { return }
            handler(signal)
        }
        slot.installed = installed
        try Self.check(
            unsafe sd_bus_add_match_async(
                bus, &slot.pointer, match.rule,
                { message, userData, _ in
                    guard let message = unsafe message, let slot = unsafe Slot.of(userData) else { return 0 }
                    unsafe slot.handler(message)
                    return 0
                },
                { message, userData, _ in
                    guard let message = unsafe message, let slot = unsafe Slot.of(userData) else { return 1 }
                    let installed = slot.installed
                    slot.installed = nil
                    installed?(unsafe BusConnection.error(of: message))
                    return 1
                }, slot.userData))
        slots[slot.number] = slot
        return slot.number
    }

    /// Exports an object, until ``remove(_:)`` is called with the returned number. The handler receives each method
    /// call, which must be answered with ``answer(_:_:)``.
    func export(_ path: String, _ handler: @escaping (BusRequest) -> Void) throws(BusError) -> Int {
        let slot = unsafe Slot(self, number: nextNumber()) { [unowned self] message in
            unsafe receive(message, handler)
        }
        try Self.check(
            unsafe sd_bus_add_object(
                bus, &slot.pointer, path,
                { message, userData, _ in
                    guard let message = unsafe message, let slot = unsafe Slot.of(userData) else { return 0 }
                    unsafe slot.handler(message)
                    return 1
                }, slot.userData))
        slots[slot.number] = slot
        return slot.number
    }

    /// Removes a call, a match rule or an object. A pending match rule is called back with an error.
    func remove(_ number: Int) {
        guard let slot = slots.removeValue(forKey: number) else { return }
        unsafe sd_bus_slot_unref(slot.pointer)
        unsafe slot.pointer = nil
        slot.installed?(.cancelled)
    }

    /// Answers a method call. A second answer has no effect.
    func answer(_ request: Int, _ result: Result<BusBody, BusError>) throws(BusError) {
        guard let call = unsafe requests.removeValue(forKey: request) else { return }
        defer { unsafe sd_bus_message_unref(call) }
        guard unsafe sd_bus_message_get_expect_reply(call) > 0 else { return }
        switch result {
        case .success(let body):
            var message: OpaquePointer?
            try Self.check(unsafe sd_bus_message_new_method_return(call, &message))
            defer { unsafe sd_bus_message_unref(message) }
            try unsafe write(body, into: message)
            try Self.check(unsafe sd_bus_send(bus, message, nil))
        case .failure(let error):
            let result = unsafe error.name.withCString { name in
                unsafe error.message.withCString { message in
                    var failure = unsafe sd_bus_error(name: name, message: message, _need_free: 0)
                    return unsafe sd_bus_reply_method_error(call, &failure)
                }
            }
            try Self.check(result)
        }
    }

    /// Sends a signal.
    func emit(_ signal: BusSignal) throws(BusError) {
        var message: OpaquePointer?
        try Self.check(
            unsafe sd_bus_message_new_signal(bus, &message, signal.path, signal.interface, signal.member))
        defer { unsafe sd_bus_message_unref(message) }
        try unsafe write(signal.body, into: message)
        try Self.check(unsafe sd_bus_send(bus, message, nil))
    }

    private func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    private func write(_ body: BusBody, into message: OpaquePointer?) throws(BusError) {
        guard let message = unsafe message else { return }
        // The message may hold card data or a code: the library wipes it when it frees it.
        try Self.check(unsafe sd_bus_message_sensitive(message))
        try unsafe MessageWriter(message, descriptors: body.descriptors).write(body.values)
    }

    private func receive(_ message: OpaquePointer, _ handler: (BusRequest) -> Void) {
        let number = nextNumber()
        unsafe requests[number] = sd_bus_message_ref(message)
        do {
            handler(
                BusRequest(
                    number: number, sender: unsafe Self.text(sd_bus_message_get_sender(message)),
                    path: unsafe Self.text(sd_bus_message_get_path(message)),
                    interface: unsafe Self.text(sd_bus_message_get_interface(message)),
                    member: unsafe Self.text(sd_bus_message_get_member(message)),
                    body: try unsafe MessageReader.read(message)))
        } catch {
            let failure = BusError(name: BusError.Name.invalidArguments, message: error.message)
            try? answer(number, .failure(failure))
        }
    }

    private static func signal(_ message: OpaquePointer) -> BusSignal? {
        // A signal that cannot be parsed is dropped; no caller waits for it.
        guard let body = try? unsafe MessageReader.read(message) else { return nil }
        return BusSignal(
            sender: unsafe text(sd_bus_message_get_sender(message)),
            path: unsafe text(sd_bus_message_get_path(message)),
            interface: unsafe text(sd_bus_message_get_interface(message)),
            member: unsafe text(sd_bus_message_get_member(message)), body: body)
    }

    private static func result(of message: OpaquePointer) -> Result<BusReply, BusError> {
        if let error = unsafe error(of: message) { return .failure(error) }
        do throws(BusError) {
            let body = try unsafe MessageReader.read(message)
            return .success(BusReply(sender: unsafe text(sd_bus_message_get_sender(message)), body: body))
        } catch {
            return .failure(error)
        }
    }

    private static func error(of message: OpaquePointer) -> BusError? {
        guard let error = unsafe sd_bus_message_get_error(message), let name = unsafe error.pointee.name else {
            return nil
        }
        return BusError(name: unsafe String(cString: name), message: unsafe text(error.pointee.message))
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    @discardableResult
    private static func check(_ result: Int32) throws(BusError) -> Int32 {
        guard result >= 0 else { throw BusError(result: result) }
        return result
    }
}

/// A timer for a time of the monotonic clock that an `EventLoop` can watch, as sd-bus requires it.
final class BusTimer: Sendable {
    /// The descriptor to watch: readable from that time on.
    let descriptor: Int32

    init() throws(SystemFailure) {
        descriptor = jackdaw_timerfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    /// Sets the time, in microseconds; nil stops the timer. Either clears an expiration.
    func set(_ microseconds: UInt64?) {
        _ = jackdaw_timerfd_set(descriptor, microseconds.map { Int64(clamping: $0) } ?? -1)
    }
}

/// The address of a bus.
enum BusAddress: Sendable, Hashable {
    /// The bus of the system.
    case system
    /// A bus by its address, such as `unix:path=/run/dbus/system_bus_socket`.
    case at(String)
}
