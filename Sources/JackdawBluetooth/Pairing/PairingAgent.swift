public import JackdawTransport

/// Whom a program lets answer what pairing asks: a person at a terminal or a window, or a program that knows the code.
///
/// The task of a question is cancelled where its answer is not wanted any more.
public protocol PairingAgent: Sendable {
    /// What it can do, by which the device chooses what to ask.
    var capability: PairingCapability { get }

    /// Shows six digits that are to be typed on the device; again with each digit that was.
    func display(passkey: String, entered: Int, for device: FoundDevice) async
    /// Shows a code that is to be typed on the device.
    func display(pinCode: String, for device: FoundDevice) async
    /// Asks whether the device shows the same six digits.
    func confirm(passkey: String, for device: FoundDevice) async -> Bool
    /// Asks for the six digits that the device shows; nil for none.
    func requestPasskey(for device: FoundDevice) async -> UInt32?
    /// Asks for the device's code, of 1 to 16 characters; nil for none.
    func requestPINCode(for device: FoundDevice) async -> String?
    /// Asks whether to pair with a device that can show and ask nothing.
    func authorize(_ device: FoundDevice) async -> Bool
    /// What was asked or shown last is over.
    func cancelled() async
}

/// What an agent can do.
public enum PairingCapability: String, Sendable, Hashable, CaseIterable {
    /// It can show, and ask yes or no, and for digits.
    case keyboardDisplay = "KeyboardDisplay"
    /// It can show, and ask yes or no.
    case displayYesNo = "DisplayYesNo"
    /// It can show.
    case displayOnly = "DisplayOnly"
    /// It can ask for digits.
    case keyboardOnly = "KeyboardOnly"
    /// It can neither show nor ask.
    case noInputNoOutput = "NoInputNoOutput"
}
