/// The names and words of bluetoothd (`src/error.c` and `doc/` of BlueZ) and of the bus.
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

    /// What stands behind `br-connection-` and `le-connection-`.
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

    /// Words of the system that older versions pass on, and of the bus.
    static let words: [String: BlueZCause] = [
        "Software caused connection abort": .brokenOff, "Connection refused": .refused, "Host is down": .outOfRange,
        "Connection timed out": .outOfRange, "No route to host": .outOfRange, "Connection reset by peer": .hungUp,
        "Resource Not Ready": .adapterOff, "Operation already in progress": .busy, "Not connected": .disconnected,
        "Notify acquired": .busy, "Write acquired": .busy, "Not paired": .pairingNeeded,
        "Read not permitted": .unsupported, "Write not permitted": .unsupported, "Invalid offset": .unsupported,
        "Invalid Length": .unsupported, "Blocked through rfkill": .blocked,
        "Message recipient disconnected from message bus without replying": .serviceMissing,
    ]

    /// Errors of the attribute protocol that say that the link must be paired, encrypted or better so.
    private static let unpaired: Set<UInt8> = [0x05, 0x08, 0x0C, 0x0F]

    static func byMessage(_ message: String) -> BlueZCause? {
        for prefix in ["br-connection-", "le-connection-"] where message.hasPrefix(prefix) {
            return connections[String(message.dropFirst(prefix.count))]
        }
        let attribute = "Operation failed with ATT error: 0x"
        if message.hasPrefix(attribute) {
            let number = UInt8(message.dropFirst(attribute.count).prefix(2), radix: 16)
            return number.map { unpaired.contains($0) ? .pairingNeeded : .badAnswer }
        }
        return words[message]
    }
}
