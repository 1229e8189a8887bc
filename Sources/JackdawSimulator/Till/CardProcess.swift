import JackdawEMV

/// A card in a terminal, by contact or tapped: selects its application, runs the kernel, and says both in the events of
/// a payment. A machine without I/O.
protocol CardProcess: Sendable {
    /// Whether the cardholder must choose one of ``candidates``.
    var isChoosing: Bool { get }
    /// The applications among which the cardholder chooses.
    var candidates: [ApplicationCandidate] { get }

    mutating func start() -> [CardProcessOutput]
    /// Goes on with an answer of the card.
    mutating func receive(_ answer: CardResponse) -> [CardProcessOutput]
    /// Goes on without a card.
    mutating func loseCard() -> [CardProcessOutput]
    /// Goes on with the cardholder's choice, an index of ``candidates``.
    mutating func choose(_ index: Int) -> [CardProcessOutput]
    /// Goes on with an answer of the PIN pad.
    mutating func enter(_ answer: KernelAnswer) -> [CardProcessOutput]
    /// Goes on with the issuer's answer, or its absence.
    mutating func complete(_ host: HostAnswer) -> [CardProcessOutput]
}

/// A task for the till, or a report to it.
enum CardProcessOutput {
    /// Send a command to the card, and pass the answer to ``CardProcess/receive(_:)``.
    case transmit(CardCommand)
    /// The application is selected: pass the transaction to ``ContactProcess/begin(_:)``.
    case transactionNeeded
    /// Have the cardholder enter a PIN, and pass the answer to ``CardProcess/enter(_:)``.
    case enterPIN(PINRequest)
    /// The message for the issuer, which the payment asks for after the next event.
    case authorise(OnlineRequest)
    /// An event for the payment.
    case event(PaymentEvent)
    case step(KernelStep)
    case finished(KernelOutcome)
    case tapStep(ContactlessStep)
    /// A tap is over; the objects are those of the record for settlement.
    case tapFinished(ContactlessOutcome, DataObjectStore)
}
