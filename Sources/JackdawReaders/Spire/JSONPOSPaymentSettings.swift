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
}
