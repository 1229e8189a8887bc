extension UInt8 {
    /// The characters of its two hexadecimal digits, upper case. No text, which could not be overwritten.
    var hexadecimalDigits: (high: UInt8, low: UInt8) { (Self.digit(self >> 4), Self.digit(self & 15)) }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
