public import JackdawEMV
import JackdawPayments

/// The things that a payment is for (`AcceptBasket`).
public struct AcceptBasket: Sendable, Hashable {
    /// The identifier of the payment, which the host calls `unique_id`: 1 to 64 characters of printable ASCII without
    /// spaces. Default: nil, for one of 128 random bits.
    public var transactionUniqueId: String?
    /// The items: 1 to ``maxItems``.
    public var items: [AcceptBasketItem]
    /// A text about the payment, at most ``AcceptBasketItem/maxNoteBytes`` bytes of UTF-8. Default: empty.
    public var note: String
    /// The latitude of the till in degrees, -90 to 90. Default: nil, unknown.
    public var lat: Double?
    /// The longitude of the till in degrees, -180 to 180. Default: nil, unknown.
    public var lng: Double?
    /// The currency by its three letters of ISO 4217: `EUR`.
    public var currencyAsISO4217Code: String
    /// Whether prices have their tax in them. Default: `gross`.
    public var netTaxation: AcceptTaxationType

    /// The most items, which is the sandbox's limit; the host's own is not published.
    public static let maxItems = 200

    /// A basket; ``validate()`` checks it.
    public init(
        currencyAsISO4217Code: String, items: [AcceptBasketItem] = [], netTaxation: AcceptTaxationType = .gross,
        note: String = "", transactionUniqueId: String? = nil
    ) {
        self.currencyAsISO4217Code = currencyAsISO4217Code
        self.items = items
        self.netTaxation = netTaxation
        self.note = note
        self.transactionUniqueId = transactionUniqueId
    }

    /// Adds a tip as an item of its own. It is a part of the total.
    /// - Parameters:
    ///   - tip: the amount.
    ///   - taxRate: its tax rate in hundredths of a percent. Default: 0.
    public mutating func addTip(_ tip: AcceptHundredths, taxRate: AcceptHundredths = 0) {
        items.append(AcceptBasketItem(grossPrice: tip, taxRate: taxRate, itemType: .tip))
    }

    /// Adds a charge for service as an item of its own.
    /// - Parameters:
    ///   - charge: the amount.
    ///   - taxRate: its tax rate in hundredths of a percent. Default: 0.
    public mutating func addServiceCharge(_ charge: AcceptHundredths, taxRate: AcceptHundredths = 0) {
        items.append(AcceptBasketItem(grossPrice: charge, taxRate: taxRate, itemType: .serviceCharge))
    }

    /// The sum of the tips.
    /// - Throws: `amountOverflow`.
    public func tip() throws(AcceptError) -> AcceptHundredths { try sums(of: .tip).gross }

    /// The sums of all items.
    /// - Throws: `amountOverflow`.
    public func sums() throws(AcceptError) -> AcceptTaxSums {
        var sums = AcceptTaxSums.zero
        for item in items { sums = try sums.adding(item.sums(netTaxation)) }
        return sums
    }

    /// The amount that the customer pays, with taxes, tips and charges.
    /// - Throws: `amountOverflow`.
    public func total() throws(AcceptError) -> AcceptHundredths { try sums().gross }

    /// The sums of the items with each tax rate, lowest rate first. They are sums of the items' own sums, so that they
    /// agree with ``sums()``.
    /// - Throws: `amountOverflow`.
    public func taxSummary() throws(AcceptError) -> [(taxRate: AcceptHundredths, sums: AcceptTaxSums)] {
        var rates: [AcceptHundredths: AcceptTaxSums] = [:]
        for item in items {
            rates[item.taxRate] = try (rates[item.taxRate] ?? .zero).adding(item.sums(netTaxation))
        }
        return rates.sorted { $0.key < $1.key }.map { (taxRate: $0.key, sums: $0.value) }
    }

    /// The total in minor units of the currency.
    /// - Throws: `basketInvalid` without a currency of ISO 4217; `amountInvalid` if the currency has no such amount, such
    ///   as 0.50 JPY, or the amount is zero or has more than 12 digits; `amountOverflow`.
    public func amount() throws(AcceptError) -> Amount {
        guard let currency = Currency.find(alphabeticCode: currencyAsISO4217Code) else {
            throw AcceptError(.basketInvalid, "The basket needs a currency of ISO 4217.")
        }
        let total = try total()
        guard total > 0, let units = total.minorUnits(of: currency), units <= Amount.maxNumeric else {
            throw AcceptError(.amountInvalid, "The total \(total) is no amount in \(currency.alphabeticCode).")
        }
        return Amount(minorUnits: units, currencyCode: currency.numericCode)
    }

