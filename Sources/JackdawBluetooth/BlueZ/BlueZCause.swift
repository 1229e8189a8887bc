internal import JackdawBytes
internal import JackdawTransport

/// The causes of Bluetooth failures, in this program's own terms.
enum BlueZCause: String, CaseIterable {
    case adapterOff, blocked, serviceMissing, notPermitted, pairingNeeded, busy, timedOut, cancelled, outOfRange
    case profileMissing
    case refused, hungUp, brokenOff, rejected, pairedElsewhere, notFound, unsupported, disconnected, badAnswer, system

    /// Classifies an error of bluetoothd or of the bus.
    init(_ error: BusError, while task: BlueZTask) {
        // For some error names only the message identifies the cause.
        if let cause = Self.byMessage(error.message) {
            self = cause
        } else if error.name == "org.bluez.Error.AuthenticationFailed" {
            self = task == .pairing ? .rejected : .pairedElsewhere
        } else {
            self = Self.byName[error.name] ?? .system
        }
    }

    /// The code of the cause in a `LinkError`.
    var code: LinkError.Code {
        switch self {
        case .adapterOff, .blocked: .adapterOff
        case .serviceMissing, .profileMissing: .serviceMissing
        case .notPermitted, .pairingNeeded: .notPermitted
        case .busy: .busy
        case .timedOut: .timedOut
        case .cancelled: .cancelled
        case .outOfRange: .outOfRange
        case .refused, .hungUp: .refused
        case .rejected: .rejected
        case .pairedElsewhere: .pairedElsewhere
        case .notFound: .notFound
        case .unsupported: .unsupported
        case .disconnected, .brokenOff: .disconnected
        case .badAnswer: .badAnswer
        case .system: .system
        }
    }

    /// The error, in words for a person.
    var message: String {
        switch self {
        case .adapterOff: "the Bluetooth adapter is switched off or missing"
        case .blocked: "the Bluetooth adapter is blocked"
        case .serviceMissing: "the Bluetooth service is not running"
        case .notPermitted: "this user may not use Bluetooth"
        case .pairingNeeded: "the device accepts only paired computers"
        case .busy: "this Bluetooth operation is already in progress"
        case .timedOut: "no answer in time"
        case .cancelled: "cancelled"
        case .outOfRange: "the device does not answer"
        case .refused, .profileMissing: "the device does not offer this"
        case .hungUp: "the device closed the connection"
        case .brokenOff: "the connection was lost while it was set up"
        case .rejected: "the device was not paired"
        case .pairedElsewhere: "the device no longer has the pairing with this computer"
        case .notFound: "there is no such device"
        case .unsupported: "the device cannot do this"
        case .disconnected: "the device is not connected"
        case .badAnswer: "the device sent an invalid answer"
        case .system: "Bluetooth failed"
        }
    }

    /// The user's remedy for the error.
    var remedy: String? {
        switch self {
        case .adapterOff:
            "plug one in, or switch it on with `bluetoothctl power on`; `rfkill` shows whether it is blocked"
        case .blocked: "unblock it with `rfkill unblock bluetooth`, or with the computer's switch"
        case .serviceMissing: "start it with `systemctl start bluetooth`"
        case .notPermitted: "add the user to the group `bluetooth` and log in again"
        case .pairingNeeded: "pair it first"
        case .busy: "wait a moment, or end the other program that uses it"
        case .timedOut, .brokenOff: "try again"
        case .cancelled, .system: nil
        case .outOfRange: "switch it on, wake it up and bring it nearer"
        case .refused, .profileMissing: "check that it is the right device and in the right mode"
        case .hungUp: "check whether it is connected to another computer"
        case .rejected: "put the device into pairing mode, and compare the numbers"
        case .pairedElsewhere: "forget the device, put it into pairing mode and pair it again"
        case .notFound: "search for it first"
        case .unsupported: "check that it is the right device"
        case .disconnected: "connect it again"
        case .badAnswer: "switch the device off and on"
        }
    }

