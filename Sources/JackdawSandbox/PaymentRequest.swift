import JackdawEMV

/// A request for a payment, with its values checked. `payment[...]` has the keys of the Android archive;
/// `transaction_type`, `note`, `lat` and `lng` have no published source, but that the SDKs have such properties.
struct PaymentRequest: Sendable {
    let uniqueID: String?
    let kind: SandboxPayment.Kind
    let amount: Amount
    let currency: Currency
    /// The card; nil for cash.
    let card: CardData?
    let entryMode: String
    let items: [SandboxPayment.Item]
    let details: [SandboxPayment.Detail]
    let callbackURL: String?
    /// The canonical text of the request: each value with its length, and the card without card data.
    let fingerprint: String

    /// The names of texts that are stored as they are, with their greatest lengths.
    private static let texts = [
        ("tip_tax_rate", 6), ("net_taxation", 5), ("discount", 64), ("note", 200), ("lat", 20), ("lng", 20),
    ]

    init(
        _ form: WireFields, _ merchant: SandboxDirectory.Merchant, _ rules: SandboxRules
    ) throws(WireRefusal) {
        guard let fields = try form.object("payment") else { throw .invalid("payment", "it is missing") }
        uniqueID = try fields.text("unique_id", most: 64)
        // These names are parts of other paths, or end like one.
        if let uniqueID {
            guard uniqueID.isIdentifier, !uniqueID.hasSuffix(".json"), uniqueID != "search", uniqueID != "total_sums"
            else {
                throw .invalid("payment[unique_id]", "it must be 1 to 64 characters of ASCII without spaces")
            }
        }
        let name = try fields.text("transaction_type", most: 20) ?? SandboxPayment.Kind.purchase.rawValue
        guard let kind = SandboxPayment.Kind(rawValue: name) else {
            throw .invalid("payment[transaction_type]", "it must be purchase, authorize, preauthorize or sepa")
        }
        self.kind = kind
        let code = try fields.required("currency", most: 3)
        guard let currency = merchant.currencies.first(where: { $0.alphabeticCode == code }) else {
            throw .invalid("payment[currency]", "the merchant does not take this currency")
        }
        self.currency = currency
        guard let number = try fields.number("amount") else { throw .invalid("payment[amount]", "it is missing") }
        guard let units = rules.minorUnits(number, currency), units > 0, units <= Amount.maxNumeric else {
            throw .invalid("payment[amount]", "it is no amount of this currency")
        }
        amount = Amount(minorUnits: units, currencyCode: currency.numericCode)
        callbackURL = try Self.callbackURL(fields)
        let card = try Self.card(fields, amount, currency, rules)
        guard card != nil || kind == .purchase else {
            throw .invalid("payment[transaction_type]", "cash is a purchase")
        }
        self.card = card
        entryMode = try fields.object("pos_data")?.text("pos_entry_mode", most: 2) ?? ""
        guard entryMode.isEmpty || rules.entryModes.contains(entryMode) else {
            throw .invalid("payment[pos_data][pos_entry_mode]", "it is not known")
        }
        items = try Self.items(fields, most: rules.limits.items)
        var details = try Self.details(fields, rules)
        if card == nil {
            details.append(SandboxPayment.Detail(name: SandboxPayment.methodDetail, value: SandboxPayment.cash))
        }
        self.details = details
        fingerprint = Self.fingerprint(
            [
                kind.rawValue, "\(units)", code, entryMode, callbackURL ?? "", card?.fingerprint ?? SandboxPayment.cash,
            ] + items.flatMap { [$0.note, "\($0.grossPrice)", "\($0.quantity)", "\($0.taxRate)"] }
                + details.flatMap { [$0.name, $0.value] })
    }

    /// The texts one after the other, each with its length, so that no two lists have the same text.
    private static func fingerprint(_ parts: [String]) -> String {
        parts.map { "\($0.utf8.count):\($0)" }.joined()
    }