    /// Checks the basket and its items.
    /// - Throws: `basketInvalid` with the value that is out of range; the errors of ``amount()``.
    public func validate() throws(AcceptError) {
        guard (1...Self.maxItems).contains(items.count) else {
            throw AcceptError(.basketInvalid, "A basket has 1 to \(Self.maxItems) items.")
        }
        for item in items { try item.validate() }
        guard note.utf8.count <= AcceptBasketItem.maxNoteBytes else {
            throw AcceptError(.basketInvalid, "A note has at most \(AcceptBasketItem.maxNoteBytes) bytes.")
        }
        guard (lat.map { abs($0) <= 90 } ?? true), lng.map({ abs($0) <= 180 }) ?? true else {
            throw AcceptError(.basketInvalid, "A latitude is -90 to 90 degrees, a longitude -180 to 180.")
        }
        if let name = transactionUniqueId, AttemptIdentifier(rawValue: name) == nil {
            throw AcceptError(.basketInvalid, "An identifier has 1 to 64 characters of ASCII without spaces.")
        }
        guard Set(items.filter { $0.itemType == .tip }.map(\.taxRate)).count <= 1 else {
            throw AcceptError(.basketInvalid, "All tips have the same tax rate.")
        }
        _ = try amount()
    }

    private func sums(of type: AcceptBasketItemType) throws(AcceptError) -> AcceptTaxSums {
        var sums = AcceptTaxSums.zero
        for item in items where item.itemType == type { sums = try sums.adding(item.sums(netTaxation)) }
        return sums
    }
}

extension AcceptBasket {
    /// The basket on the wire, as details of an attempt. A charge for service is an item, because the wire has no name
    /// for it.
    /// - Throws: `amountOverflow`.
    func details() throws(AcceptError) -> [AttemptDetail] {
        var details: [AttemptDetail] = []
        for item in items where item.itemType != .tip {
            let note = item.itemType == .serviceCharge && item.note.isEmpty ? Self.serviceChargeNote : item.note
            details += [
                AttemptDetail("items[][note]", note),
                AttemptDetail("items[][gross_price]", "\(item.grossPrice.rawValue)"),
                AttemptDetail("items[][quantity]", "\(item.quantity)"),
                AttemptDetail("items[][tax_rate]", "\(item.taxRate.rawValue)"),
            ]
        }
        if let first = items.first(where: { $0.itemType == .tip }) {
            details += [
                // As the prices of items: without its tax if the basket is so.
                AttemptDetail("tip", "\(netTaxation == .net ? try sums(of: .tip).net.rawValue : try tip().rawValue)"),
                AttemptDetail("tip_tax_rate", "\(first.taxRate.rawValue)"),
            ]
        }
        details.append(AttemptDetail("net_taxation", netTaxation == .net ? "1" : "0"))
        if !note.isEmpty { details.append(AttemptDetail("note", note)) }
        if let lat { details.append(AttemptDetail("lat", Self.text(ofDegrees: lat))) }
        if let lng { details.append(AttemptDetail("lng", Self.text(ofDegrees: lng))) }
        return details
    }

    /// The text of a charge for service without a note. It is our choice.
    private static let serviceChargeNote = "Service charge"

    /// Degrees with six decimals, of which the last one is 11 cm. The number is within 180 degrees.
    private static func text(ofDegrees degrees: Double) -> String {
        let millionths = Int((degrees * 1_000_000).rounded())
        let (whole, part) = millionths.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = "\(part)"
        return "\(millionths < 0 ? "-" : "")\(whole)." + String(repeating: "0", count: 6 - digits.utf8.count) + digits
    }
}

extension AcceptHundredths {
    /// The number in minor units of a currency; nil if the currency has no such amount.
    package func minorUnits(of currency: Currency) -> UInt64? {
        guard rawValue >= 0 else { return nil }
        var units = UInt64(rawValue)
        switch currency.exponent {
        case 0: return units.isMultiple(of: 100) ? units / 100 : nil
        case 1: return units.isMultiple(of: 10) ? units / 10 : nil
        default:
            for _ in 2..<currency.exponent {
                let (product, overflows) = units.multipliedReportingOverflow(by: 10)
                guard !overflows else { return nil }
                units = product
            }
            return units
        }
    }
}
