/// A text whose sentinels, length and characters were checked: what every format starts from.
struct TrackFrame {
    /// The two character codes of a stripe, told by the start sentinel.
    enum Code {
        case alphanumeric
        case numeric

        var startSentinel: UInt8 { self == .alphanumeric ? ASCII.percent : ASCII.semicolon }
        var separator: UInt8 { self == .alphanumeric ? ASCII.caret : ASCII.equals }
        var characters: ClosedRange<UInt8> { self == .alphanumeric ? 0x20...0x5F : 0x30...0x3F }

        /// Longest text without LRC: 81 alphanumeric characters (79 with LRC by ISO/IEC 7811-2, 82 by AAMVA), 106
        /// numeric ones (107 with LRC on track 3).
        var longest: Int { self == .alphanumeric ? 81 : 106 }
    }

    let text: SecretText
    let code: Code

    /// Between the sentinels.
    var content: Range<Int> { (text.range.lowerBound + 1)..<(text.range.upperBound - 1) }

    /// Checks a text from start sentinel to end sentinel and copies it into a wiped buffer.
    init(_ bytes: Span<UInt8>) throws(CardDataError) {
        guard bytes.count > 0 else { throw CardDataError(.length, at: 0, expected: "a start sentinel, '%' or ';'") }
        switch bytes[0] {
        case ASCII.percent: code = .alphanumeric
        case ASCII.semicolon: code = .numeric
        default: throw CardDataError(.startSentinel, at: 0, expected: "a start sentinel, '%' or ';'")
        }
        guard bytes.count <= code.longest else {
            throw CardDataError(.length, at: code.longest, expected: "no more than \(code.longest) characters")
        }
        for index in 1..<bytes.count {
            guard code.characters.contains(bytes[index]) else {
                throw CardDataError(.character, at: index, expected: "a character of the track's code")
            }
            guard bytes[index] != ASCII.question || index == bytes.count - 1 else {
                throw CardDataError(.endSentinel, at: index + 1, expected: "nothing behind the end sentinel")
            }
        }
        guard bytes.count > 1, bytes[bytes.count - 1] == ASCII.question else {
            throw CardDataError(.endSentinel, at: bytes.count, expected: "the end sentinel '?'")
        }
        text = SecretText(copying: bytes)
    }

    /// Checks that the text starts as a format's text does.
    func expect(_ code: Code) throws(CardDataError) {
        guard self.code == code else {
            let sentinel = code == .alphanumeric ? "'%'" : "';'"
            throw CardDataError(.startSentinel, at: 0, expected: "the start sentinel \(sentinel)")
        }
    }
}

/// A format that can be tried on a text whose frame was checked already.
protocol FramedFormat: TrackContent {
    /// Reads the fields of a framed text.
    init(_ frame: TrackFrame) throws(CardDataError)
}
