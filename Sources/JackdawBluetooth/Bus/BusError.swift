import Glibc

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
