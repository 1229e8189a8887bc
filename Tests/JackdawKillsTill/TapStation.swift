#if Payments
import Accept
import JackdawCryptography
import JackdawEMV
import JackdawPayments
import JackdawReaders
import JackdawSimulator
import JackdawSoak

/// A contactless reader without a driver, and a card that is tapped at once.
final class TapStation: Station {
    private(set) var card: VirtualCard?
    private(set) var cryptogram: CryptogramType?
    /// It answers at once.
    let nextDeadline: Duration? = nil
    private let settings: TillSettings
    private let transaction: KernelTransaction

    init(_ card: VirtualCard, _ settings: TillSettings, _ transaction: KernelTransaction) {
        self.card = card
        self.settings = settings
        self.transaction = transaction
    }

    func carryOut(_ effect: PaymentEffect, _ forCard: HTTPBody, at now: Duration) -> [AcceptTerminalEvent] {
        switch effect.action {
        case .prepare: [.payment(.prepared, answering: effect.identifier)]
        case .acceptCard: [.payment(.cardTapped, answering: effect.identifier)]
        case .processCard: [tap(answering: effect.identifier)]
        default: []
        }
    }

    private func tap(answering effect: Int) -> AcceptTerminalEvent {
        let result = card?.tap(settings, transaction, LibCryptoPrimitives(mode: .test), seed: settings.seed)
        guard let (event, objects) = result else { return .payment(.tapAgain, answering: effect) }
        cryptogram = objects[0x9F27]?.first.flatMap { CryptogramType(octet: $0) }
        return .payment(event, answering: effect, sealed: .tagLengthValue(objects))
    }

    func advance(to now: Duration) -> [AcceptTerminalEvent] { [] }

    func unplug(at now: Duration) -> [AcceptTerminalEvent] { [.payment(.linkLost)] }
}
#endif
