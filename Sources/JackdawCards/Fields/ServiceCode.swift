/// Three digits with the rules for the use of a card (ISO/IEC 7813).
public struct ServiceCode: Sendable, Hashable, CustomStringConvertible {
    /// The area in which the card may be used, and whether it has a chip: the first digit.
    public enum Interchange: Sendable, Hashable {
        /// 1 or 2: in any country.
        case international
        /// 5 or 6: in its own country, and abroad only by bilateral agreement.
        case national
        /// 7: only by bilateral agreement.
        case privateUse
        /// 9: a test card.
        case test
        /// A digit that the standard does not assign.
        case reserved
    }

    /// The party that authorises a transaction: the second digit.
    public enum Authorization: Sendable, Hashable {
        /// 0: the normal rules.
        case normal
        /// 2: by the issuer, online.
        case byIssuer
        /// 4: by the issuer, online, except under bilateral agreement.
        case byIssuerUnlessAgreed
        /// A digit that the standard does not assign.
        case reserved
    }

    /// The services that the card may be used for: the third digit.
    public enum Services: Sendable, Hashable {
        /// 0, 1 or 6: no restrictions.
        case all
        /// 2, 5 or 7: goods and services, no cash.
        case goodsAndServices
        /// 3: transactions at ATMs only.
        case cashMachines
        /// 4: withdrawal of cash only.
        case cash
        /// A digit that the standard does not assign.
        case reserved
    }

    /// Whether the terminal must ask for a PIN: the third digit, too.
    public enum PINRule: Sendable, Hashable {
        /// 0, 3 or 5: always required.
        case required
        /// 6 or 7: if the terminal has a PIN pad.
        case whereFeasible
        /// 1, 2 or 4: the code requires no PIN.
        case notRequired
        /// A digit that the standard does not assign.
        case reserved
    }

    /// The three digits read as one number, 0 to 999.
    public let number: Int

    /// A code from its number; nil if the number is not 0 to 999.
    public init?(_ number: Int) {
        guard (0...999).contains(number) else { return nil }
        self.number = number
    }

    /// Parses three digits; nil if the text is anything else.
    init?(_ digits: SecretText) {
        guard digits.count == 3, digits.isAllDigits else { return nil }
        self.init(digits.range.reduce(0) { $0 * 10 + digits[$1].digitValue })
    }

    /// The three digits, such as `201`.
    public var text: String { "\(number / 100)\(number / 10 % 10)\(number % 10)" }

    /// The same as ``text``: a service code may be shown.
    public var description: String { text }

    /// The area in which the card may be used.
    public var interchange: Interchange {
        switch number / 100 {
        case 1, 2: .international
        case 5, 6: .national
        case 7: .privateUse
        case 9: .test
        default: .reserved
        }
    }

    /// Whether the card has a chip, which a terminal with a chip reader must use: first digit 2 or 6.
    public var hasChip: Bool { number / 100 == 2 || number / 100 == 6 }

    /// The party that authorises a transaction.
    public var authorization: Authorization {
        switch number / 10 % 10 {
        case 0: .normal
        case 2: .byIssuer
        case 4: .byIssuerUnlessAgreed
        default: .reserved
        }
    }

    /// The services that the card may be used for.
    public var services: Services {
        switch number % 10 {
        case 0, 1, 6: .all
        case 2, 5, 7: .goodsAndServices
        case 3: .cashMachines
        case 4: .cash
        default: .reserved
        }
    }

    /// Whether the terminal must ask for a PIN.
    public var pin: PINRule {
        switch number % 10 {
        case 0, 3, 5: .required
        case 6, 7: .whereFeasible
        case 1, 2, 4: .notRequired
        default: .reserved
        }
    }
}
