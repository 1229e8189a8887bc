import Glibc
internal import JackdawSystem
internal import JackdawTransport

extension LinkError {
    /// A link that was connected broke.
    static func lost(_ failure: SystemFailure, link: String, undelivered: Int) -> LinkError {
        let (message, remedy): (String, String?) =
            switch failure.code {
            case ECONNRESET: ("the device broke the link", "look whether it is switched on, and connect again")
            case EPIPE, ENOTCONN: ("the link has ended", "connect again")
            case ETIMEDOUT, EHOSTDOWN: ("the device is heard no more", "bring it nearer, and connect again")
            case ECONNABORTED: ("this computer ended the link", "look whether its Bluetooth is on, and connect again")
            case ENETDOWN, ENODEV: ("this computer's Bluetooth was switched off", "bluetoothctl power on")
            default: ("the link broke", "connect again")
            }
        return LinkError(
            .disconnected, link: link, message, remedy: remedy, underlying: failure.message, undelivered: undelivered)
    }

    /// There is not even a socket. The kernel refuses one of Bluetooth where it has none, outside the host's network,
    /// and where a service's or a container's rules leave it out.
    static func noSocket(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case EAFNOSUPPORT, EPROTONOSUPPORT, ESOCKTNOSUPPORT:
                (
                    .unsupported, "this kernel has no Bluetooth sockets, or none for this program",
                    "sudo modprobe rfcomm, or \(throughBluetoothd)"
                )
            case EPERM, EACCES: (.notPermitted, "this program may not use Bluetooth sockets", throughBluetoothd)
            default: (.system, "no socket to spare", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }

    private static let throughBluetoothd = "let bluetoothd do it: jackdaw listen --route bluetoothd"

    /// A connection to a device did not come about. The kernel translates what the radio says (`bt_to_errno`).
    static func notConnected(_ failure: SystemFailure, link: String) -> LinkError {
        let (code, message, remedy): (Code, String, String?) =
            switch failure.code {
            case ECONNREFUSED:
                (.refused, "the device offers nothing there", "look for the channel that it offers, or pair with it")
            case EHOSTDOWN: (.outOfRange, "the device does not answer", "switch it on, and bring it nearer")
            case ETIMEDOUT: (.timedOut, "the device stopped answering", "bring it nearer, and try again")
            case EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENODEV, EADDRNOTAVAIL:
                (.adapterOff, "this computer's Bluetooth is off, or it has none", "bluetoothctl power on")
            case EPERM: (.notPermitted, "this program may not use Bluetooth sockets", throughBluetoothd)
            case EACCES:
                (.rejected, "the device would not be authenticated", "pair with it again: jackdaw pair")
            case EBADE:
                (
                    .pairedElsewhere, "the device or this computer has lost its key",
                    "remove the pairing on both, and pair again: jackdaw pair"
                )
            case ELOOP: (.rejected, "the device refuses so many attempts", "wait a minute, and pair with it again")
            case EBUSY, EALREADY, EADDRINUSE, EMLINK:
                (.busy, "the channel or the radio is taken", "end the program that uses the device")
            case ECONNRESET, ECONNABORTED, ENOTCONN, EPIPE:
                (.disconnected, "the link broke before it was made", "try again")
            // The radio says the latter of a device that lacks something.
            case EOPNOTSUPP, EPROTONOSUPPORT: (.unsupported, "the device and this computer have no way in common", nil)
            default: (.system, "cannot be connected", nil)
            }
        return LinkError(code, link: link, message, remedy: remedy, underlying: failure.message)
    }
}

extension SocketFailures {
    /// What failures of Bluetooth's sockets mean.
    static let bluetooth = SocketFailures(
        noSocket: { .noSocket($0, link: $1) }, notConnected: { .notConnected($0, link: $1) },
        lost: { .lost($0, link: $1, undelivered: $2) })
}
