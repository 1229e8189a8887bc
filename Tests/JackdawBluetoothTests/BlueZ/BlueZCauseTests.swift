import JackdawTransport
import Testing

@testable import JackdawBluetooth

/// What the errors of bluetoothd mean.
@Suite struct BlueZCauseTests {
    @Test(arguments: [
        ("org.bluez.Error.AlreadyConnected", LinkError.Code.busy), ("org.bluez.Error.AlreadyExists", .busy),
        ("org.bluez.Error.AuthenticationCanceled", .cancelled),
        ("org.bluez.Error.AuthenticationFailed", .pairedElsewhere),
        ("org.bluez.Error.AuthenticationRejected", .rejected), ("org.bluez.Error.AuthenticationTimeout", .timedOut),
        ("org.bluez.Error.BREDR.ProfileUnavailable", .serviceMissing),
        ("org.bluez.Error.Blocked", .adapterOff), ("org.bluez.Error.Busy", .busy),
        ("org.bluez.Error.Canceled", .cancelled),
        ("org.bluez.Error.ConnectionAttemptFailed", .outOfRange), ("org.bluez.Error.DoesNotExist", .notFound),
        ("org.bluez.Error.Failed", .system), ("org.bluez.Error.InProgress", .busy),
        ("org.bluez.Error.InvalidArguments", .system), ("org.bluez.Error.InvalidLength", .unsupported),
        ("org.bluez.Error.InvalidOffset", .unsupported), ("org.bluez.Error.InvalidValueLength", .unsupported),
        ("org.bluez.Error.NotAuthorized", .notPermitted), ("org.bluez.Error.NotAvailable", .refused),
        ("org.bluez.Error.NotConnected", .disconnected), ("org.bluez.Error.NotPermitted", .notPermitted),
        ("org.bluez.Error.NotReady", .adapterOff), ("org.bluez.Error.NotSupported", .unsupported),
        ("org.bluez.Error.Rejected", .rejected), ("org.bluez.Error.NobodyKnowsThis", .system),
        ("org.freedesktop.DBus.Error.ServiceUnknown", .serviceMissing),
        ("org.freedesktop.DBus.Error.NoServer", .serviceMissing),
        ("org.freedesktop.DBus.Error.Disconnected", .serviceMissing),
        ("org.freedesktop.DBus.Error.AccessDenied", .notPermitted), ("org.freedesktop.DBus.Error.NoReply", .timedOut),
        ("org.freedesktop.DBus.Error.UnknownObject", .notFound), ("org.jackdaw.Error.Cancelled", .cancelled),
        ("org.jackdaw.Error.TimedOut", .timedOut), ("org.jackdaw.Error.BadMessage", .badAnswer),
    ])
    func namesMean(_ name: String, _ code: LinkError.Code) {
        let error = LinkError(BusError(name: name), link: "ble:x", while: .connecting)
        #expect(error.code == code)
        #expect(error.underlying == name)
    }

    @Test(arguments: [
        ("br-connection-page-timeout", LinkError.Code.outOfRange), ("br-connection-timeout", .outOfRange),
        ("br-connection-refused", .refused), ("br-connection-aborted-by-remote", .refused),
        ("br-connection-aborted-by-local", .disconnected), ("br-connection-key-missing", .pairedElsewhere),
        ("br-connection-adapter-not-powered", .adapterOff), ("br-connection-busy", .busy),
        ("br-connection-profile-unavailable", .serviceMissing), ("br-connection-sdp-search", .refused),
        ("br-connection-not-supported", .unsupported), ("br-connection-canceled", .cancelled),
        ("br-connection-lmp-protocol-error", .badAnswer), ("br-connection-unknown", .system),
        ("le-connection-timeout", .outOfRange), ("le-connection-abort-by-local", .disconnected),
        ("le-connection-abort-by-remote", .refused), ("le-connection-key-missing", .pairedElsewhere),
        ("le-connection-concurrent-connection-limit", .busy), ("le-connection-link-layer-protocol-error", .badAnswer),
        ("le-connection-gatt-browsing", .badAnswer), ("Host is down", .outOfRange), ("Connection refused", .refused),
        ("Resource Not Ready", .adapterOff), ("Not connected", .disconnected),
        ("Operation failed with ATT error: 0x0e", .badAnswer), ("Operation failed with ATT error: 0x0f", .notPermitted),
        ("Message recipient disconnected from message bus without replying", .serviceMissing),
        ("something else", .system),
    ])
    func wordsOfFailuresMean(_ message: String, _ code: LinkError.Code) {
        let error = BusError(name: "org.bluez.Error.Failed", message: message)
        #expect(LinkError(error, link: "ble:x", while: .connecting).code == code)
    }

    /// What the device's own characteristics do not allow is nothing that a person could be permitted.
    @Test(arguments: [
        ("NotPermitted", "Read not permitted", LinkError.Code.unsupported),
        ("NotPermitted", "Write not permitted", .unsupported), ("NotPermitted", "Not paired", .notPermitted),
        ("InvalidArguments", "Invalid offset", .unsupported), ("InvalidArguments", "Invalid Length", .unsupported),
        ("InvalidArguments", "Invalid arguments in method call", .system),
        ("Failed", "Blocked through rfkill", .adapterOff),
    ])
    func theMessageDecidesTheCode(_ name: String, _ message: String, _ code: LinkError.Code) {
        let error = BusError(name: "org.bluez.Error.\(name)", message: message)
        #expect(LinkError(error, link: "ble:x", while: .connecting).code == code)
    }

    @Test func aFailedAuthenticationIsAnotherThingWhilePairing() {
        let error = BusError(name: "org.bluez.Error.AuthenticationFailed")
        #expect(LinkError(error, link: "x", while: .pairing).code == .rejected)
        #expect(LinkError(error, link: "x", while: .connecting).code == .pairedElsewhere)
    }

    @Test func causesHaveASuggestedAction() {
        for cause in BlueZCause.allCases where cause != .system && cause != .cancelled {
            #expect(LinkError(cause, link: "x").remedy != nil)
        }
        let error = LinkError(.adapterOff, link: "hci0")
        #expect(error.description.hasPrefix("hci0: the Bluetooth adapter is switched off or missing; plug one in"))
    }
}
