#if Payments
import Accept
import JackdawPayments

/// What a till does in a scenario, and what goes wrong at the host.
struct Scenario: Sendable {
    /// A step of the merchant.
    enum Step: Sendable {
        /// Begins a payment. The next step does not wait for its end.
        case begin(Payment)
        /// Begins a payment, and waits until it ends for the customer.
        case pay(Payment)
        /// Waits until all attempts end for the customer.
        case finish
        /// Begins the last payment's sale once more; the desk refuses with this code.
        case again(DeskRefusal.Code)
        /// Repeats the call of the last payment with its identifier; it is the same attempt.
        case repeated
        /// Repeats the call with another amount; the desk refuses.
        case otherAmount
        /// Captures an amount of the last payment.
        case capture(UInt64)
        /// Returns an amount of the last payment, by an identifier of the merchant's.
        case refund(UInt64)
        /// Takes the last payment back.
        case reverse
        /// Waits until all messages for the host are delivered.
        case settle
    }

    /// A payment by a customer with a card.
    struct Payment: Sendable {
        let sale: String
        /// Minor units of EUR.
        let amount: UInt64
        let isAuthorisation: Bool
        let means: Means

        /// A purchase of sale A, unless set otherwise.
        init(_ amount: UInt64, by means: Means = .swipe, sale: String = "A", isAuthorisation: Bool = false) {
            self.sale = sale
            self.amount = amount
            self.isAuthorisation = isAuthorisation
            self.means = means
        }

        /// The same payment by the stripe of a card, as a customer pays who comes again.
        var bySwipe: Payment { Payment(amount, sale: sale, isAuthorisation: isAuthorisation) }
    }

    /// A fault of the host, which requests of a route ask for.
    struct Fault: Sendable {
        /// The route as in docs/sandbox.md: `POST payments.json`.
        let route: String
        /// The value of `X-Sandbox-Fault`.
        let fault: String
        /// The requests of the route that pass before.
        let after: Int
        /// The requests that ask for it then.
        let times: Int

        init(_ route: String, _ fault: String, after: Int = 0, times: Int = 1) {
            self.route = route
            self.fault = fault
            self.after = after
            self.times = times
        }

        static let payment = "POST payments.json"
        static let login = "POST oauth2/token"
        static let reversal = "POST unique_ids/{id}/reverse.json"
        static let reversalOfPayment = "POST payments/{id}/reverse.json"
        static let completion = "PUT payments/{id}.json"
        static let capture = "POST payments/{id}/capture.json"
        static let refund = "POST payments/{id}/refund.json"
        static let enquiry = "GET unique_ids/{id}.json"
    }

    let name: String
    let steps: [Step]
    let faults: [Fault]
    /// The ends of all attempts if nothing is killed, in alphabetical order: `purchase approved`.
    let ends: [String]
    /// The time limit of the host's answers.
    let hostLimit: Duration
    let reversals: AcceptWire.Reversals
    /// Whether the host posts a callback for each payment.
    let hasCallback: Bool

    init(
        _ name: String, _ steps: [Step], _ faults: [Fault] = [], ends: [String], hostLimit: Duration = .seconds(3),
        reversals: AcceptWire.Reversals = .ofIdentifiers, hasCallback: Bool = false
    ) {
        self.name = name
        self.steps = steps
        self.faults = faults
        self.ends = ends
        self.hostLimit = hostLimit
        self.reversals = reversals
        self.hasCallback = hasCallback
    }

    /// The habits of the sandbox. Waits are short, because the sandbox is in the same computer.
    var profile: HostProfile {
        var profile = HostProfile(
            name: "Sandbox", waits: RetryWaits(first: .milliseconds(50), longest: .milliseconds(400)))
        profile.answerLimit = hostLimit
        // No request is on its way longer than its time limit and a little more.
        profile.requestLifetime = hostLimit + .milliseconds(500)
        return profile
    }
}

/// The card and its holder in a payment.
struct Means: Sendable {
    /// The reader.
    enum Reader: Sendable { case miura, posmate, emvswiper, tap, stripe }

    /// The cardholder's or the merchant's behaviour with a signature. Raw values are those of a cardholder's file.
    enum Signature: String, Sendable { case right, refused, wrong }

    let reader: Reader
    /// A file of `cards` or `cards/deck`, without its ending.
    var card = "visa-dda"
    /// Further changes of the card's file, as JSON: `"applications[0].limits.decline_above": 500`.
    var changes = ""
    /// Further members of the cardholder, as JSON.
    var payer = ""
    var signature = Signature.right
    /// Whether the merchant cancels when the reader waits for a card.
    var isCancelled = false
    /// Whether the reader is unplugged after the host has answered.
    var isUnplugged = false

    init(_ reader: Reader) { self.reader = reader }

    static let miura = Means(.miura)
    static let posmate = Means(.posmate)
    static let emvswiper = Means(.emvswiper)
    static let tap = Means(.tap).with { $0.card = "m-chip-tap" }
    static let swipe = Means(.stripe)

    /// A chip whose holder signs.
    static func signing(_ signature: Signature) -> Means {
        Means(.miura).with { means in
            means.card = "signature"
            means.signature = signature
            means.payer = "\"signature\": \"\(signature.rawValue)\""
        }
    }

    /// The same with changes.
    func with(_ change: (inout Means) -> Void) -> Means {
        var means = self
        change(&means)
        return means
    }

    /// The PIN of the two base cards.
    var pin: String { card.hasPrefix("m-chip") ? "4315" : "1234" }
}
#endif
