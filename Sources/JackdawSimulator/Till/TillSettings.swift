public import JackdawEMV

/// An application of a simulated terminal.
public struct TerminalApplication: Sendable {
    /// The application, as cards name it.
    public var application: SupportedApplication
    /// The terminal, with its settings for the application.
    public var configuration: KernelConfiguration
    /// The contactless reader, with its settings for the application; nil if the application is used by contact only.
    public var contactless: ContactlessProfile?

    /// An application of its parts, by contact only unless there is a contactless profile.
    public init(
        _ application: SupportedApplication, _ configuration: KernelConfiguration,
        contactless: ContactlessProfile? = nil
    ) {
        self.application = application
        self.configuration = configuration
        self.contactless = contactless
    }
}

/// The settings of a simulated till.
public struct TillSettings: Sendable {
    /// The applications of the terminal, in the order in which a card is asked for them.
    public var applications: [TerminalApplication]
    /// The rules of payments. Default: those that never lose and never double money.
    public var policy = PaymentPolicy()
    /// The time until the reader is ready. Default: 200 ms.
    public var preparation = Duration.milliseconds(200)
    /// The time of a command to the card and its answer. Default: 20 ms.
    public var exchange = Duration.milliseconds(20)
    /// The time until the record of a payment is stored. Default: 5 ms.
    public var storing = Duration.milliseconds(5)
    /// The wait for the reply to a reversal, confirmation or advice, after which it is sent again. Default: 45 s.
    public var replyLimit = Duration.seconds(45)
    /// The seed of random octets. Default: 1.
    public var seed: UInt64 = 1

    /// Settings with the defaults.
    /// - Parameter applications: the applications of the terminal.
    public init(applications: [TerminalApplication]) { self.applications = applications }
}

/// An entry of a till's log. It has no card data.
public struct TillEntry: Sendable, Hashable {
    /// The content of an entry.
    public enum Content: Sendable, Hashable {
        /// The payment received an event.
        case event(PaymentEvent)
        /// The payment had an effect.
        case action(PaymentAction)
        /// A reversal, confirmation, advice or refund was sent, for the first time or again.
        case sent(TillMessage)
        /// The issuer accepted it.
        case accepted(TillMessage)
        /// The issuer refused it: a person must deal with it.
        case refused(TillMessage, IssuerRefusal)
    }

    /// The time of the entry.
    public let time: Duration
    /// The content of the entry.
    public let content: Content
}

/// A message that must reach the issuer.
public enum TillMessage: String, Sendable, Hashable {
    /// The payment is taken back.
    case reversal
    /// A payment that the issuer approved is complete.
    case confirmation
    /// A payment was approved without the issuer.
    case advice
    /// The money of a payment that is complete is given back.
    case refund
}
