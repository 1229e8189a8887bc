internal import CLinux
internal import CSystemD
import Glibc
internal import JackdawSystem

/// The connection of sd-bus, with everything of C behind it. It is used on one thread; ``Bus`` sees to that.
@safe final class BusConnection {
    /// What sd-bus knows one of our calls, matches or objects by, and what it calls.
    @safe private final class Slot {
        unowned let connection: BusConnection
        let number: Int
        let handler: (OpaquePointer) -> Void
        /// Of a match: called with the bus's answer once.
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
        // Calls have no limit of the library's own: theirs is on a clock of ours.
        try Self.check(unsafe sd_bus_set_method_call_timeout(bus, jackdaw_bus_no_timeout()))
    }

    deinit {
        close()
        unsafe sd_bus_unref(bus)
    }

    /// Leaves the bus. Nothing is called any more but who waits for signals to be asked for.
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

    /// What to watch.
    var descriptor: Int32 { unsafe sd_bus_get_fd(bus) }

    /// What to watch it for.
    var interest: Readiness {
        let events = unsafe sd_bus_get_events(bus)
        var interest: Readiness = []
        if events > 0, events & Int32(POLLIN) != 0 { interest.insert(.reading) }
        if events > 0, events & Int32(POLLOUT) != 0 { interest.insert(.writing) }
        return interest
    }

    /// When to call ``process()`` at the latest, in microseconds of the monotonic clock.
    var deadline: UInt64? {
        var deadline: UInt64 = 0
        guard unsafe sd_bus_get_timeout(bus, &deadline) > 0, deadline != jackdaw_bus_no_timeout() else { return nil }
        return deadline
    }

    /// Its own unique name; nil before the bus has given it one.
    var uniqueName: String? {
        var name: UnsafePointer<CChar>?
        guard unsafe sd_bus_get_unique_name(bus, &name) >= 0 else { return nil }
        return unsafe name.map { unsafe String(cString: $0) }
    }

    /// Does all that can be done without waiting.
    func process() throws(BusError) {
        while try Self.check(unsafe sd_bus_process(bus, nil)) > 0 {}
    }

    /// Calls a method. The completion is called once, unless ``remove(_:)`` is called before with what this returns.
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

    /// Asks for signals.
    /// - Parameters:
    ///   - match: which.
    ///   - installed: called once, with nil when the bus will send them.
    ///   - handler: gets them.
    /// - Returns: what they are given up by.
    /// - Throws: ``BusError`` where they could not be asked for.
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

    /// Offers an object, which is taken away by what this returns. The handler gets each call of a method of it, which
    /// ``answer(_:_:)`` must be called for in the end.
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

    /// Gives up a call, signals or an object. Who waits for signals to be asked for is told.
    func remove(_ number: Int) {
        guard let slot = slots.removeValue(forKey: number) else { return }
        unsafe sd_bus_slot_unref(slot.pointer)
        unsafe slot.pointer = nil
        slot.installed?(.cancelled)
    }

    /// Answers a call of a method. Nothing happens where it was answered before.
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
        // It may hold card data or a code: the library wipes it when it lets go of it.
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
        // One that cannot be read is none; there is nobody to tell.
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

/// A point of the monotonic clock that an ``EventLoop`` can wait for, since sd-bus has such points of its own.
final class BusTimer: Sendable {
    /// What to watch: readable from that point on.
    let descriptor: Int32

    init() throws(SystemFailure) {
        descriptor = jackdaw_timerfd()
        guard descriptor >= 0 else { throw .last }
    }

    deinit { close(descriptor) }

    /// Waits for another point, in microseconds, or for none; and forgets that one has passed.
    func set(_ microseconds: UInt64?) {
        _ = jackdaw_timerfd_set(descriptor, microseconds.map { Int64(clamping: $0) } ?? -1)
    }
}

/// Which bus to connect to.
enum BusAddress: Sendable, Hashable {
    /// The system's.
    case system
    /// One by its address, such as `unix:path=/run/dbus/system_bus_socket`.
    case at(String)
}
