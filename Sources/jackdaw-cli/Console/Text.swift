/// A number with a fixed count of decimals.
/// - Parameters:
///   - value: any number; what is not finite becomes `-`.
///   - decimals: digits behind the point, 0 to 9.
/// - Returns: for example `-0.50`.
func fixed(_ value: Double, _ decimals: Int) -> String {
    var scale = 1.0
    for _ in 0..<decimals { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e18 else { return "-" }  // false for NaN too
    var digits = String(Int(scaled))
    digits = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard decimals > 0 else { return sign + digits }
    return sign + digits.dropLast(decimals) + "." + digits.suffix(decimals)
}

/// A count with its noun: `1 file`, `2 files`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension String {
    /// The text with control characters (C0, DEL, C1) and invisible direction marks written out, so that no text from a
    /// card or a file name can steer a terminal.
    var printable: String {
        guard unicodeScalars.contains(where: \.steersTerminal) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            text += scalar.steersTerminal ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }
    }

    /// The text with every run of 13 to 19 digits masked as an account number is: first six, last four.
    var hidingAccountNumbers: String {
        var result = ""
        var rest = self[...]
        while let start = rest.firstIndex(where: \.isDigit) {
            result += rest[..<start]
            let run = rest[start...].prefix(while: \.isDigit)
            let isNumber = (13...19).contains(run.count)
            result += isNumber ? run.prefix(6) + String(repeating: "*", count: run.count - 10) + run.suffix(4) : run
            rest = rest[run.endIndex...]
        }
        return result + rest
    }

    /// The text, with blanks before or behind it up to a width.
    func padded(to width: Int, alignedRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? blanks + self : self + blanks
    }

    /// The text without blanks behind it.
    var trimmingBlanksAtEnd: String { String(dropLast(reversed().prefix { $0 == " " }.count)) }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension Unicode.Scalar {
    /// Whether a terminal obeys it rather than shows it; JSON writes all of these as `\u` with four digits.
    var steersTerminal: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}
