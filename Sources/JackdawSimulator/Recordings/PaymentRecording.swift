import JackdawBytes
package import JackdawEMV
import JackdawReaders

/// A payment that was recorded: a header, and the steps and messages in their order. As a file it is text, one JSON object a
/// line, without card data.
///
/// docs/pay.md describes the file.
package struct PaymentRecording: Sendable, Hashable {
    /// The facts of the payment that its entries do not have.
    package struct Header: Sendable, Hashable {
        /// The name of the link: `sim:kernel`.
        package let link: String
        /// The name of the card's file: 1 to 40 small letters, digits and hyphens.
        package let card: String
        /// The amount, with its currency if ISO 4217 has it.
        package let amount: Amount
        /// The rules of the payment; nil in files of programs that did not record them.
        package let policy: PaymentPolicy?

        /// A header with these values. A card's name of another form becomes `card`.
        package init(link: String, card: String, amount: Amount, policy: PaymentPolicy? = nil) {
            self.link = link
            self.card = Self.name(card)
            self.amount = amount
            self.policy = policy
        }

        /// The name itself, or `card` for one of another form.
        static func name(_ card: String) -> String { isName(card) ? card : "card" }

        /// Whether a text has the form of a name, which cannot be an account number in groups.
        static func isName(_ text: String) -> Bool {
            let allowed = { (octet: UInt8) in
                octet == UInt8(ascii: "-") || (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet)
            }
            let digits = text.utf8.count { (0x30...0x39).contains($0) }
            return (1...40).contains(text.utf8.count) && text.utf8.allSatisfy(allowed) && digits < 8
        }
    }

    /// The facts of the payment.
    package let header: Header
    /// The entries in the order of their times.
    package let entries: [PaymentEntry]

    /// The most entries of a recording.
    package static let maxEntries = 20_000
    /// The longest line, in bytes.
    package static let maxLine = 1 << 14
    /// The largest file, in bytes: 16 MiB.
    package static let maxFileSize = 1 << 24
    /// The most octets of a message that are recorded, three characters each, so that its line has at most ``maxLine``.
    static let maxMessage = 5_000
    /// The most octets of all messages that are recorded, so that the file has at most ``maxFileSize``.
    static let maxOctets = 1 << 21
    /// The latest time of an entry: one week.
    static let latest = Duration.seconds(7 * 24 * 3_600)
    /// The most effects of an event; no event of a payment has more than six.
    static let maxEffects = 16
    /// The greatest identifier of an effect.
    static let maxIdentifier = 1_000_000

    /// A recording with these entries.
    package init(header: Header, entries: [PaymentEntry]) {
        self.header = header
        self.entries = entries
    }

    /// The recording as text: the header, and a line for each entry.
    package var octets: [UInt8] {
        var octets = Self.line(header)
        for entry in entries { octets += Self.line(entry) }
        return octets
    }

    /// The line of a header.
    static func line(_ header: Header) -> [UInt8] {
        var members: [String: JSONValue] = [
            version: .number(1), "link": .text(header.link), "card": .text(header.card),
            "amount": .number(Double(header.amount.minorUnits)),
        ]
        let currency = header.amount.currencyCode.flatMap { Currency.find($0) }
        if let currency { members["currency"] = .text(currency.alphabeticCode) }
        if let rules = header.policy { members[policy] = rules.recorded }
        return line(members)
    }

    /// The line of an entry.
    static func line(_ entry: PaymentEntry) -> [UInt8] {
        switch entry {
        case .step(let step): line(members(of: step))
        case .message(let message):
            line([
                "time": .text(message.time.recorded), "sent": .flag(message.isSent),
                "bytes": .text(message.octets.recorded),
            ])
        }
    }

    private static func line(_ members: [String: JSONValue]) -> [UInt8] {
        JSONValue.object(members).encoded() + [UInt8(ascii: "\n")]
    }

    private static func members(of step: PaymentStep) -> [String: JSONValue] {
        var members: [String: JSONValue] = [
            "time": .text(step.time.recorded), "event": .text(step.name), "phase": .text(step.phase.rawValue),
            "effects": .array(step.effects.map { value($0) }),
        ]
        if let deadline = step.deadline { members["deadline"] = .text(deadline.recorded) }
        switch step.cause {
        case .event(_, let identifier?): members["answers"] = .number(Double(identifier))
        case .event(_, nil): break
        case .restart(let journal): members["journal"] = value(journal)
        }
        return members
    }

    private static func value(_ effect: PaymentEffect) -> JSONValue {
        var members: [String: JSONValue] = [
            "id": .number(Double(effect.identifier)), "action": .text(effect.action.name),
        ]
        if case .writeJournal(let journal) = effect.action { members["journal"] = value(journal) }
        return .object(members)
    }

    private static func value(_ journal: PaymentJournal) -> JSONValue {
        var members: [String: JSONValue] = [
            "host": .text(journal.host.rawValue), "reversal": .flag(journal.isReversalQueued),
            "stored": .flag(journal.isRecordStored),
        ]
        if let entry = journal.entry { members["entry"] = .text(entry.rawValue) }
        if let outcome = journal.outcome { members["outcome"] = .text(outcome.rawValue) }
        return .object(members)
    }

    /// The member of the header that has the version.
    static let version = "jackdaw-payment"
    /// The member of the header that has the rules.
    static let policy = "policy"
}

extension Duration {
    /// Seconds with six decimals: `1.590000`.
    package var recorded: String {
        let (seconds, attoseconds) = components
        let fraction = String(attoseconds / 1_000_000_000_000)
        return "\(seconds).\(String(repeating: "0", count: max(0, 6 - fraction.utf8.count)))\(fraction)"
    }

    /// Parses seconds with six decimals; nil for another text, and for more than a week.
    init?(recorded text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 2, (1...6).contains(parts[0].count), parts[1].count == 6,
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - 0x30) } }
        self = .seconds(numbers[0]) + .microseconds(numbers[1])
        guard self <= PaymentRecording.latest else { return nil }
    }
}

extension [UInt8?] {
    /// Pairs of hexadecimal digits with blanks between them, and `**` for a masked octet.
    package var recorded: String {
        var text = ""
        text.reserveCapacity(3 * count)
        for octet in self {
            if !text.isEmpty { text += " " }
            text += octet?.hexadecimal ?? "**"
        }
        return text
    }

    /// Parses such a text; nil for another one, and if there is no octet.
    init?(recorded text: String) {
        self = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            guard word != "**" else {
                append(nil)
                continue
            }
            guard let octet = UInt8(hexadecimal: word) else { return nil }
            append(octet)
        }
    }
}
