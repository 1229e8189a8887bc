/// An item of a basket (`AcceptBasketItem`).
public struct AcceptBasketItem: Sendable, Hashable {
    /// The price of one piece: with its tax if the basket's taxation is `gross`, and without it if it is `net`. From 0 to
    /// ``AcceptHundredths/greatestAmount``.
    public var grossPrice: AcceptHundredths
    /// The text on the receipt, at most ``maxNoteBytes`` bytes of UTF-8. Default: empty.
    public var note: String
    /// The number of pieces, 1 to ``maxQuantity``. Default: 1.
    public var quantity: Int
    /// The tax rate in hundredths of a percent: 700 is 7 %. From 0 to 10,000. Default: 0.
    public var taxRate: AcceptHundredths
    /// The kind. Default: `normal`.
    public var itemType: AcceptBasketItemType

    /// The most bytes of a note, which is the sandbox's limit; the host's own is not published.
    public static let maxNoteBytes = 200
    /// The greatest number of pieces. It is our choice.
    public static let maxQuantity = 99_999

    /// An item; the basket checks its values.
    public init(
        grossPrice: AcceptHundredths, note: String = "", quantity: Int = 1, taxRate: AcceptHundredths = 0,
        itemType: AcceptBasketItemType = .normal
    ) {
        self.grossPrice = grossPrice
        self.note = note
        self.quantity = quantity
        self.taxRate = taxRate
        self.itemType = itemType
    }

    /// The price of all pieces, without a change for taxes.
    /// - Throws: `amountOverflow`.
    public func totalPrice() throws(AcceptError) -> AcceptHundredths { try grossPrice.times(quantity) }

    /// The sums of the item: net amount, tax, and their sum.
    ///
    /// Fractions of a hundredth of the tax are left out, as on both receipts of the guide (chapter 4): 9.00 with 10 % in
    /// it has 0.81 of tax and 8.19 net. With `net` taxation the same rule is our choice.
    /// - Throws: `amountOverflow`; `basketInvalid` if the tax rate is out of range.
    public func sums(_ taxation: AcceptTaxationType) throws(AcceptError) -> AcceptTaxSums {
        try checkTaxRate()
        let price = try totalPrice()
        let rate = taxRate.rawValue
        switch taxation {
        case .gross:
            let tax = try price.part(rate, of: 10_000 + rate)
            return AcceptTaxSums(net: AcceptHundredths(rawValue: price.rawValue - tax.rawValue), tax: tax, gross: price)
        case .net:
            let tax = try price.part(rate, of: 10_000)
            return AcceptTaxSums(net: price, tax: tax, gross: try price.adding(tax))
        }
    }

    private func checkTaxRate() throws(AcceptError) {
        guard (0...AcceptHundredths.greatestRate).contains(taxRate) else {
            throw AcceptError(.basketInvalid, "A tax rate is 0 to \(AcceptHundredths.greatestRate) percent.")
        }
    }

    /// Checks the values of the item.
    func validate() throws(AcceptError) {
        guard (0...AcceptHundredths.greatestAmount).contains(grossPrice) else {
            throw AcceptError(.basketInvalid, "An item's price is 0 to \(AcceptHundredths.greatestAmount).")
        }
        guard (1...Self.maxQuantity).contains(quantity) else {
            throw AcceptError(.basketInvalid, "An item has 1 to \(Self.maxQuantity) pieces.")
        }
        try checkTaxRate()
        guard note.utf8.count <= Self.maxNoteBytes else {
            throw AcceptError(.basketInvalid, "A note has at most \(Self.maxNoteBytes) bytes.")
        }
    }
}

/// A net amount with its tax. The gross amount is their sum.
public struct AcceptTaxSums: Sendable, Hashable {
    /// The amount without its tax.
    public let net: AcceptHundredths
    /// The tax on the net amount.
    public let tax: AcceptHundredths
    /// The amount with its tax.
    public let gross: AcceptHundredths

    static let zero = AcceptTaxSums(net: 0, tax: 0, gross: 0)

    func adding(_ other: AcceptTaxSums) throws(AcceptError) -> AcceptTaxSums {
        AcceptTaxSums(
            net: try net.adding(other.net), tax: try tax.adding(other.tax), gross: try gross.adding(other.gross))
    }
}