    /// The card of a payment; nil for cash. The name of the member has no source.
    private static func card(
        _ fields: WireFields, _ amount: Amount, _ currency: Currency, _ rules: SandboxRules
    ) throws(WireRefusal) -> CardData? {
        let method = try fields.text(SandboxPayment.methodDetail, most: 20) ?? "card"
        let raw = try fields.secret("raw_data", most: 2 * CardData.maxOctets)
        guard method != SandboxPayment.cash else {
            guard raw == nil else { throw .invalid("payment[raw_data]", "cash has no card") }
            return nil
        }
        guard method == "card" else { throw .invalid("payment[payment_method]", "it must be card or cash") }
        guard let raw else { throw .invalid("payment[raw_data]", "it is missing") }
        guard let card = CardData(raw, rules.cardData) else {
            throw .invalid("payment[raw_data]", "it is no card data in the encoding \(rules.cardData.rawValue)")
        }
        guard card.amount == nil || card.amount == amount.minorUnits else {
            throw .invalid("payment[raw_data]", "the card has another amount (9F02)")
        }
        guard card.objects[0x5F2A] == nil || card.objects[0x5F2A] == currency.octets else {
            throw .invalid("payment[raw_data]", "the card has another currency (5F2A)")
        }
        return card
    }

    private static func callbackURL(_ fields: WireFields) throws(WireRefusal) -> String? {
        guard let url = try fields.text("callback_url", most: 2_048), !url.isEmpty else { return nil }
        guard url.hasPrefix("https://") || url.hasPrefix("http://"), url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .invalid("payment[callback_url]", "it must be an address of http or https") }
        return url
    }

    private static func items(_ fields: WireFields, most: Int) throws(WireRefusal) -> [SandboxPayment.Item] {
        var items: [SandboxPayment.Item] = []
        for item in try fields.objects("items", most: most) {
            items.append(
                SandboxPayment.Item(
                    note: try item.text("note", most: 200) ?? "", grossPrice: try item.number("gross_price") ?? 0,
                    quantity: try item.number("quantity") ?? 1, taxRate: try item.number("tax_rate") ?? 0))
        }
        return items
    }

    private static func details(
        _ fields: WireFields, _ rules: SandboxRules
    ) throws(WireRefusal) -> [SandboxPayment.Detail] {
        var details: [SandboxPayment.Detail] = []
        if let tip = try fields.number("tip") { details.append(SandboxPayment.Detail(name: "tip", value: "\(tip)")) }
        for (name, most) in texts {
            guard let text = try fields.text(name, most: most) else { continue }
            details.append(SandboxPayment.Detail(name: name, value: text))
        }
        if let sub = try fields.object("sub_merchant") {
            for (name, most) in rules.subMerchantFields {
                guard let text = try sub.text(name, most: most) else { continue }
                details.append(SandboxPayment.Detail(name: "sub_merchant[\(name)]", value: text))
            }
        }
        // The form of custom fields has no source: a text, or texts by name.
        guard let custom = fields.fields["custom_fields"] else { return details }
        guard case .fields(let names) = custom else {
            let text = try fields.text("custom_fields", most: 1_000) ?? ""
            return details + [SandboxPayment.Detail(name: "custom_fields", value: text)]
        }
        guard names.all.count <= 50 else { throw .invalid("payment[custom_fields]", "it must have at most 50 names") }
        let place = WireFields(names, at: "payment[custom_fields]")
        for field in names.all {
            let text = try place.text(field.name, most: 200) ?? ""
            details.append(SandboxPayment.Detail(name: "custom_fields[\(field.name)]", value: text))
        }
        return details
    }
}

extension SandboxRules {
    /// The minor units of an amount on the wire; nil if the currency has no such amount.
    func minorUnits(_ number: UInt64, _ currency: Currency) -> UInt64? {
        guard amountScale == .hundredths else { return number }
        switch currency.exponent {
        case 0, 1:
            let divisor: UInt64 = currency.exponent == 0 ? 100 : 10
            return number.isMultiple(of: divisor) ? number / divisor : nil
        case let exponent:
            var units = number
            for _ in 2..<exponent {
                let (product, overflows) = units.multipliedReportingOverflow(by: 10)
                guard !overflows else { return nil }
                units = product
            }
            return units
        }
    }

    /// The amount on the wire of minor units. Parts of a hundredth are left out.
    func wire(_ units: UInt64, _ currency: Currency) -> UInt64 {
        guard amountScale == .hundredths else { return units }
        return switch currency.exponent {
        case 0: units * 100
        case 1: units * 10
        case 2: units
        case 3: units / 10
        default: units / 100
        }
    }
}
