// Tables of ISO with numeric codes of three digits.

/// A row of a table with numeric codes, 1 to 999.
protocol NumericallyCoded {
    /// The code, by which the table is sorted.
    var numericCode: UInt16 { get }
}

extension Array where Element: NumericallyCoded {
    /// Returns the row with a code, of a table in ascending order of codes.
    func find(_ numericCode: UInt16) -> Element? {
        let index = partitionPoint { $0.numericCode < numericCode }
        return index < count && self[index].numericCode == numericCode ? self[index] : nil
    }

    /// Returns the row whose code is a value in format n 3; nil if the value is none.
    func find(_ octets: Span<UInt8>) -> Element? {
        guard octets.count == 2, let code = octets.packedDecimal, code <= 999 else { return nil }
        return find(UInt16(code))
    }
}
