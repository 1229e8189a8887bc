/// The characters that carry structure on a stripe, as ASCII.
enum ASCII {
    static let space: UInt8 = 0x20
    static let dollar: UInt8 = 0x24
    static let percent: UInt8 = 0x25
    static let asterisk: UInt8 = 0x2A
    static let fullStop: UInt8 = 0x2E
    static let slash: UInt8 = 0x2F
    static let zero: UInt8 = 0x30
    static let nine: UInt8 = 0x39
    static let semicolon: UInt8 = 0x3B
    static let equals: UInt8 = 0x3D
    static let question: UInt8 = 0x3F
    static let formatA: UInt8 = 0x41
    static let formatB: UInt8 = 0x42
    static let formatN: UInt8 = 0x4E
    static let formatZ: UInt8 = 0x5A
    static let caret: UInt8 = 0x5E
}

extension UInt8 {
    /// `0` to `9`.
    var isDigit: Bool { (0x30...0x39).contains(self) }

    /// `A` to `Z`; a stripe has no small letters.
    var isCapital: Bool { (0x41...0x5A).contains(self) }

    /// The value of an ASCII digit; only for digits.
    var digitValue: Int { Int(self) - Int(ASCII.zero) }
}

extension String {
    /// The text of ASCII bytes.
    init(ascii bytes: Span<UInt8>) {
        self.init()
        for index in bytes.indices { unicodeScalars.append(Unicode.Scalar(bytes[index])) }
    }
}
