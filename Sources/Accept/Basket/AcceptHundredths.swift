/// A number with two decimals, as the SDK's calls have amounts and taxes: 2000 is 20.00 of the currency, and 700 is 7 %.
///
/// A program shows ``description`` and reads ``init(decimal:)``, so that the user never sees the multiplication.
public struct AcceptHundredths: RawRepresentable, Sendable, Hashable, Comparable {
    /// The number of hundredths: 2000 for 20.00.
    public let rawValue: Int64

    /// A number of hundredths.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The greatest amount: twelve digits (EMV Book 3, 9F02).
    public static let greatestAmount = AcceptHundredths(rawValue: 999_999_999_999)
    /// The greatest tax rate, 100 %.
    public static let greatestRate = AcceptHundredths(rawValue: 10_000)

    /// Reads a number of a person: `20`, `20.5` or `20.00`, with at most twelve digits before the point. Any other text
    /// gives nil.
    /// - Parameter text: digits, and at most two decimals after a point or a comma; no sign, no spaces.
    public init?(decimal text: String) {
        var (number, whole, decimals) = (Int64(0), 0, -1)
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "."), UInt8(ascii: ","):
                guard decimals < 0, whole > 0 else { return nil }
                decimals = 0
            case 0x30...0x39:
                guard decimals < 2 else { return nil }
                number = number * 10 + Int64(character - 0x30)
                if decimals < 0 { whole += 1 } else { decimals += 1 }
                guard whole <= 12 else { return nil }
            default: return nil
            }
        }
        guard whole > 0, decimals != 0 else { return nil }
        self.init(rawValue: decimals == 2 ? number : decimals == 1 ? number * 10 : number * 100)
    }

    public static func < (left: AcceptHundredths, right: AcceptHundredths) -> Bool { left.rawValue < right.rawValue }

    func adding(_ other: AcceptHundredths) throws(AcceptError) -> AcceptHundredths {
        let (sum, overflows) = rawValue.addingReportingOverflow(other.rawValue)
        guard !overflows else { throw Self.overflow }
        return AcceptHundredths(rawValue: sum)
    }

    func times(_ count: Int) throws(AcceptError) -> AcceptHundredths {
        let (product, overflows) = rawValue.multipliedReportingOverflow(by: Int64(count))
        guard !overflows else { throw Self.overflow }
        return AcceptHundredths(rawValue: product)
    }

    /// A part of the number, without the fractions of a hundredth that are left: `number * share / whole`.
    func part(_ share: Int64, of whole: Int64) throws(AcceptError) -> AcceptHundredths {
        let (product, overflows) = rawValue.multipliedReportingOverflow(by: share)
        guard !overflows else { throw Self.overflow }
        return AcceptHundredths(rawValue: product / whole)
    }

    private static var overflow: AcceptError { AcceptError(.amountOverflow, "The amount is too large.") }
}

extension AcceptHundredths: ExpressibleByIntegerLiteral {
    /// A number of hundredths: `2000` is 20.00.
    public init(integerLiteral value: Int64) { self.init(rawValue: value) }
}

extension AcceptHundredths: CustomStringConvertible {
    /// The number with two decimals and a point: `20.00`.
    public var description: String {
        let (whole, part) = rawValue.magnitude.quotientAndRemainder(dividingBy: 100)
        return "\(rawValue < 0 ? "-" : "")\(whole).\(part < 10 ? "0" : "")\(part)"
    }
}
