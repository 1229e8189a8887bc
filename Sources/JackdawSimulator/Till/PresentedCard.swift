import JackdawBytes
import JackdawEMV

/// A virtual card with its cardholder at a simulated reader: in the slot, in the field, or away.
struct PresentedCard: Sendable {
    /// The card, with its counters and blocks.
    private(set) var card: VirtualCard
    /// The cardholder, who removes the card.
    var payer: SimulatedPayer
    /// Whether the card is in the slot or in the field.
    private(set) var isPresent = false

    /// A card that is away.
    init(_ card: VirtualCard, _ payer: SimulatedPayer) {
        self.card = card
        self.payer = payer
    }

    /// The cardholder inserts the card.
    /// - Returns: the answer to reset.
    mutating func insert() -> [UInt8] {
        isPresent = true
        return card.powerOn()
    }

    /// The cardholder taps the card.
    mutating func tap() {
        isPresent = true
        card.enterField()
    }

    /// The cardholder taps the card, and takes it away after the reader's kernel has come to its end
    /// (``VirtualCard/tap(_:_:_:seed:)``).
    mutating func tap(
        _ settings: TillSettings, _ transaction: KernelTransaction, _ primitives: some AuthenticationPrimitives,
        seed: UInt64
    ) -> (event: PaymentEvent, objects: DataObjectStore) {
        card.tap(settings, transaction, primitives, seed: seed)
    }

    /// The card leaves the slot or the field.
    mutating func takeAway() {
        isPresent = false
        card.powerOff()
    }

    /// Sends a command to the card.
    /// - Returns: the answer, and the time at which the cardholder removes the card, nil if it stays; nil without a card
    ///   that answers.
    mutating func transmit(_ command: CardCommand, at now: Duration) -> (answer: CardResponse, removal: Duration?)? {
        guard isPresent, !card.isMute else { return nil }
        var octets = command.octets
        let answer = card.receive(octets.span)
        octets.wipe()
        return (answer, payer.cardAnswered(at: now))
    }
}

extension SimulatedPayer {
    /// Has the cardholder sign.
    /// - Returns: the event for the payment with its time, and whether the merchant finds the signature right; nil if the
    ///   cardholder does not answer.
    mutating func sign(at now: Duration) -> (event: PaymentEvent, isRight: Bool, at: Duration)? {
        guard let (answer, due) = receive(.sign, at: now) else { return nil }
        if case .signs(let isRight) = answer { return (.signatureCaptured, isRight, due) }
        return (.signatureRefused, false, due)
    }
}

extension SimulatedPayer.Answer {
    /// The answer of the PIN pad to the kernel, and the PIN for the issuer, digits in ASCII, if that is asked for; nil if the
    /// cardholder cancels.
    func pinEntry(isOnline: Bool) -> (answer: KernelAnswer, onlinePIN: SecretOctets?)? {
        switch self {
        case .enters(let digits) where isOnline: (.onlinePINEntered, digits)
        case .enters(let digits): (.pin(digits.digitNumbers), nil)
        case .cancels: nil
        default: (.pinBypassed, nil)
        }
    }
}
