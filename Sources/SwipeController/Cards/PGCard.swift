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
