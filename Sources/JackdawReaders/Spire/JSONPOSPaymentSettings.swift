package import JackdawEMV

/// The values of payments at SPm20 terminals that are not public or may change.
package struct JSONPOSPaymentSettings: Sendable, Hashable {
    /// The program's key (`api_key`), which Poplatek assigns.
    package var apiKey = "test"
    /// The text of a result that is an approval (`response_text`).
    package var approvedText = "Approved"
    /// The name of the error of `Check` if the terminal does not know the payment (`string_code`).
    package var notFoundName = "TRANSACTION_NOT_FOUND"
    /// The limit of answers to requests that are not payments.
    package var answerLimit: Duration
    /// The longest pause in a frame.
    package var silence: Duration
    /// The time after which the terminal is asked for the result of a payment that it has not sent.
    package var checkDelay = Duration.seconds(150)
    /// The time from one such question to the next.
    package var checkInterval = Duration.seconds(10)
    /// The time after which a payment is given up: the flow's limit for the host.
    package var limit = Duration.seconds(300)

    /// The time after which a lost link is opened again.
    package var reconnectDelay = Duration.seconds(1)
    /// The number of times that a refund is sent which the terminal refuses; 0: payments that the flow has given up stay
    /// open.
    package var maxRefunds = 3
    /// The number by which `receipt_id` of a refund exceeds that of its payment.
    package var refundOffset = 100_000_000
    /// Whether a refund is sent again that was lost and that `Check` does not find. If `Check` knew no refunds, that would
    /// give the money back twice.
    package var repeatsLostRefunds = false

    /// The values of the family's own profile.
    package init() {
        let times = JSONPOSDialect().times
        (answerLimit, silence) = (times.answer, times.silence)
    }

    /// - Parameter profile: the values that are not public or may change.
    /// - Throws: ``ReaderError`` (`missingValue`, `badProfile`) if the profile is incomplete or invalid.
    package init(profile: ReaderProfile) throws(ReaderError) {
        self.init()
        let times = try profile.times()
        (answerLimit, silence) = (times.answer, times.silence)
        apiKey = try profile.text(.apiKey)
        approvedText = try profile.text(.approvedText)
        notFoundName = try profile.text(.notFoundName)
        checkDelay = .milliseconds(try profile.integer(.checkDelay, in: 1...600_000))
        checkInterval = .milliseconds(try profile.integer(.checkInterval, in: 1...600_000))
        limit = .milliseconds(try profile.integer(.purchaseLimit, in: 1...600_000))
        reconnectDelay = .milliseconds(try profile.integer(.reconnectDelay, in: 1...600_000))
        maxRefunds = try profile.integer(.maxRefunds, in: 0...100)
        refundOffset = try profile.integer(.refundOffset, in: 1...1_000_000_000)
        repeatsLostRefunds = try profile.flag(.repeatsLostRefunds)
    }

    /// Returns a policy whose limit for the host is that of a whole payment, with cardholder and card.
    /// - Parameter policy: the other rules. Default: those of the flow.
    /// - Returns: the policy.
    package func policy(_ policy: PaymentPolicy = PaymentPolicy()) -> PaymentPolicy {
        var policy = policy
        policy.limits.host = limit
        return policy
    }
}

extension ReaderProfile {
    /// The known facts about payments at SPm20 terminals.
    static let jsonposPayment: [ProfileKey: ProfileEntry] = [
        .apiKey: ProfileEntry(
            "api_key of a payment", .text("test"), .unknown, "invented; Poplatek assigns a key to each program"),
        .approvedText: ProfileEntry(
            "response_text of a result that is an approval", .text("Approved"), .reported,
            "a program in a public repository that uses JSONPOS"),
        .notFoundName: ProfileEntry(
            "string_code of Check if the terminal does not know the payment", .text("TRANSACTION_NOT_FOUND"),
            .documented, "Poplatek JSONPOS API, section 1.2"),
        .checkDelay: ProfileEntry(
            "ms until the terminal is asked for a result that it has not sent", .number(150_000), .unknown,
            "invented; the terminal's own limits are not published"),
        .checkInterval: ProfileEntry(
            "ms from one such question to the next", .number(10_000), .unknown, "invented"),
        .purchaseLimit: ProfileEntry(
            "ms after which a payment is given up, at most 600,000", .number(300_000), .unknown,
            "invented; the terminal's own limits are not published"),
        .reconnectDelay: ProfileEntry(
            "ms after which a lost link is opened again", .number(1000), .documented,
            "pt-android-sdk: BluetoothNetworkProxyRunner"),
        .maxRefunds: ProfileEntry(
            "number of times that a refund is sent which the terminal refuses; 0: none is sent", .number(3), .unknown,
            "invented; whether a refund needs the card is not published"),
        .refundOffset: ProfileEntry(
            "receipt_id of a refund, less that of its payment", .number(100_000_000), .unknown,
            "invented; a program in a public repository says only that they differ"),
        .repeatsLostRefunds: ProfileEntry(
            "whether a refund that was lost is sent again if Check does not find it", .flag(false), .unknown,
            "whether Check knows refunds is not published"),
    ]
}

extension ProfileKey {
    /// The key of a program that sends payments to SPm20 terminals.
    static let apiKey: ProfileKey = "jsonpos.apiKey"
    /// The text of an approval of SPm20 terminals.
    static let approvedText: ProfileKey = "jsonpos.approvedText"
    /// The name of the error of SPm20 terminals that do not know a payment.
    static let notFoundName: ProfileKey = "jsonpos.notFoundName"
    /// The time until an SPm20 terminal is asked for a result.
    static let checkDelay: ProfileKey = "jsonpos.checkDelay"
    /// The time between such questions.
    static let checkInterval: ProfileKey = "jsonpos.checkInterval"
    /// The limit of a payment at an SPm20 terminal.
    static let purchaseLimit: ProfileKey = "jsonpos.limit"
    /// The time until a lost link to an SPm20 terminal is opened again.
    static let reconnectDelay: ProfileKey = "jsonpos.reconnectDelay"
    /// The number of times that a refund is sent which an SPm20 terminal refuses.
    static let maxRefunds: ProfileKey = "jsonpos.maxRefunds"
    /// The distance of the numbers of a refund and of its payment.
    static let refundOffset: ProfileKey = "jsonpos.refundOffset"
    /// Whether a refund is sent again that an SPm20 terminal does not find.
    static let repeatsLostRefunds: ProfileKey = "jsonpos.repeatsLostRefunds"
}
