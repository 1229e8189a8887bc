// The choices that a merchant, an acquirer or a scheme makes.

/// The rules of a payment that can be chosen.
///
/// The defaults never lose and never double money: the tests' search over all reachable states proves it for them
/// alone. Each `reverses` set to false leaves an approval at the host that no one captures and no one reverses.
public struct PaymentPolicy: Sendable, Hashable {
    /// Whether a chip card without a common application may be swiped, as if its chip were unreadable. Default: true.
    /// False: the card is not accepted.
    public var fallsBackWithoutCommonApplication = true
    /// Whether a TC after a time-out of the host is an offline approval, as EMV Book 4, 12.2.3 allows beside the
    /// reversal. Default: false. The payment fails.
    public var approvesOfflineAfterHostTimeout = false
    /// The number of failed taps after which the reader accepts no more taps; a value below 1 counts as 1. Default: 2,
    /// as in scenario 0061 of `flow_scenarios.json`, which refuses the third tap. The text of the same study proposes
    /// 3; we found no number in EMV's books.
    public var maxTapFailures = 2
    /// Whether a payment is reversed if the link is lost after the host approved. Default: true.
    public var reversesOnLinkLoss = true
    /// Whether a payment is reversed if the host approved and the card declined. Default: true.
    public var reversesOnCardDecline = true
    /// Whether a payment is reversed if no usable answer comes from the host in time, or none from the kernel after the
    /// host approved. Default: true.
    public var reversesOnTimeout = true
    /// Whether a payment is reversed if the signature is refused, rejected or late. Default: true.
    public var reversesOnSignatureRejection = true
    /// Whether a payment is reversed if the program was killed after it asked the host. Default: true.
    public var reversesOnCrash = true
    /// Whether a payment is reversed if the card is removed after the host approved. Default: true.
    public var reversesOnCardRemoval = true
    /// The time limit of each phase.
    public var limits = PaymentLimits()

    /// The rules with their defaults.
    public init() {}

    /// Whether a cause leads to a reversal. Always true for a failure of the kernel.
    public func reverses(for cause: ReversalCause) -> Bool {
        switch cause {
        case .linkLost: reversesOnLinkLoss
        case .cardDeclined: reversesOnCardDecline
        case .timeout: reversesOnTimeout
        case .signatureRejected: reversesOnSignatureRejection
        case .crash: reversesOnCrash
        case .cardRemoved: reversesOnCardRemoval
        case .kernelFailed: true
        }
    }
}

/// The reason for which a payment is reversed. Raw values are the names in traces and tables.
public enum ReversalCause: String, Sendable, Hashable, CaseIterable {
    /// The link to the reader was lost after the host approved.
    case linkLost = "link_lost"
    /// The host approved, and the card declined.
    case cardDeclined = "card_declined"
    /// No usable answer came in time.
    case timeout
    /// The signature was refused, rejected or late.
    case signatureRejected = "signature_rejected"
    /// The program was killed after it asked the host.
    case crash
    /// The card was removed after the host approved.
    case cardRemoved = "card_removed"
    /// The kernel failed after the host approved.
    case kernelFailed = "kernel_failed"
}

/// The time limits of a payment, all of at most 10 minutes.
public struct PaymentLimits: Sendable, Hashable {
    /// From the start command to the reader's answer. Default: 10 s.
    public var preparation: Duration = .seconds(10)
    /// Waiting for a card. Default: 60 s. Begins again after each card that could not be used.
    public var card: Duration = .seconds(60)
    /// The choice of an application. Default: 30 s.
    public var application: Duration = .seconds(30)
    /// The kernel up to the first cryptogram, without PIN entry. Default: 60 s.
    public var kernel: Duration = .seconds(60)
    /// One PIN prompt. Default: 75 s, more than the 60 s of the reader, which ends the prompt itself.
    public var pin: Duration = .seconds(75)
    /// The host's answer. Default: 45 s.
    public var host: Duration = .seconds(45)
    /// The kernel from the host's answer to the second cryptogram. Default: 30 s.
    public var completion: Duration = .seconds(30)
    /// The merchant's check of the signature at the reader. Default: 60 s.
    public var readerSignature: Duration = .seconds(60)
    /// The signature in the app, and the merchant's check of it, each. Default: 120 s.
    public var signature: Duration = .seconds(120)
    /// The time after which the record is stored again if no answer came. Default: 5 s.
    public var storing: Duration = .seconds(5)

    /// The limits with their defaults.
    public init() {}

    /// The limit of a phase; nil if it has none.
    package func limit(of phase: PaymentPhase) -> Duration? {
        switch phase {
        case .idle, .crashed, .done: nil
        case .preparing: preparation
        case .awaitingCard: card
        case .choosingApplication: application
        case .processingCard: kernel
        case .enteringPIN: pin
        case .awaitingHost: host
        case .completingCard: completion
        case .verifyingSignatureOnReader: readerSignature
        case .capturingSignature, .verifyingSignature: signature
        case .finalising: storing
        }
    }
}
