extension [UInt8] {
    /// Bytes by their hexadecimal digits; blanks between them count for nothing.
    init(hex: String) {
        let digits = hex.filter { !$0.isWhitespace }.map { UInt8($0.hexDigitValue ?? 0) }
        self = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}
