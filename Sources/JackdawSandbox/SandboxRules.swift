/// The rules of a sandbox. Each names its source; "no source" is a choice of this project, and no fact about the host.
public struct SandboxRules: Sendable {
    /// The numbers of an amount on the wire.
    public enum AmountScale: String, Sendable {
        /// Hundredths of the major unit in every currency, whatever its decimals.
        case hundredths
        /// Minor units by the exponent of ISO 4217.
        case minorUnits = "minor-units"
    }

    /// The path before that of a route. No source: the base address of the real host is a secret of its users.
    public var basePath = "/v3"
    /// The scale of amounts. Source: Accept SDK integration guide 1.6.182, 3.2: amounts are multiplied by 100.
    public var amountScale = AmountScale.hundredths
    /// The encoding of card data. No source.
    public var cardData = CardDataProfile.tagLengthValue
    /// The values of `X-Compatibility-Level` that are taken. Source of 20: the Android archive; of the others: none.
    public var compatibilityLevels = 1...20
    /// The time after which an unused token expires. Source: the demo of the iOS SDK's release 1.6.219 counts 900 s.
    public var tokenLifetime = Duration.seconds(900)
    /// The time from its approval in which a payment can be reversed. Source: guide, 3.3: 24 hours.
    public var reversalPeriod = Duration.seconds(86_400)
    /// The time to wait for the issuer; then the payment is rejected, and reversed at the issuer. No source.
    public var issuerLimit = Duration.seconds(30)
    /// The status of an answer about a new payment. No source.
    public var createdStatus = 201
    /// Whether an enquiry about an unknown identifier closes it: nothing is ever booked under it. Beyond version 3.
    public var closesUnknownIdentifiers = false
    /// Whether requests may ask for a fault by the header `X-Sandbox-Fault`. Beyond version 3.
    public var takesFaultHeader = true
    /// The failed logins of a user or an address after which no more are taken for a while. No source.
    public var maxLoginFailures = 5
    /// The time in which failed logins count. No source.
    public var loginPeriod = Duration.seconds(60)
    /// The least bytes of a password that a user chooses. No source.
    public var minPasswordBytes = 8
    /// Limits on memory. No source.
    public var limits = SandboxLimits()

    /// The names of `sub_merchant` with their greatest lengths. Source: the Android archive, lengths only.
    public var subMerchantFields: [(name: String, maxLength: Int)] = [
        ("id", 15), ("name", 22), ("country", 2), ("state", 3), ("city", 13), ("street", 38), ("postal_code", 10),
    ]

    /// The values of `pos_entry_mode`. Source: the Android archive.
    public var entryModes = ["00", "01", "02", "03", "04", "05", "07", "79", "80", "90", "91"]

    /// The rules with their defaults.
    public init() {}
}

/// Limits on the memory of a sandbox.
public struct SandboxLimits: Sendable {
    /// The most payments. Further ones are answered with 507.
    public var payments = 100_000
    /// The most bytes of memory for payments, about. When they are reached, further payments, captures, refunds and
    /// changes are answered with 507; reversals are not.
    public var bookBytes = 1 << 28
    /// The most tokens at a time.
    public var tokens = 10_000
    /// The most items of a payment.
    public var items = 200
    /// The most bytes of a signature.
    public var signatureBytes = 65_536
    /// The most bytes of a body.
    public var bodyBytes = 1 << 18

    /// The limits of a form.
    var form: FormLimits {
        var limits = FormLimits()
        limits.bytes = bodyBytes
        return limits
    }

    /// The limits with their defaults.
    public init() {}
}
