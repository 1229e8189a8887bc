/// The check digit of card numbers (ISO/IEC 7812-1, annex B: "double-add-double", modulus 10).
public enum Luhn {
    /// Whether ASCII digits end in their check digit; false where there are fewer than two or one is no digit.
    public static func isValid(_ number: Span<UInt8>) -> Bool {
        guard number.count > 1, let sum = sum(of: number, doublingLast: false) else { return false }
        return sum % 10 == 0
    }

    /// The digit (0 to 9) that makes a number valid when put behind it; nil where one of the bytes is no ASCII digit.
    public static func checkDigit(of payload: Span<UInt8>) -> Int? {
        sum(of: payload, doublingLast: true).map { (10 - $0 % 10) % 10 }
    }

    private static func sum(of digits: Span<UInt8>, doublingLast: Bool) -> Int? {
        var total = 0
        var doubles = doublingLast
        for index in digits.indices.reversed() {
            guard digits[index].isDigit else { return nil }
            let value = digits[index].digitValue * (doubles ? 2 : 1)
            total += value / 10 + value % 10
            doubles.toggle()
        }
        return total
    }
}
