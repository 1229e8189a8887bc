package import JackdawCards

/// The issuer and the type of a card, as the SDK's list of excluded cards names them.
package struct AcceptCardKind: Sendable, Hashable {
    /// The issuer in the host's spelling: `visa`, `master`, `american_express`; nil if no prefix matches.
    package let issuer: String?
    /// `credit_card` or `debit_card`; nil if no prefix matches.
    package let cardType: String?

    /// The kind of a card, from its first digits and its length. The longest prefix decides.
    package init(_ number: PrimaryAccountNumber) {
        let row = number.withRevealedDigits { digits in
            Self.rows.indices.map { index in (index: index, length: Self.matchedDigits(Self.rows[index], digits)) }
                .filter { $0.length > 0 }.max { ($0.length, $1.index) < ($1.length, $0.index) }?.index
        }
        issuer = row.map { Self.rows[$0].issuer }
        cardType = row.map { Self.rows[$0].isDebit ? "debit_card" : "credit_card" }
    }

    struct Row {
        /// The member `acceptCardType` of the SDK's file.
        let issuer: String
        let isDebit: Bool
        let lengths: [Int]
        let prefixes: [String]
    }

    /// The SDK's `issuerCards.json` (WirecardMobileServices/acceptSDK, MIT licence), in its order. A prefix that its
    /// expressions exclude for Visa is one of the row of Visa Electron.
    static let rows: [Row] = [
        Row(issuer: "master", isDebit: false, lengths: [16], prefixes: ["51", "52", "53", "54", "55"]),
        Row(issuer: "visa", isDebit: false, lengths: [13, 16], prefixes: ["4"]),
        Row(
            issuer: "maestro", isDebit: false, lengths: Array(12...19),
            prefixes: ["6729", "6725", "6726", "6722"]),
        Row(
            issuer: "maestro", isDebit: true, lengths: Array(12...19),
            prefixes: [
                "5018", "5020", "5033", "5038", "5612", "5868", "5893", "6304", "6759", "6761", "6762", "6763", "0604",
                "6390", "67",
            ]),
        Row(
            issuer: "visa", isDebit: true, lengths: [16],
            prefixes: ["4026", "417500", "4405", "4508", "4844", "4913", "4917"]),
        Row(issuer: "american_express", isDebit: false, lengths: [15], prefixes: ["34", "37"]),
        Row(issuer: "china_unionpay", isDebit: false, lengths: [16, 19], prefixes: ["62", "88"]),
        Row(
            issuer: "diners_club", isDebit: false, lengths: [14],
            prefixes: ["300", "301", "302", "303", "304", "305", "36", "38", "39"]),
        Row(
            issuer: "discovery", isDebit: false, lengths: [16],
            prefixes: [
                "6011", "622126", "622127", "622128", "622129", "62213", "62214", "62215", "62216", "62217", "62218",
                "62219", "6222", "6223", "6224", "6225", "6226", "6227", "6228", "62290", "62291", "622920", "622921",
                "622922", "622923", "622924", "622925", "644", "645", "646", "647", "648", "649", "65",
            ]),
        Row(issuer: "interpayment", isDebit: false, lengths: Array(16...19), prefixes: ["636"]),
        Row(issuer: "instapayment", isDebit: false, lengths: [16], prefixes: ["637", "638", "639"]),
        Row(
            issuer: "jcb", isDebit: false, lengths: [16],
            prefixes: ["3528", "3529", "353", "354", "355", "356", "357", "358"]),
        Row(issuer: "uatp", isDebit: false, lengths: [15], prefixes: ["1"]),
        Row(
            issuer: "rupay", isDebit: false, lengths: [19],
            prefixes: [
                "6061", "6062", "6063", "6064", "6065", "6066", "6067", "6068", "6069", "607", "608",
            ]),
    ]

    /// The number of digits of the longest prefix of a row that a number has; 0 without one, or with another length.
    private static func matchedDigits(_ row: Row, _ digits: Span<UInt8>) -> Int {
        guard row.lengths.contains(digits.count) else { return 0 }
        return row.prefixes.reduce(0) { longest, prefix in
            let count = prefix.utf8.count
            guard count > longest, count <= digits.count else { return longest }
            var index = 0
            for character in prefix.utf8 {
                guard digits[index] == character else { return longest }
                index += 1
            }
            return count
        }
    }
}
