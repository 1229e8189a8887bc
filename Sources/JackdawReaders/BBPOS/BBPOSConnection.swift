/// How an EMVSwiper is connected.
///
/// Names of the vendor's SDK, as public samples have them; their numbers and what goes over the wire are not published.
public enum BBPOSConnection: String, Sendable, Hashable, CaseIterable {
    /// Not at all.
    case disconnected = "NONE"
    /// By the audio jack.
    case audio = "AUDIO"
    /// By USB.
    case usb = "USB"
    /// By Bluetooth.
    case bluetooth = "BLUETOOTH"
}