    /// The reason that newer versions of bluetoothd report for the end of a connection.
    init?(disconnection reason: String) {
        switch reason.split(separator: ".").last {
        case "Timeout": self = .outOfRange
        case "Authentication": self = .pairedElsewhere
        case "Remote", "Local", "Suspend", "Unknown": self = .disconnected
        default: return nil
        }
    }
}

extension LinkError {
    /// Creates the error for an error of bluetoothd or of the bus.
    init(_ error: BusError, link: String, while task: BlueZTask, undelivered: Int = 0) {
        let words = error.message.isEmpty ? error.name : "\(error.name): \(error.message)"
        self.init(BlueZCause(error, while: task), link: link, underlying: words, undelivered: undelivered)
    }

    /// Creates the error for a cause.
    init(_ cause: BlueZCause, link: String, underlying: String? = nil, undelivered: Int = 0) {
        self.init(
            cause.code, link: link, cause.message, remedy: cause.remedy, underlying: underlying,
            undelivered: undelivered)
    }
}

/// Error names and messages of bluetoothd (`src/error.c` and `doc/` of BlueZ) and of the bus.
extension BlueZCause {
    static let byName: [String: BlueZCause] = [
        "org.bluez.Error.AgentNotAvailable": .rejected,
        "org.bluez.Error.AlreadyConnected": .busy,
        "org.bluez.Error.AlreadyExists": .busy,
        "org.bluez.Error.AuthenticationCanceled": .cancelled,
        "org.bluez.Error.AuthenticationRejected": .rejected,
        "org.bluez.Error.AuthenticationTimeout": .timedOut,
        "org.bluez.Error.Blocked": .blocked,
        "org.bluez.Error.BREDR.ProfileUnavailable": .profileMissing,
        "org.bluez.Error.Busy": .busy,
        "org.bluez.Error.Canceled": .cancelled,
        "org.bluez.Error.ConnectionAttemptFailed": .outOfRange,
        "org.bluez.Error.DoesNotExist": .notFound,
        "org.bluez.Error.Failed": .system,
        "org.bluez.Error.ImproperlyConfigured": .unsupported,
        "org.bluez.Error.InProgress": .busy,
        "org.bluez.Error.InvalidArguments": .system,
        "org.bluez.Error.InvalidLength": .unsupported,
        "org.bluez.Error.InvalidOffset": .unsupported,
        "org.bluez.Error.InvalidValueLength": .unsupported,
        "org.bluez.Error.NoSuchAdapter": .adapterOff,
        "org.bluez.Error.NotAuthorized": .pairingNeeded,
        "org.bluez.Error.NotAvailable": .refused,
        "org.bluez.Error.NotConnected": .disconnected,
        "org.bluez.Error.NotFound": .notFound,
        "org.bluez.Error.NotPermitted": .pairingNeeded,
        "org.bluez.Error.NotReady": .adapterOff,
        "org.bluez.Error.NotSupported": .unsupported,
        "org.bluez.Error.Rejected": .rejected,
        "org.freedesktop.DBus.Error.AccessDenied": .notPermitted,
        "org.freedesktop.DBus.Error.AuthFailed": .notPermitted,
        "org.freedesktop.DBus.Error.Disconnected": .serviceMissing,
        "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired": .notPermitted,
        "org.freedesktop.DBus.Error.LimitsExceeded": .busy,
        "org.freedesktop.DBus.Error.NameHasNoOwner": .serviceMissing,
        "org.freedesktop.DBus.Error.NoReply": .timedOut,
        "org.freedesktop.DBus.Error.NoServer": .serviceMissing,
        "org.freedesktop.DBus.Error.ServiceUnknown": .serviceMissing,
        "org.freedesktop.DBus.Error.Spawn.ChildExited": .serviceMissing,
        "org.freedesktop.DBus.Error.Spawn.ExecFailed": .serviceMissing,
        "org.freedesktop.DBus.Error.Spawn.Failed": .serviceMissing,
        "org.freedesktop.DBus.Error.Spawn.ServiceNotFound": .serviceMissing,
        "org.freedesktop.DBus.Error.TimedOut": .timedOut,
        "org.freedesktop.DBus.Error.Timeout": .timedOut,
        "org.freedesktop.DBus.Error.UnknownInterface": .notFound,
        "org.freedesktop.DBus.Error.UnknownMethod": .notFound,
        "org.freedesktop.DBus.Error.UnknownObject": .notFound,
        "org.jackdaw.Error.BadMessage": .badAnswer,
        "org.jackdaw.Error.Cancelled": .cancelled,
        "org.jackdaw.Error.TimedOut": .timedOut,
    ]

