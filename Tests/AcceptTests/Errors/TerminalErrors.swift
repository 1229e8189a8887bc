import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawTransport

@testable import Accept

// Links, and the terminals of programs.

extension ErrorSituation {
    static let links: [ErrorSituation] = [
        link(.hardwareAccessPermission, .notPermitted, "the user may not open the reader's device"),
        link(.failedBluetoothConnection, .outOfRange, "the reader is out of range, or paired with another computer"),
    ]

    private static func link(_ code: AcceptPayErrorCode, _ link: LinkError.Code, _ text: String) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip())
            till.accept.use(
                AcceptReaderTerminals(
                    [
                        AcceptReaderTerminals.Reader(
                            vendor: AcceptTerminalVendor(uuid: AcceptSpireVendorUUID, displayName: "Spire"),
                            terminal: AcceptTerminal(uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate"),
                            model: .posMate,
                            open: { () async throws(LinkError) in throw LinkError(link, link: "test", "failed") })
                    ], clock: till.clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
                    seal: { .tagLengthValue($0) }))
            _ = try await till.pay()
        }
    }

    static let programsTerminals: [ErrorSituation] = [
        preparation(.plugInTimeout, "no reader was plugged in"),
        preparation(.lowBatteryLevel, "the battery is nearly empty"),
        preparation(.cantLoadSwiperTerminalConfiguration, "the swiper has no configuration"),
        preparation(.terminalDamaged, "the terminal was opened, or is broken"),
        preparation(.noDUKPT, "the terminal has no keys"),
        preparation(.lowPowerInAudioJack, "the volume of the audio jack is too low"),
        preparation(.monoAudioEnabled, "the sound card is set to mono"),
        preparation(
            .terminalFailedToTerminateCurrentTerminalPaymentFlow, "the terminal has not ended its last transaction"),
        payment(
            .failedToSendOfflineEMV, .terminal, "the terminal refuses data before the host is asked",
            ["process": [.reason(.failedToSendOfflineEMV), .payment(.kernelFailed)]]),
        ErrorSituation(.pay(.deviceRooted), .terminal, "the device's protection was removed") {
            let till = try await PayTill(chip())
            till.terminals.fail(.pay(.deviceRooted))
            _ = try await till.pay()
        },
    ]

    /// A terminal that cannot be prepared, and reports the reason.
    private static func preparation(_ code: AcceptPayErrorCode, _ text: String) -> ErrorSituation {
        payment(code, .terminal, text, ["prepare": [.reason(code), .payment(.preparationFailed)]])
    }
}
