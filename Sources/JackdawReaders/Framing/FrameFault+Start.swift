extension FrameFault {
    /// No frame begins with a byte.
    static func noStart(_ byte: UInt8) -> FrameFault {
        FrameFault(.start, at: 0, "no frame begins with \(byte.hexadecimal)")
    }

    /// A sum is another than the bytes have.
    static func check(_ name: String, at offset: Int, _ found: UInt8, expected: UInt8) -> FrameFault {
        FrameFault(.check, at: offset, "the \(name) is \(found.hexadecimal), of the bytes \(expected.hexadecimal)")
    }
}
