#if Payments
import Accept
import JackdawConsole

extension AcceptBasketItem {
    /// An item as the command line has it: `NAME:PRICE`, with `:QUANTITY` and `:TAX%` after it if they are not 1 and 0.
    /// - Returns: nil for another form; the basket checks the ranges of the values.
    init?(argument: String) {
        let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...4).contains(parts.count), !parts[0].isEmpty, let price = AcceptHundredths(decimal: String(parts[1]))
        else { return nil }
        var (quantity, tax) = (1, AcceptHundredths(rawValue: 0))
        if parts.count > 2 {
            guard parts[2].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(parts[2]) else {
                return nil
            }
            quantity = number
        }
        if parts.count > 3 {
            guard parts[3].hasSuffix("%"), let rate = AcceptHundredths(decimal: String(parts[3].dropLast())) else {
                return nil
            }
            tax = rate
        }
        self.init(grossPrice: price, note: String(parts[0]), quantity: quantity, taxRate: tax)
    }
}

extension AcceptBasket {
    /// The items as a table, and the sums under it.
    /// - Throws: `amountOverflow`, `basketInvalid`, `amountInvalid`.
    func lines() throws(AcceptError) -> [String] {
        var table = Table(.text("item"), .number("number"), .number("price"), .number("tax"), .number("sum"))
        for item in items {
            let name = item.itemType == .tip ? "tip" : item.note
            table.add(
                name, "\(item.quantity)", "\(item.grossPrice)", "\(item.taxRate) %", "\(try item.totalPrice())")
        }
        return table.lines + ["total \(try amount()), tax \(try sums().tax)"]
    }
}
#endif
