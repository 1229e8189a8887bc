public import JackdawCards

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
