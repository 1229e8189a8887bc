import Glibc
internal import JackdawSystem

/// What a message carries: values, and the descriptors that some of them mean.
struct BusBody: Sendable {
    var values: [BusValue]
    var descriptors: [BusDescriptor]

    init(_ values: [BusValue] = [], descriptors: [BusDescriptor] = []) {
        self.values = values
        self.descriptors = descriptors
    }

    /// The value at a place; nil where there are fewer.
    subscript(index: Int) -> BusValue? { values.indices.contains(index) ? values[index] : nil }

    /// The descriptor that a value means.
    func descriptor(at index: Int) -> BusDescriptor? {
        guard case .descriptor(let place)? = self[index], descriptors.indices.contains(place) else { return nil }
        return descriptors[place]
    }
}

/// A call of a method, on its way out.
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
    /// The unique name of who answered.
    let sender: String
    let body: BusBody
}

/// A signal.
struct BusSignal: Sendable {
    /// The unique name of who sent it; on the way out, whatever.
    var sender = ""
    var path: String
    var interface: String
    var member: String
    var body = BusBody()
}

/// A call of a method of an exported object, which waits for its answer.
struct BusRequest: Sendable {
    /// What it is answered by.
    let number: Int
    /// The unique name of who asks.
    let sender: String
    let path: String
    let interface: String
    let member: String
    let body: BusBody
}

/// Which signals are asked for.
struct BusMatch: Sendable {
    var sender: String?
    var path: String?
    /// A path and all that lie under it.
    var pathNamespace: String?
    var interface: String?
    var member: String?
    /// The first argument, a string.
    var firstArgument: String?

    /// The rule in the words of D-Bus.
    var rule: String {
        let parts = [
            ("sender", sender), ("path", path), ("path_namespace", pathNamespace), ("interface", interface),
            ("member", member), ("arg0", firstArgument),
        ]
        return "type='signal'" + parts.map { key, value in value.map { ",\(key)='\($0)'" } ?? "" }.joined()
    }
}

/// A call on the bus that failed: an error's name in the words of D-Bus, and what came with it.
struct BusError: Error, Hashable {
    /// The name, such as `org.bluez.Error.InProgress`.
    let name: String
    /// Words for people; may be empty.
    let message: String

    init(name: String, message: String = "") {
        self.name = name
        self.message = message
    }

    /// What the library answered.
    /// - Parameter result: a number of the system, negative.
    init(result: Int32) {
        switch -result {
        case ENOTCONN, ECONNRESET, EPIPE: self = .disconnected
        case EACCES, EPERM: self.init(name: Name.accessDenied, message: unsafe String(cString: strerror(-result)))
        case ENOENT, ECONNREFUSED: self.init(name: Name.noServer, message: unsafe String(cString: strerror(-result)))
        default: self.init(name: Name.failed, message: unsafe String(cString: strerror(-result)))
        }
    }

    /// Names that this program answers and expects.
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
    /// Whoever called has given it up.
    static let cancelled = BusError(name: "org.jackdaw.Error.Cancelled", message: "given up")
    /// No answer came within the time allowed.
    static let timedOut = BusError(name: "org.jackdaw.Error.TimedOut", message: "no answer in time")
    /// Whether the call may have been carried out all the same: its answer was not waited for.
    var isUnanswered: Bool { self == .cancelled || self == .timedOut }

    /// A message is deeper or longer than is good, or not made of what it should be.
    static func badMessage(_ message: String) -> BusError {
        BusError(name: "org.jackdaw.Error.BadMessage", message: message)
    }
}

/// A descriptor that came over the bus or goes over it: closed when it is let go of, unless somebody took it.
final class BusDescriptor: Sendable {
    private let state: SystemLock<Int32?>

    /// Takes a descriptor over.
    init(owning descriptor: Int32) { state = SystemLock(descriptor) }

    /// Copies a descriptor that stays another's.
    init(copying descriptor: Int32) throws(SystemFailure) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw .last }
        state = SystemLock(copy)
    }

    deinit { if let descriptor = take() { close(descriptor) } }

    /// Gives the descriptor away, whose owner is the caller from now on; nil where that was done before.
    func take() -> Int32? {
        state.withLock { descriptor in
            defer { descriptor = nil }
            return descriptor
        }
    }

    /// Lends the descriptor; nil where it was taken.
    func withDescriptor<Result>(_ body: (Int32) -> Result) -> Result? {
        state.withLock { descriptor in descriptor.map(body) }
    }
}
