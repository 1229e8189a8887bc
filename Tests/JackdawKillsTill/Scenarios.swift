#if Payments
import Accept
import JackdawPayments

// The scenarios. Amounts from 51.00 to 51.99 ask the sandbox's issuer for a reaction (issuers/test.json).

extension Scenario {
    static let silent = Duration.milliseconds(400)

    static let all: [Scenario] = cards + people + hosts + queues + parts + merchants

    /// Ways of cards, and what cards decide.
    private static let cards: [Scenario] = [
        Scenario("chip-miura", [.pay(Payment(6000, by: .miura))], ends: ["purchase approved"]),
        Scenario("chip-posmate", [.pay(Payment(6000, by: .posmate))], ends: ["purchase approved"]),
        Scenario("chip-emvswiper", [.pay(Payment(6000, by: .emvswiper))], ends: ["purchase approved"]),
        Scenario("swipe", [.pay(Payment(6000))], ends: ["purchase approved"]),
        Scenario(
            "chip-pin-online",
            [.pay(Payment(1000, by: .miura.with { $0.card = "pin-online" }))], ends: ["purchase approved"]),
        Scenario("tap", [.pay(Payment(6000, by: .tap))], ends: ["purchase approved"]),
        Scenario("tap-offline", [.pay(Payment(1000, by: .tap))], ends: ["purchase approved"]),
        Scenario("chip-offline", [.pay(Payment(1000, by: .miura))], ends: ["purchase approved"]),
        Scenario(
            "chip-offline-twice",
            [.pay(Payment(1000, by: .miura)), .pay(Payment(900, by: .posmate, sale: "B"))],
            ends: ["purchase approved", "purchase approved"]),
        Scenario(
            "declined-by-card",
            [.pay(Payment(1000, by: .miura.with { $0.changes = #""applications[0].limits.decline_above": 500"# }))],
            ends: ["purchase declined"]),
        Scenario("declined-by-issuer", [.pay(Payment(5105, by: .posmate))], ends: ["purchase declined"]),
        Scenario("referred", [.pay(Payment(5101))], ends: ["purchase declined"]),
        Scenario(
            "issuer-not-authentic", [.pay(Payment(5141, by: .miura))], ends: ["purchase reversed"]),
    ]

    /// Cardholders and merchants.
    private static let people: [Scenario] = [
        Scenario(
            "cancelled", [.pay(Payment(6000, by: .swipe.with { $0.isCancelled = true }))], ends: ["purchase cancelled"]),
        Scenario(
            "signature-refused", [.pay(Payment(6000, by: .signing(.refused)))],
            ends: ["purchase reversed"]),
        Scenario(
            "signature-wrong", [.pay(Payment(6000, by: .signing(.wrong)))],
            ends: ["purchase reversed"]),
        Scenario(
            "card-removed-early",
            [.pay(Payment(6000, by: .miura.with { $0.payer = #""removal": {"after_exchange": 8, "delay": 1}"# }))],
            ends: ["purchase failed"]),
        Scenario(
            "reader-unplugged", [.pay(Payment(6000, by: .miura.with { $0.isUnplugged = true }))],
            ends: ["purchase reversed"]),
        Scenario(
            "callback", [.pay(Payment(6000))], ends: ["purchase approved"], hasCallback: true),
    ]

    /// Faults of the host while it is asked for a payment.
    private static let hosts: [Scenario] = [
        Scenario(
            "silent-before", [.pay(Payment(6000, by: .miura))], [Fault(Fault.payment, "silent-before")],
            ends: ["purchase reversed"], hostLimit: silent),
        Scenario(
            "silent-after", [.pay(Payment(6000))], [Fault(Fault.payment, "silent-after")],
            ends: ["purchase reversed"], hostLimit: silent),
        Scenario(
            "slow", [.pay(Payment(6000, by: .posmate))], [Fault(Fault.payment, "slow=300")],
            ends: ["purchase approved"]),
        Scenario(
            "too-late", [.pay(Payment(6000)), .settle], [Fault(Fault.payment, "slow=600")],
            ends: ["purchase reversed"], hostLimit: silent),
        Scenario(
            "refused-4xx", [.pay(Payment(600_000))], ends: ["purchase declined"]),
        Scenario(
            "error-4xx", [.pay(Payment(6000))], [Fault(Fault.payment, "status=400")], ends: ["purchase reversed"]),
        Scenario(
            "error-5xx", [.pay(Payment(6000))], [Fault(Fault.payment, "status=503")], ends: ["purchase reversed"]),
        Scenario(
            "error-5xx-after", [.pay(Payment(6000, by: .miura))], [Fault(Fault.payment, "status-after=500")],
            ends: ["purchase reversed"]),
        Scenario(
            "garbled", [.pay(Payment(6000))], [Fault(Fault.payment, "garbled")], ends: ["purchase reversed"]),
        Scenario("cut", [.pay(Payment(6000))], [Fault(Fault.payment, "cut=17")], ends: ["purchase reversed"]),
        Scenario(
            "token-expired", [.pay(Payment(6000))], [Fault(Fault.payment, "token-expired")],
            ends: ["purchase approved"]),
        Scenario(
            "login-5xx", [.pay(Payment(6000))], [Fault(Fault.login, "status=503")], ends: ["purchase failed"]),
        Scenario(
            "identifier-used", [.pay(Payment(6000))], [Fault(Fault.payment, "duplicate-id")],
            ends: ["purchase failed"]),
    ]

    /// Faults of the host while the queue is delivered.
    private static let queues: [Scenario] = [
        Scenario(
            "reversal-silent", [.pay(Payment(6000))],
            [Fault(Fault.payment, "silent-after"), Fault(Fault.reversal, "silent-after")],
            ends: ["purchase reversed"], hostLimit: silent),
        Scenario(
            "reversal-5xx", [.pay(Payment(6000, by: .signing(.refused)))],
            [Fault(Fault.reversal, "status=503"), Fault(Fault.reversal, "cut=5", after: 1)],
            ends: ["purchase reversed"]),
        Scenario(
            "reversal-conflict", [.pay(Payment(6000))],
            [Fault(Fault.payment, "cut=17"), Fault(Fault.reversal, "duplicate-id", times: 2)],
            ends: ["purchase reversed"]),
        Scenario(
            "reversal-of-payment", [.pay(Payment(6000))], [Fault(Fault.payment, "silent-after")],
            ends: ["purchase reversed"], hostLimit: silent, reversals: .ofPayments),
        Scenario(
            "reversal-of-nothing", [.pay(Payment(6000))], [Fault(Fault.payment, "silent-before")],
            ends: ["purchase failed"], hostLimit: silent, reversals: .ofPayments),
        Scenario(
            "completion-silent", [.pay(Payment(6000, by: .miura))], [Fault(Fault.completion, "silent-after")],
            ends: ["purchase approved"], hostLimit: silent),
        Scenario(
            "advice-cut", [.pay(Payment(1000, by: .miura))], [Fault(Fault.payment, "cut=0")],
            ends: ["purchase approved"]),
    ]

    /// Captures, refunds and payments that the merchant takes back.
    private static let parts: [Scenario] = [
        Scenario(
            "capture", [.pay(Payment(6000, by: .posmate, isAuthorisation: true)), .capture(6000)],
            ends: ["authorisation approved", "capture approved"]),
        Scenario(
            "capture-part", [.pay(Payment(6000, isAuthorisation: true)), .capture(2500)],
            ends: ["authorisation approved", "capture approved"]),
        Scenario(
            "capture-silent-after", [.pay(Payment(6000, isAuthorisation: true)), .capture(6000)],
            [Fault(Fault.capture, "silent-after"), Fault(Fault.enquiry, "status=503")],
            ends: ["authorisation approved", "capture approved"], hostLimit: silent),
        Scenario(
            "capture-silent-before", [.pay(Payment(6000, isAuthorisation: true)), .capture(6000)],
            [Fault(Fault.capture, "silent-before")],
            ends: ["authorisation approved", "capture failed"], hostLimit: silent),
        Scenario(
            "refund", [.pay(Payment(6000, by: .emvswiper)), .refund(6000)],
            ends: ["purchase approved", "refund approved"]),
        Scenario(
            "refund-parts", [.pay(Payment(6000)), .refund(1000), .refund(1000)],
            ends: ["purchase approved", "refund approved", "refund approved"]),
        Scenario(
            "refund-silent-after", [.pay(Payment(6000)), .refund(1000)], [Fault(Fault.refund, "silent-after")],
            ends: ["purchase approved", "refund approved"], hostLimit: silent),
        Scenario(
            "refund-silent-before", [.pay(Payment(6000)), .refund(1000)], [Fault(Fault.refund, "silent-before")],
            ends: ["purchase approved", "refund failed"], hostLimit: silent),
        Scenario(
            "taken-back", [.pay(Payment(6000, by: .miura)), .settle, .reverse], ends: ["purchase reversed"]),
        Scenario(
            "taken-back-silent", [.pay(Payment(6000)), .settle, .reverse], [Fault(Fault.reversal, "silent-after")],
            ends: ["purchase reversed"], hostLimit: silent),
        Scenario(
            "taken-back-and-paid",
            [.pay(Payment(6000)), .settle, .reverse, .settle, .pay(Payment(6000, by: .posmate))],
            ends: ["purchase approved", "purchase reversed"]),
    ]

    /// Merchants' programs.
    private static let merchants: [Scenario] = [
        Scenario(
            "second-attempt", [.begin(Payment(6000)), .again(.saleInProgress), .finish],
            [Fault(Fault.payment, "slow=300")], ends: ["purchase approved"]),
        Scenario(
            "paid-already", [.pay(Payment(6000)), .again(.salePaid)], ends: ["purchase approved"]),
        Scenario(
            "call-repeated", [.begin(Payment(6000)), .repeated, .finish, .repeated, .otherAmount],
            ends: ["purchase approved"]),
        Scenario(
            "two-sales", [.pay(Payment(6000, by: .miura)), .pay(Payment(7000, sale: "B"))],
            ends: ["purchase approved", "purchase approved"]),
        Scenario(
            "two-sales-at-once", [.begin(Payment(6000)), .begin(Payment(7000, sale: "B")), .finish],
            ends: ["purchase approved", "purchase approved"]),
    ]
}
#endif
