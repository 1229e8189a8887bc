internal import JackdawTransport

/// Why something did not work over Bluetooth, in this program's own terms.
enum BlueZCause: String, CaseIterable {
    case adapterOff, blocked, serviceMissing, notPermitted, pairingNeeded, busy, timedOut, cancelled, outOfRange
    case profileMissing
    case refused, hungUp, brokenOff, rejected, pairedElsewhere, notFound, unsupported, disconnected, badAnswer, system

    /// Reads an error of bluetoothd or of the bus.
    init(_ error: BusError, while task: BlueZTask) {
        // Which of several errors it is stands in the message alone for some names.
        if let cause = Self.byMessage(error.message) {
            self = cause
        } else if error.name == "org.bluez.Error.AuthenticationFailed" {
            self = task == .pairing ? .rejected : .pairedElsewhere
        } else {
            self = Self.byName[error.name] ?? .system
        }
    }

    /// What a program sees of it.
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

    /// What a person reads of it.
    var message: String {
        switch self {
        case .adapterOff: "the Bluetooth adapter is switched off or missing"
        case .blocked: "the Bluetooth adapter is blocked"
        case .serviceMissing: "the Bluetooth service does not run"
        case .notPermitted: "this user may not use Bluetooth"
        case .pairingNeeded: "the device speaks to paired computers only"
        case .busy: "Bluetooth is busy with this already"
        case .timedOut: "no answer in time"
        case .cancelled: "given up"
        case .outOfRange: "the device does not answer"
        case .refused, .profileMissing: "the device does not offer this"
        case .hungUp: "the device hung up"
        case .brokenOff: "the connection broke off while it was made"
        case .rejected: "the device was not paired"
        case .pairedElsewhere: "the device does not know this computer any more"
        case .notFound: "there is no such device"
        case .unsupported: "the device cannot do this"
        case .disconnected: "the device is not connected"
        case .badAnswer: "the device answers in an unknown way"
        case .system: "Bluetooth failed"
        }
    }

    /// What a person can do about it.
    var remedy: String? {
        switch self {
        case .adapterOff:
            "plug one in, or switch it on with `bluetoothctl power on`; `rfkill` tells whether it is blocked"
        case .blocked: "unblock it with `rfkill unblock bluetooth`, or by the switch of the computer"
        case .serviceMissing: "start it with `systemctl start bluetooth`"
        case .notPermitted: "add the user to the group `bluetooth` and log in anew"
        case .pairingNeeded: "pair it first"
        case .busy: "wait a moment, or end the other program that uses it"
        case .timedOut, .brokenOff: "try again"
        case .cancelled, .system: nil
        case .outOfRange: "switch it on, wake it up and bring it near"
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

    /// The other side's words of the end of a connection that there was, in newer versions of bluetoothd.
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
    /// What an error of bluetoothd or of the bus means.
    init(_ error: BusError, link: String, while task: BlueZTask, undelivered: Int = 0) {
        let words = error.message.isEmpty ? error.name : "\(error.name): \(error.message)"
        self.init(BlueZCause(error, while: task), link: link, underlying: words, undelivered: undelivered)
    }

    /// What a cause means.
    init(_ cause: BlueZCause, link: String, underlying: String? = nil, undelivered: Int = 0) {
        self.init(
            cause.code, link: link, cause.message, remedy: cause.remedy, underlying: underlying,
            undelivered: undelivered)
    }
}