    /// The reasons that follow `br-connection-` and `le-connection-`.
    static let connections: [String: BlueZCause] = [
        "abort-by-local": .brokenOff, "aborted-by-local": .brokenOff,
        "abort-by-remote": .hungUp, "aborted-by-remote": .hungUp,
        "adapter-not-powered": .adapterOff,
        "already-connected": .busy, "busy": .busy, "concurrent-connection-limit": .busy,
        "canceled": .cancelled,
        "gatt-browsing": .badAnswer, "link-layer-protocol-error": .badAnswer, "lmp-protocol-error": .badAnswer,
        "key-missing": .pairedElsewhere,
        "not-supported": .unsupported,
        "page-timeout": .outOfRange, "timeout": .outOfRange,
        "profile-unavailable": .profileMissing, "refused": .refused, "sdp-search": .refused,
        "bad-socket": .system, "create-socket": .system, "invalid-argument": .system, "invalid-arguments": .system,
        "memory-allocation": .system, "unknown": .system,
    ]

    /// Messages of the system that older versions pass on, and messages of the bus.
    static let words: [String: BlueZCause] = [
        "Software caused connection abort": .brokenOff, "Connection refused": .refused, "Host is down": .outOfRange,
        "Connection timed out": .outOfRange, "No route to host": .outOfRange, "Connection reset by peer": .hungUp,
        "Resource Not Ready": .adapterOff, "Operation already in progress": .busy, "Not connected": .disconnected,
        "Notify acquired": .busy, "Write acquired": .busy, "Not paired": .pairingNeeded,
        "Read not permitted": .unsupported, "Write not permitted": .unsupported, "Invalid offset": .unsupported,
        "Invalid Length": .unsupported, "Blocked through rfkill": .blocked,
        "Message recipient disconnected from message bus without replying": .serviceMissing,
    ]

    /// ATT error codes for a link that must be paired, encrypted, or encrypted with a better key.
    private static let unpaired: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]

    static func byMessage(_ message: String) -> BlueZCause? {
        for prefix in ["br-connection-", "le-connection-"] where message.hasPrefix(prefix) {
            return connections[String(message.dropFirst(prefix.count))]
        }
        let attribute = "Operation failed with ATT error: 0x"
        if message.hasPrefix(attribute) {
            let number = UInt8(hexadecimal: message.dropFirst(attribute.count).prefix(2))
            return number.map { unpaired.contains($0) ? .pairingNeeded : .badAnswer }
        }
        return words[message]
    }
}

/// The names of bluetoothd's objects and interfaces.
enum BlueZName {
    static let service = "org.bluez"
    static let root = "/org/bluez"
    static let adapter = "org.bluez.Adapter1"
    static let device = "org.bluez.Device1"
    static let gattService = "org.bluez.GattService1"
    static let characteristic = "org.bluez.GattCharacteristic1"
    static let battery = "org.bluez.Battery1"
    static let agent = "org.bluez.Agent1"
    static let agentManager = "org.bluez.AgentManager1"
    static let profile = "org.bluez.Profile1"
    static let profileManager = "org.bluez.ProfileManager1"
    static let objectManager = "org.freedesktop.DBus.ObjectManager"
    static let properties = "org.freedesktop.DBus.Properties"

    /// The last part of an object's path, which is an adapter's name.
    static func last(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
