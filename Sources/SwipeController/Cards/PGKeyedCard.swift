public import JackdawCards
internal import JackdawSystem

/// What all cards have in common. Nothing of it is ever shown: descriptions are masked, and what is secret is in memory that is
/// overwritten.
public class PGCard: RedactedDescription, @unchecked Sendable {
    private let code: SystemLock<SecretText?>

    init(cvv: SecretText?) { code = SystemLock(cvv) }

    /// The card's verification code, 3 or 4 digits, where a person has typed it; nil without one. It must not be kept once the
    /// payment is authorised, not even encrypted (PCI DSS 3.3.1).
    public var cvv: SecretText? {
        get { code.withLock { $0 } }
        set { code.withLock { $0 = newValue } }
    }

    /// What a gateway is sent of the card: names and values, as in the query of a URL.
    /// - Parameter includesCVV: whether ``cvv`` is sent, too.
    /// - Returns: ASCII text in wiped memory.
    public final func directPost(includingCVV includesCVV: Bool) -> SecretText {
        var post = DirectPost()
        addFields(to: &post)
        if includesCVV, let cvv { post.add("cvv", cvv) }
        return post.finish()
    }

    /// ``directPost(includingCVV:)`` by the vendor's name, as a `String`, which cannot be overwritten.
    /// - Parameter included: whether ``cvv`` is sent, too.
    /// - Returns: a copy that stays in memory as long as the system likes.
    public final func getDirectPostString(withCVVIncluded included: Bool) -> String {
        directPost(includingCVV: included).revealedText()
    }

    func addFields(to post: inout DirectPost) {}

    /// What kind of card it is.
    public var description: String { "a card" }
}

/// A card whose number a person has typed.
public final class PGKeyedCard: PGCard, @unchecked Sendable {
    /// The account number, digits only.
    public let cardNumber: SecretText
    /// When it expires, MMYY.
    public let expirationDate: SecretText
    /// From when on it is valid, MMYY; nil where it does not say.
    public let cardStartDate: SecretText?
    /// Which card of the account it is; nil where it does not say.
    public let cardIssueNumber: SecretText?

    /// - Parameters:
    ///   - cardNumber: the account number, digits only.
    ///   - expirationDate: when it expires, MMYY.
    ///   - cardStartDate: from when on it is valid, MMYY.
    ///   - cardIssueNumber: which card of the account it is.
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
        // How the gateway calls start date and issue number is not published.
    }

    /// The number's first six digits and the last four.
    public override var description: String {
        let number = cardNumber.withRevealedText { try? PrimaryAccountNumber($0) }
        return "a keyed card\(number.map { " \($0.masked)" } ?? "")"
    }
}

/// Names and values as a gateway's Direct Post takes them, in wiped memory.
///
/// Source: the gateway's Direct Post API (`ccnumber=..&ccexp=MMYY`); values are escaped as in a URL's query (RFC 3986, 2.1).
struct DirectPost {
    /// Stretches that follow each other.
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

    /// Adds what is no secret.
    mutating func add(_ name: String, _ value: String) {
        let bytes = Array(value.utf8)
        add(name, SecretText(copying: bytes.span))
    }

    /// All of it, one behind the other.
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

    /// What RFC 3986 calls unreserved.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}

extension UInt8 {
    /// The characters of its two hexadecimal digits, upper case. No text, which could not be overwritten.
    var hexadecimalDigits: (high: UInt8, low: UInt8) { (Self.digit(self >> 4), Self.digit(self & 15)) }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
