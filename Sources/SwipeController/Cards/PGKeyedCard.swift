internal import JackdawBytes
public import JackdawCards
internal import JackdawTransport

/// The common base of all cards. Secret values are never shown: descriptions are masked, and secrets are kept in memory
/// that is overwritten after use.
public class PGCard: RedactedDescription, @unchecked Sendable {
    private let code: Lock<SecretText?>

    init(cvv: SecretText?) { code = Lock(cvv) }

    /// The card's verification code, 3 or 4 digits, if a person has typed it; nil without one. It must not be stored
    /// after the payment is authorised, not even encrypted (PCI DSS 3.3.1).
    public var cvv: SecretText? {
        get { code.withLock { $0 } }
        set { code.withLock { $0 = newValue } }
    }

    /// The card's fields for a gateway: names and values, as in the query of a URL.
    /// - Parameter includesCVV: whether to include ``cvv``.
    /// - Returns: ASCII text in memory that is wiped after use.
    public final func directPost(includingCVV includesCVV: Bool) -> SecretText {
        var post = DirectPost()
        addFields(to: &post)
        if includesCVV, let cvv { post.add("cvv", cvv) }
        return post.finish()
    }

    /// The same as ``directPost(includingCVV:)``, under the vendor's name, as a `String`, which cannot be overwritten.
    /// - Parameter included: whether to include ``cvv``.
    /// - Returns: a copy that stays in memory until the system reuses it.
    public final func getDirectPostString(withCVVIncluded included: Bool) -> String {
        directPost(includingCVV: included).revealedText()
    }

    func addFields(to post: inout DirectPost) {}

    public var description: String { "a card" }
}

/// A card whose number a person has typed.
public final class PGKeyedCard: PGCard, @unchecked Sendable {
    /// The account number, digits only.
    public let cardNumber: SecretText
    /// The expiry date as MMYY.
    public let expirationDate: SecretText
    /// The first month of validity as MMYY; nil if the card does not show it.
    public let cardStartDate: SecretText?
    /// The issue number of the card; nil if the card does not show it.
    public let cardIssueNumber: SecretText?

    /// - Parameters:
    ///   - cardNumber: the account number, digits only.
    ///   - expirationDate: the expiry date as MMYY.
    ///   - cardStartDate: the first month of validity as MMYY.
    ///   - cardIssueNumber: the issue number of the card.
    ///   - cvv: the verification code.
    public init(
        cardNumber: SecretText, expirationDate: SecretText, cardStartDate: SecretText? = nil,
        cardIssueNumber: SecretText? = nil, cvv: SecretText? = nil
    ) {
        self.cardNumber = cardNumber
        self.expirationDate = expirationDate
        self.cardStartDate = cardStartDate
        self.cardIssueNumber = cardIssueNumber
        super.init(cvv: cvv)
    }

    override func addFields(to post: inout DirectPost) {
        post.add("ccnumber", cardNumber)
        post.add("ccexp", expirationDate)
        // The gateway's names for start date and issue number are not published.
    }

    /// The kind of card, with the first six and last four digits of the account number.
    public override var description: String {
        let number = cardNumber.withRevealedText { try? PrimaryAccountNumber($0) }
        return "a keyed card\(number.map { " \($0.masked)" } ?? "")"
    }
}

/// Names and values in the format of a gateway's Direct Post, in memory that is wiped after use.
///
/// Source: the gateway's Direct Post API (`ccnumber=..&ccexp=MMYY`); values are escaped as in a URL's query (RFC 3986,
/// 2.1).
struct DirectPost {
    /// Consecutive pieces of the text.
    private var parts: [SecretText] = []

    mutating func add(_ name: String, _ value: SecretText) {
        let count = value.withRevealedText { value in
            value.indices.reduce(0) { $0 + (Self.isPlain(value[$1]) ? 1 : 3) }
        }
        let prefix = Array("\(parts.isEmpty ? "" : "&")\(name)=".utf8)
        parts.append(SecretText(copying: prefix.span))
        let escaped = SecretBytes(count: count) { target in
            value.withRevealedText { value in
                var next = 0
                for index in value.indices {
                    if Self.isPlain(value[index]) {
                        target[next] = value[index]
                        next += 1
                    } else {
                        target[next] = UInt8(ascii: "%")
                        (target[next + 1], target[next + 2]) = value[index].hexadecimalDigits
                        next += 3
                    }
                }
            }
        }
        escaped.withBytes { parts.append(SecretText(copying: $0)) }
    }

    /// Adds a field whose value is not secret.
    mutating func add(_ name: String, _ value: String) {
        let bytes = Array(value.utf8)
        add(name, SecretText(copying: bytes.span))
    }

    /// The complete text: all pieces in order.
    func finish() -> SecretText {
        let whole = SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { target in
            var next = 0
            for part in parts {
                part.withRevealedText { part in
                    for index in part.indices { target[next + index] = part[index] }
                }
                next += part.count
            }
        }
        return whole.withBytes { SecretText(copying: $0) }
    }

    /// Whether the character is unreserved (RFC 3986, 2.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
