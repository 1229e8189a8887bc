import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport

@testable import Accept

// Links, and the terminals of programs.

extension ErrorSituation {
    static let links: [ErrorSituation] = [
        link(.hardwareAccessPermission, .notPermitted, "the user may not open the reader's device"),
        link(.failedBluetoothConnection, .outOfRange, "the reader is out of range, or paired with another computer"),
        ErrorSituation(.pay(.plugInTimeout), .reader, "nothing in the jack reports the power-up of a UniMag") {
            let till = try await PayTill(chip())
            let (jack, silence) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
            let terminal = AcceptTerminal(uuid: "UniMag 1", displayName: "UniMag 1", entries: [.swipe])
            use(terminal, of: AcceptIDTECHVendorUUID, .uniMag, at: till) { () throws(LinkError) in jack }
            var config = till.config()
            (config.vendorUUID, config.terminalUUID) = (AcceptIDTECHVendorUUID, "UniMag 1")
            let run = till.accept.startPay(config)
            // The limit of each attempt, beside the lifetime of the token and the limit of the payment flow.
            for _ in 0..<ReaderTimes().powerUpTries { await till.clock.advance(toFirstOf: 3) }
            _ = try await run.result()
            await silence.close()
        },
    ]

    private static func link(_ code: AcceptPayErrorCode, _ link: LinkError.Code, _ text: String) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip())
            use(
                AcceptTerminal(
                    uuid: "PosMate 1", displayName: "PosMate 1", model: "PosMate", configurationVersion: "1"),
                of: AcceptSpireVendorUUID, .posMate, at: till
            ) { () throws(LinkError) in throw LinkError(link, link: "test", "failed") }
            _ = try await till.pay()
        }
    }

    /// Hands a terminal over a link in.
    private static func use(
        _ terminal: AcceptTerminal, of vendorUUID: String, _ model: AcceptReaderTerminals.Model, at till: PayTill,
        open: @escaping @Sendable () async throws(LinkError) -> any Transport
    ) {
        till.accept.use(
            AcceptReaderTerminals(
                [
                    AcceptReaderTerminals.Reader(
                        vendor: AcceptTerminalVendor(uuid: vendorUUID, displayName: vendorUUID), terminal: terminal,
                        model: model, open: open)
                ], clock: till.clock, date: { RecordedTime(seconds: 1_453_992_427, offset: 60) },
                seal: { .tagLengthValue($0) }))
    }

    static let programsTerminals: [ErrorSituation] = [
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
