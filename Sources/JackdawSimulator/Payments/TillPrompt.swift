import JackdawEMV

/// A text that the person at the till sees: a code for programs, and the text.
package struct TillPrompt: Sendable, Hashable {
    /// The code, for programs.
    package let code: String
    /// The text for a person.
    package let text: String

    init(_ code: String, _ text: String) {
        self.code = code
        self.text = text
    }

    /// The texts of a step, in their order.
    /// - Parameters:
    ///   - step: a step that a payment has just made.
    ///   - amount: the amount of the payment.
    ///   - ways: what the reader takes.
    ///   - isTapAllowed: whether the payment may be a tap (`PaymentFlow.isTapAllowed`).
    ///   - applications: the applications among which the cardholder chooses.
    /// - Returns: none of a step that shows nothing.
    static func prompts(
        of step: PaymentStep, for amount: Amount, _ ways: CardWays, isTapAllowed: Bool, applications: [String]
    ) -> [TillPrompt] {
        var prompts: [TillPrompt] = []
        if case .event(let event, _) = step.cause, let prompt = TillPrompt(event, amount) { prompts.append(prompt) }
        for effect in step.effects {
            switch effect.action {
            case .acceptCard: prompts.append(.card(amount, ways.taps && !isTapAllowed ? ways.withoutTaps : ways))
            case .chooseApplication: prompts.append(.choice(applications))
            case .askHost where ways.isPaymentWhole:
                prompts.append(TillPrompt("terminal", "Please wait: the terminal takes the payment."))
            case .askHost: prompts.append(TillPrompt("issuer", "Please wait: the issuer is asked."))
            case .captureSignature: prompts.append(TillPrompt("sign", "Sign."))
            case .verifySignature:
                prompts.append(TillPrompt("compare_signature", "Merchant: compare the signature."))
            case .prompt(.removeCard) where ways.names == [CardWays.swipe]: break
            case .prompt(let prompt): prompts.append(TillPrompt(prompt.rawValue, prompt.text(ways)))
            case .prepare, .processCard, .completeCard, .storeRecord, .writeJournal, .useNewAmount, .reverse,
                .stopReader, .end, .ignore, .reject:
                break
            }
        }
        return prompts
    }

    private init?(_ event: PaymentEvent, _ amount: Amount) {
        switch event {
        case .pinRequested: self.init("pin", "\(amount): enter the PIN.")
        case .pinWrong: self.init("pin_again", "The PIN is wrong. Enter it again.")
        case .readerSignatureRequested:
            self.init("compare_signature", "Merchant: compare the signature, and confirm at the reader.")
        default: return nil
        }
    }

    private static func card(_ amount: Amount, _ ways: CardWays) -> TillPrompt {
        TillPrompt("card", "\(amount): \(ways.text) the card.")
    }

    /// The most applications that are shown.
    private static let maxChoices = 20

    /// A label as it is shown. Readers send it: it may be long, or have an account number.
    private static func shown(_ label: String) -> String {
        // EMV Book 3, annex A: a label has at most 16 characters.
        let isPlain = label.count <= 16 && label.utf8.count { (0x30...0x39).contains($0) } < 8
        return isPlain ? label : "application"
    }

    private static func choice(_ applications: [String]) -> TillPrompt {
        let names = applications.prefix(maxChoices).enumerated().map { "\($0 + 1) \(shown($1))" }
            .joined(separator: ", ")
        return TillPrompt("application", names.isEmpty ? "Choose an application." : "Choose an application: \(names).")
    }
}

extension PaymentPrompt {
    /// The text for the cardholder at a reader.
    fileprivate func text(_ ways: CardWays) -> String {
        switch self {
        case .useChip where !ways.inserts: "This card has a chip, which this reader cannot read: use another card."
        case .useChip: "This card has a chip: insert it."
        case .swipeCard where !ways.swipes: "The chip cannot be used: use another card."
        case .swipeCard: "The chip cannot be used: swipe the card."
        case .tryAgain: "The card could not be read. Try again."
        case .useOtherInterface: "\(ways.withoutTaps.text.capitalizingFirst) the card."
        case .seePhone: "See your phone, and tap it again."
        case .presentOneCard: "Present one card only."
        case .removeCard: "Remove the card."
        }
    }
}

/// The ways in which a reader takes cards.
struct CardWays: Sendable, Hashable {
    var inserts = false
    var taps = false
    var swipes = false
    /// Whether the reader takes the payment as a whole, and asks the issuer itself.
    var isPaymentWhole = false

    /// A card in a reader that only has contacts.
    static let contacts = CardWays(inserts: true)
    /// A reader that only has a head.
    static let stripe = CardWays(swipes: true)

    /// The word for a swipe.
    static let swipe = "swipe"

    /// What the cardholder does, a word for each way.
    var names: [String] {
        (inserts ? ["insert"] : []) + (taps ? ["tap"] : []) + (swipes ? [Self.swipe] : [])
    }

    /// The words in a sentence: `insert, tap or swipe`.
    var text: String {
        let names = names
        guard names.count > 1, let last = names.last else { return names.first ?? "present" }
        return "\(names.dropLast().joined(separator: ", ")) or \(last)"
    }

    var withoutTaps: CardWays {
        var ways = self
        ways.taps = false
        return ways
    }
}

extension String {
    fileprivate var capitalizingFirst: String { prefix(1).uppercased() + dropFirst() }
}
