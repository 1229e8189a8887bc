/// Hexadecimal digits of bytes, as text and as ASCII characters, and bytes of digits.
extension UInt8 {
    /// The two hexadecimal digits as ASCII characters, upper case. Not a `String`, which could not be overwritten.
    package var hexadecimalDigits: (high: UInt8, low: UInt8) { digits(firstLetter: UInt8(ascii: "A")) }

    /// Two hexadecimal digits in upper case: `0F`.
    package var hexadecimal: String { String(hexadecimalDigits) }

    /// Two hexadecimal digits in lower case: `0f`.
    package var lowercaseHexadecimal: String { String(digits(firstLetter: UInt8(ascii: "a"))) }

    /// The value of an ASCII character as a hexadecimal digit of either case, 0 to 15; nil if it is not a digit.
    @inlinable package var hexadecimalValue: UInt8? {
        let digit = self &- UInt8(ascii: "0")
        if digit < 10 { return digit }
        // Upper and lower case differ by one bit.
        let letter = (self | 0x20) &- UInt8(ascii: "a")
        return letter < 6 ? letter + 10 : nil
    }

    /// Parses a text of exactly two hexadecimal digits of either case; nil for any other text.
    package init?(hexadecimal text: some StringProtocol) {
        var digits = text.utf8.makeIterator()
        guard let high = digits.next()?.hexadecimalValue, let low = digits.next()?.hexadecimalValue,
            digits.next() == nil
        else { return nil }
        self = high << 4 | low
    }

    private func digits(firstLetter: UInt8) -> (high: UInt8, low: UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : firstLetter + value - 10 }
        return (digit(self >> 4), digit(self & 15))
    }
}

extension String {
    fileprivate init(_ digits: (high: UInt8, low: UInt8)) {
        self.init()
        unicodeScalars.append(Unicode.Scalar(digits.high))
        unicodeScalars.append(Unicode.Scalar(digits.low))
    }
}

extension Sequence<UInt8> {
    /// The bytes as hexadecimal digits in upper case, two a byte, without separators: `0F10`.
    package var hexadecimal: String {
        var text = ""
        for byte in self { text += byte.hexadecimal }
        return text
    }
}

extension Span<UInt8> {
    /// The bytes as hexadecimal digits in upper case, two a byte, without separators: `0F10`.
    package var hexadecimal: String {
        var text = ""
        for index in indices { text += self[index].hexadecimal }
        return text
    }

    /// Returns the byte that two hexadecimal digits represent; nil if they are not digits, or the text ends before.
    package func byte(at index: Int) -> UInt8? {
        guard index + 1 < count, let high = self[index].hexadecimalValue, let low = self[index + 1].hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// Decodes ASCII text of hexadecimal digits, two a byte.
    /// - Parameters:
    ///   - isSeparator: whether a character between digits is skipped. Default: none is.
    ///   - receive: receives the bytes in order; at most half as many as the text has characters.
    /// - Throws: ``HexadecimalError`` for the first character that is not a digit, and at the end for half a byte.
    package func decodeHexadecimal(
        skipping isSeparator: (UInt8) -> Bool = { _ in false }, _ receive: (UInt8) -> Void
    ) throws(HexadecimalError) {
        var high: UInt8?
        for index in indices where !isSeparator(self[index]) {
            guard let digit = self[index].hexadecimalValue else {
                throw HexadecimalError(
                    code: .character, message: "character \(index + 1) is not a hexadecimal digit")
            }
            if let first = high {
                receive(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        guard high == nil else {
            throw HexadecimalError(code: .oddCount, message: "an odd number of hexadecimal digits")
        }
    }
}

/// The error of a text that is not pairs of hexadecimal digits.
package struct HexadecimalError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that codes can be added.
    package struct Code: Sendable, Hashable {
        private enum Kind { case character, oddCount }
        private let kind: Kind
        /// A character is not a digit.
        package static let character = Code(kind: .character)
        /// The last byte has one digit.
        package static let oddCount = Code(kind: .oddCount)
    }

    /// The kind of error, for programs to compare.
    package let code: Code
    /// The error and its place, without the text, which may be a key.
    package let message: String

    package var description: String { message }
}
