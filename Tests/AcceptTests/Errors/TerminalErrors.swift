import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawTestSupport
import JackdawTransport

@testable import Accept

// Links, readers in a condition that keeps them from paying, and the computer.

extension ErrorSituation {
    static let links: [ErrorSituation] = [
        link(.hardwareAccessPermission, .notPermitted, "the user may not open the reader's device"),
        link(.failedBluetoothConnection, .outOfRange, "the reader is out of range, or paired with another computer"),
    ]

    private static func link(_ code: AcceptPayErrorCode, _ link: LinkError.Code, _ text: String) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            let till = try await PayTill(chip())
            till.use(.posMate) { () throws(LinkError) in throw LinkError(link, link: "test", "failed") }
            _ = try await till.pay()
        }
    }

    static let readers: [ErrorSituation] = [
        reader(.initialization, .posMate, .refusal, at: 1, "which refuses `InitTransaction`"),
        reader(.lowBatteryLevel, .emvSwiper, .lowBattery),
        reader(.cantLoadSwiperTerminalConfiguration, .emvSwiper, .noSettings),
        reader(.terminalDamaged, .miura, .damaged),
        reader(.noDUKPT, .posMate, .noKeys),
        reader(.failedToSendOfflineEMV, .emvSwiper, .refusal, at: 3, "which refuses `startEmv`"),
        ErrorSituation(
            .pay(.terminalFailedToTerminateCurrentTerminalPaymentFlow), .reader,
            "an EMVSwiper that still has the payment of a program that was killed"
        ) {
            let till = try await PayTill(chip())
            let link = try till.simulate(.emvSwiper)
            try await ReaderParts.beginPayment(atEMVSwiper: link)
            _ = try await till.pay()
        },
        ErrorSituation(.pay(.terminalCommandTimeOut), .reader, "the fault `no-answer` of a simulated PosMate") {
            let till = try await PayTill(chip())
            _ = try till.simulate(.posMate, [PlannedFault(.noAnswer)])
            let run = till.accept.startPay(till.config())
            // The limit of the command, beside the lifetime of the token and the limit of the payment flow.
            await till.clock.advance(toFirstOf: 3)
            _ = try await run.result()
        },
    ]

    /// A payment at a simulated reader with a fault.
    private static func reader(
        _ code: AcceptPayErrorCode, _ model: AcceptReaderTerminals.Model, _ fault: ReaderFault,
        at message: Int? = nil, _ text: String? = nil
    ) -> ErrorSituation {
        let name = message.map { "\(fault.rawValue):\($0)" } ?? fault.rawValue
        let words = ["the fault `\(name)` of a simulated \(model.title)", text].compactMap(\.self)
        return ErrorSituation(.pay(code), .reader, words.joined(separator: ", ")) {
            let till = try await PayTill(chip())
            let planned = message.map { PlannedFault(fault, $0..<$0 + 1) } ?? PlannedFault(fault)
            _ = try till.simulate(model, [planned])
            _ = try await till.pay()
        }
    }

    /// Simulated EMVSwipers with cards that do not pay.
    static let cards: [ErrorSituation] = [
        card(.blockedCardType, "the card is blocked") { $0.with("\"blocked\": true") },
        card(
            .notSupportedCardType,
            "the chip has no application of the terminal, and the policy allows no swipe instead of it"
        ) { $0.replacing("A0000009990101", with: "A0000001110101") },
        card(.failedToStartEMV, "the chip has no list of data for its first cryptogram (CDOL1)") {
            $0.with("\"wedge\": {\"objects\": {\"8C\": \"\"}}")
        },
        card(
            .failedToSendOnlineEMV, "the host approves, and the chip's list for the second cryptogram is wrong (CDOL2)"
        ) { $0.with("\"wedge\": {\"objects\": {\"8D\": \"9F\"}}") },
        card(.transactionDeclined, "the host approves, and the chip declines, as it does not get the issuer's data") {
            $0.replacing("1C00", with: "1800")
                .replacing("\"issuer_required\": false", with: "\"issuer_required\": true")
        },
        ErrorSituation(.pay(.terminalNotReady), .reader, "the link is lost before the host is asked") {
            let till = try await PayTill(chip())
            let link = try till.simulate(.emvSwiper)
            let handlers = AcceptPaymentHandlers(progress: { if $0 == .checkingCard { link.unplug() } })
            _ = try await till.pay(nil, handlers)
        },
    ]

    /// A payment with a changed card. The policy allows no swipe instead of its chip.
    private static func card(
        _ code: AcceptPayErrorCode, _ text: String, _ change: @escaping @Sendable (String) -> String
    ) -> ErrorSituation {
        ErrorSituation(.pay(code), .reader, text) {
            var policy = Accept.paymentPolicy
            policy.fallsBackWithoutCommonApplication = false
            let till = try await PayTill(policy: policy, chip())
            _ = try till.simulate(.emvSwiper, card: change(ReaderParts.card))
            _ = try await till.pay()
        }
    }

    static let computers: [ErrorSituation] = [
        uniMag(.plugInTimeout, .reader, JackOutput(), "nothing in the jack reports the power-up of a UniMag"),
        uniMag(
            .lowPowerInAudioJack, .computer, JackOutput(isVolumeFull: false),
            "the volume is below its maximum, and no UniMag reports its power-up, as with the fault `volume-too-low`"),
        uniMag(
            .monoAudioEnabled, .computer, JackOutput(isMono: true), "the sound card plays one channel, at a UniMag"),
        ErrorSituation(
            .pay(.deviceRooted), .program, "the program's check says that the computer's protection was removed"
        ) {
            let till = try await PayTill(chip())
            till.accept.use { false }
            _ = try await till.pay()
        },
    ]

    /// A payment at a jack in which no UniMag answers.
    private static func uniMag(
        _ code: AcceptPayErrorCode, _ side: Side, _ jack: JackOutput, _ text: String
    ) -> ErrorSituation {
        ErrorSituation(.pay(code), side, text) {
            let till = try await PayTill(chip())
            let (near, silence) = MemoryLink.pair(link: try LinkName(parsing: "tcp:localhost:1"))
            till.use(.uniMag, jack: jack) { () throws(LinkError) in near }
            let run = till.accept.startPay(till.config())
            if !jack.isMono {
                // The limit of each attempt, beside the lifetime of the token and the limit of the payment flow.
                for _ in 0..<ReaderTimes().powerUpTries { await till.clock.advance(toFirstOf: 3) }
            }
            _ = try await run.result()
            await silence.close()
        }
    }
}

extension String {
    /// The file of the virtual card with another member.
    fileprivate func with(_ member: String) -> String {
        replacing("\"name\": \"till\"", with: "\"name\": \"till\", \(member)")
    }
}
