import JackdawBluetooth
import JackdawTransport

/// Lets the person at the terminal answer what pairing asks.
struct TerminalAgent: PairingAgent {
    let conversation: Conversation
    /// The device's code, where it was told on the command line.
    let code: String?

    var capability: PairingCapability { .keyboardDisplay }

    func display(passkey: String, entered: Int, for device: FoundDevice) async {
        guard entered == 0 else { return }
        conversation.message("type \(passkey) on \(name(device)), and confirm there")
    }

    func display(pinCode: String, for device: FoundDevice) async {
        conversation.message("type \(pinCode) on \(name(device)), and confirm there")
    }

    func confirm(passkey: String, for device: FoundDevice) async -> Bool {
        await conversation.agrees(to: "does \(name(device)) show \(passkey)? [y/N]")
    }

    func requestPasskey(for device: FoundDevice) async -> UInt32? {
        if let code { return UInt32(code) }
        return await conversation.ask("the six digits that \(name(device)) shows, or its passkey:").flatMap {
            UInt32($0)
        }
    }

    func requestPINCode(for device: FoundDevice) async -> String? {
        if let code { return code }
        return await conversation.ask("the PIN code of \(name(device)):")
    }

    func authorize(_ device: FoundDevice) async -> Bool {
        await conversation.agrees(to: "pair with \(name(device))? [y/N]")
    }

    /// A question that is over is told of by the conversation; what was only shown needs no word.
    func cancelled() async {}

    private func name(_ device: FoundDevice) -> String { device.name ?? device.link.address }
}
