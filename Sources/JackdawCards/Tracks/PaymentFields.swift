/// The fields that the tracks of a payment card share.
extension FieldReader {
    /// Takes an account number and its separator.
    mutating func accountNumber() throws(CardDataError) -> PrimaryAccountNumber {
        let digits = try digits(
            PrimaryAccountNumber.lengths, upTo: separator, "an account number of 8 to 19 digits and its separator")
        return PrimaryAccountNumber(checked: digits)
    }

    /// Takes an expiry, or the separator in its place. `0000` stands for a card that does not expire (GB/T 19584).
    mutating func expiry() throws(CardDataError) -> Expiry? {
        guard let digits = try digits(4, or: separator, "an expiry of 4 digits or a separator") else { return nil }
        if let expiry = Expiry(digits) { return expiry }
        guard digits.range.allSatisfy({ digits[$0] == ASCII.zero }) else {
            throw fault("a month, 01 to 12", at: digits.range.lowerBound + 2)
        }
        return nil
    }

    /// Takes a service code, or the separator in its place.
    mutating func serviceCode() throws(CardDataError) -> ServiceCode? {
        try digits(3, or: separator, "a service code of 3 digits or a separator").flatMap { ServiceCode($0) }
    }
}
