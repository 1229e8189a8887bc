/// Searches that take eight bytes at a time.
extension Span<UInt8> {
    /// Where a byte comes first; nil where it does not.
    func firstIndex(of byte: UInt8, from start: Int = 0) -> Int? {
        let wanted = UInt64(byte) &* 0x0101_0101_0101_0101
        // The highest bit of a byte that is 0: of the first one for certain.
        return first(from: start, where: { $0 == byte }) { eight in
            let others = eight ^ wanted
            return (others &- 0x0101_0101_0101_0101) & ~others
        }
    }

    /// Where the first byte is that is no character of a line in ASCII; nil where all are.
    var firstUnprinted: Int? {
        // The highest bit of a byte that is above 7F, is 7F, or is below 20.
        first(from: 0, where: { !$0.isPrinted }) { eight in
            eight | (eight &+ 0x0101_0101_0101_0101) | (eight &- 0x2020_2020_2020_2020)
        }
    }

    /// Where the first byte is that is no hexadecimal digit; nil where all are.
    var firstNoDigit: Int? {
        first(from: 0, where: { $0.digitValue == nil }) { eight in
            // Bytes below 80 carry nothing into the next one, and the first of the others is found for itself.
            let letters = eight | 0x2020_2020_2020_2020
            let isNumeral = (eight &+ 0x5050_5050_5050_5050) & ~(eight &+ 0x4646_4646_4646_4646)
            let isLetter = (letters &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(letters &+ 0x1919_1919_1919_1919)
            return eight | ~(isNumeral | isLetter)
        }
    }

    /// - Parameters:
    ///   - start: where the search begins.
    ///   - isWanted: whether a byte is found.
    ///   - marks: has the highest bit of a byte set where it may be one of eight that is wanted.
    /// - Returns: the index of the first byte that is wanted; nil where there is none.
    @inline(__always)
    private func first(from start: Int, where isWanted: (UInt8) -> Bool, marks: (UInt64) -> UInt64) -> Int? {
        var index = start
        while index + 8 <= count {
            let eight = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
            guard marks(eight) & 0x8080_8080_8080_8080 == 0 else { break }
            index += 8
        }
        while index < count, !isWanted(self[index]) { index += 1 }
        return index < count ? index : nil
    }
}

extension UInt8 {
    /// Whether it is a character of ASCII that can be seen, or a blank.
    var isPrinted: Bool { (0x20..<0x7F).contains(self) }
}
