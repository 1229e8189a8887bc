import Glibc
internal import JackdawSystem
internal import JackdawTransport

/// The content of a message: values, and the descriptors that some of them refer to.
struct BusBody: Sendable {
    var values: [BusValue]
    var descriptors: [BusDescriptor]

    init(_ values: [BusValue] = [], descriptors: [BusDescriptor] = []) {
        self.values = values
        self.descriptors = descriptors
    }

    /// The value at an index; nil if there are fewer values.
    subscript(index: Int) -> BusValue? { values.indices.contains(index) ? values[index] : nil }

    /// The descriptor that a value refers to.
    func descriptor(at index: Int) -> BusDescriptor? {
        guard case .descriptor(let place)? = self[index], descriptors.indices.contains(place) else { return nil }
        return descriptors[place]
    }
}

/// An outgoing method call.
struct BusCall: Sendable {
    var destination: String
    var path: String
    var interface: String
    var member: String
    var body = BusBody()

    init(_ destination: String, _ path: String, _ interface: String, _ member: String, _ body: BusBody = BusBody()) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }

    /// A call to the bus itself.
    static func daemon(_ member: String, _ values: BusValue...) -> BusCall {
        BusCall(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", member, BusBody(values))
    }
}

/// An answer to a call.
struct BusReply: Sendable {
    /// The unique name of the sender.
    let sender: String
    let body: BusBody
}

/// A signal, received or to be sent.
struct BusSignal: Sendable {
    /// The unique name of the sender; unused in a signal to be sent.
    var sender = ""
    var path: String
    var interface: String
    var member: String
    var body = BusBody()
}

/// A method call to an exported object, which waits for its answer.
struct BusRequest: Sendable {
    /// The number for the answer.
    let number: Int
    /// The unique name of the caller.
    let sender: String
    let path: String
    let interface: String
    let member: String
    let body: BusBody
}

/// A match rule for signals.
struct BusMatch: Sendable {
    var sender: String?
    var path: String?
    /// A path and all paths below it.
    var pathNamespace: String?
    var interface: String?
    var member: String?
    /// The first argument, a string.
    var firstArgument: String?

    /// The rule in D-Bus syntax.
    var rule: String {
        let parts = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        return "type='signal'" + parts.map { key, value in value.map { ",\(key)='\($0)'" } ?? "" }.joined()
    }
}

/// A failed call on the bus: the D-Bus error name and its message.
struct BusError: Error, Hashable {
    /// The name, such as `org.bluez.Error.InProgress`.
    let name: String
    /// Words for people; may be empty.
    let message: String

    init(name: String, message: String = "") {
        self.name = name
        self.message = message
    }

    /// Creates the error for a result of the library.
    /// - Parameter result: a negative error number of the system.
    init(result: Int32) {
        switch -result {
        case ENOTCONN, ECONNRESET, EPIPE: self = .disconnected
        case EACCES, EPERM: self.init(name: Name.accessDenied, message: unsafe String(cString: strerror(-result)))
        case ENOENT, ECONNREFUSED: self.init(name: Name.noServer, message: unsafe String(cString: strerror(-result)))
        default: self.init(name: Name.failed, message: unsafe String(cString: strerror(-result)))
        }
    }

    /// Error names that this program sends and expects.
    enum Name {
        static let failed = "org.freedesktop.DBus.Error.Failed"
        static let noServer = "org.freedesktop.DBus.Error.NoServer"
        static let accessDenied = "org.freedesktop.DBus.Error.AccessDenied"
        static let unknownMethod = "org.freedesktop.DBus.Error.UnknownMethod"
        static let invalidArguments = "org.freedesktop.DBus.Error.InvalidArgs"
    }

    /// The connection to the bus has ended.
    static let disconnected = BusError(
        name: "org.freedesktop.DBus.Error.Disconnected", message: "the connection to the bus has ended")
    /// The caller cancelled the call.
    static let cancelled = BusError(name: "org.jackdaw.Error.Cancelled", message: "cancelled")
    /// No answer arrived within the time limit.
    static let timedOut = BusError(name: "org.jackdaw.Error.TimedOut", message: "no answer in time")
    /// Whether the call may have been carried out nevertheless, since its answer was not received.
    var isUnanswered: Bool { self == .cancelled || self == .timedOut }

    /// A message that exceeds this program's limits, or has unexpected content.
    static func badMessage(_ message: String) -> BusError {
        BusError(name: "org.jackdaw.Error.BadMessage", message: message)
    }
}

/// A descriptor that was received over the bus or is sent over it: closed when it is released, unless a caller has
/// taken it.
final class BusDescriptor: Sendable {
    private let state: Lock<Int32?>

    /// Takes ownership of a descriptor.
    init(owning descriptor: Int32) { state = Lock(descriptor) }

    /// Duplicates a descriptor, whose owner keeps it.
    init(copying descriptor: Int32) throws(SystemFailure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last }
        state = Lock(copy)
    }

    deinit { if let descriptor = take() { close(descriptor) } }

    /// Passes the descriptor's ownership to the caller; nil if it was taken before.
    func take() -> Int32? {
        state.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Calls the body with the descriptor; nil if it was taken.
    func withDescriptor<Result: Sendable>(_ body: (Int32) -> Result) -> Result? {
        state.withLock { descriptor in descriptor.map(body) }
    }
}
