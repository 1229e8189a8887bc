/// The time of a payment in ISO 8601, such as `2016-01-28T15:47:07+01:00`.
enum TransactionTime {
    /// The time in which a payment can be reversed: 24 hours (guide 1.6.182, 3.3).
    static let reversalPeriod: Int64 = 86_400

    /// The seconds since 1970-01-01 00:00 UTC; nil if the text is not a date, `T`, a time and a zone. Fractions of a
    /// second are left out.
    static func seconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.count <= 40, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]), let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]), let second = number(bytes[17..<19]),
            (1970...9999).contains(year), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second < 61
        else { return nil }
        var rest = bytes[19...]
        if rest.first == UInt8(ascii: ".") { rest = rest.dropFirst().drop { (0x30...0x39).contains($0) } }
        guard let offset = offset(rest) else { return nil }
        // Days from 1970-01-01 with March as the first month, so that leap days end a year.
        let (shifted, fromMarch) = (month <= 2 ? year - 1 : year, month > 2 ? month - 3 : month + 9)
        let dayOfEra =
            shifted % 400 * 365 + shifted % 400 / 4 - shifted % 400 / 100 + (153 * fromMarch + 2) / 5 + day - 1
        let days = shifted / 400 * 146_097 + dayOfEra - 719_468
        return Int64(days * 86_400 + hour * 3600 + minute * 60 + second - offset * 60)
    }

    /// The minutes east of UTC of `Z`, `+01:00` or `+0100`.
    private static func offset(_ bytes: ArraySlice<UInt8>) -> Int? {
        if bytes.elementsEqual([UInt8(ascii: "Z")]) { return 0 }
        guard let sign = bytes.first, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(sign) else { return nil }
        let digits = bytes.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 4, let hours = number(digits[0..<2]), let minutes = number(digits[2..<4]), hours <= 18,
            minutes < 60
        else { return nil }
        return (sign == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.reduce(0) { sum, byte in
            guard let sum, (0x30...0x39).contains(byte) else { return nil }
            return sum * 10 + Int(byte - 0x30)
        }
    }
}
