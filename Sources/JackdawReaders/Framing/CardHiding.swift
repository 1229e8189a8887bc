import JackdawCards

/// Replaces card data by zeros and X; no byte changes its position.
enum CardHiding {
    private static let star = UInt8(ascii: "*")
    private static let zero = UInt8(ascii: "0")
    private static let caret = UInt8(ascii: "^")

    /// Hides tracks in clear or masked by the reader. The first six and last four digits of an account number and the
    /// field separators remain.
    static func hideTracks(_ bytes: inout [UInt8], _ range: Range<Int>) {
        var next = range.lowerBound
        while next < range.upperBound {
            let start = next
            while next < range.upperBound, isDigit(bytes[next]) || bytes[next] == star { next += 1 }
            if next > start {
                let isNumber = (13...19).contains(next - start) && isNumber(bytes, start..<next, in: range)
                let hidden = isNumber ? start + 6..<next - 4 : start..<next
                for index in hidden where bytes[index] != star { bytes[index] = zero }
                continue
            }
            if isLetter(bytes[next]), !isFormatCode(bytes, next, in: range) { bytes[next] = UInt8(ascii: "X") }
            next += 1
        }
    }

    /// Hides possible account numbers in text from a reader: all but the first six and last four digits of numbers of
    /// 12 digits or more.
    static func hideNumbers(_ bytes: inout [UInt8], _ range: Range<Int>) {
        for places in numbers(in: bytes, range) where places.count >= 12 {
            for index in places[6..<places.count - 4] { bytes[index] = zero }
        }
    }

    /// Returns text from a reader as it may be shown, as a faulty reader may send an account number in it. Of possible
    /// account numbers (ISO 7812: 13 to 19 digits, Luhn), and of all longer numbers, the first six and last four digits
    /// remain. Of text that may have a track, and so a cardholder's name, only the length remains.
    static func shown(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard !mayBeTrack(bytes) else { return "\(bytes.count) characters" }
        for number in accountNumbers(in: bytes) {
            for index in number[6..<number.count - 4] { bytes[index] = star }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether text from a reader may have a track: its `^`, or an account number and a `=`.
    static func mayBeTrack(_ bytes: [UInt8]) -> Bool {
        bytes.contains(caret) || bytes.contains(UInt8(ascii: "=")) && !accountNumbers(in: bytes).isEmpty
    }

    private static func accountNumbers(in bytes: [UInt8]) -> [[Int]] {
        numbers(in: bytes, bytes.indices).filter { $0.count > 12 }.flatMap { accountNumbers(in: bytes, $0) }
    }

    /// Finds the account numbers among the digits of one number: the runs of adjacent digits that are account numbers;
    /// or all the digits, if a sequence that spans several runs is one.
    private static func accountNumbers(in bytes: [UInt8], _ places: [Int]) -> [[Int]] {
        func isNumber(_ places: ArraySlice<Int>) -> Bool {
            let digits = places.map { bytes[$0] }
            return digits.count > 19 || (digits.count > 12 && Luhn.isValid(digits.span))
        }
        var stretches: [[Int]] = []
        for place in places {
            if let last = stretches.last?.last, last == place - 1 {
                stretches[stretches.count - 1].append(place)
            } else {
                stretches.append([place])
            }
        }
        let whole = stretches.filter { isNumber($0[...]) }
        guard whole.isEmpty, stretches.count > 1 else { return whole }
        let isHidden = places.indices.contains { start in
            (13...19).contains { start + $0 <= places.count && isNumber(places[start..<start + $0]) }
        }
        return isHidden ? [places] : []
    }

    /// Finds the digits of each number; single spaces or hyphens may separate them.
    static func numbers(in bytes: [UInt8], _ range: Range<Int>) -> [[Int]] {
        var numbers: [[Int]] = []
        var places: [Int] = []
        for index in range {
            if isDigit(bytes[index]) {
                places.append(index)
            } else if !" -".utf8.contains(bytes[index]) || places.last != index - 1 {
                if !places.isEmpty { numbers.append(places) }
                places = []
            }
        }
        return places.isEmpty ? numbers : numbers + [places]
    }

    /// Overwrites bytes, by default with zero.
    static func clear(_ bytes: inout [UInt8], _ range: Range<Int>, _ filler: UInt8 = 0) {
        for index in range { bytes[index] = filler }
    }

    /// Whether the digits are an account number: a track's separator follows them, or they are the whole text.
    private static func isNumber(_ bytes: [UInt8], _ number: Range<Int>, in range: Range<Int>) -> Bool {
        guard number.upperBound < range.upperBound else { return number == range }
        let isFirst = number.lowerBound == range.lowerBound || !"=^".utf8.contains(bytes[number.lowerBound - 1])
        return isFirst && "=^".utf8.contains(bytes[number.upperBound])
    }

    static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }

    /// Whether the byte follows the start sentinel of track 1.
    private static func isFormatCode(_ bytes: [UInt8], _ index: Int, in range: Range<Int>) -> Bool {
        index > range.lowerBound && bytes[index - 1] == UInt8(ascii: "%")
    }
}
