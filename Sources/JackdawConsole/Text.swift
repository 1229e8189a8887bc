import JackdawBytes
package import JackdawTransport

/// Formats a number with a fixed count of decimals.
/// - Parameters:
///   - value: any number; infinity and NaN become `-`.
///   - decimals: digits after the point, 0 to 9.
/// - Returns: for example `-0.50`.
package func fixed(_ value: Double, _ decimals: Int) -> String {
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
package func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

extension String {
    /// The text with escapes for control characters (C0, DEL, C1), invisible direction marks and a file name's bytes
    /// that are not text, so that no text from a card or a file name can control a terminal.
    package var printable: String {
        guard unicodeScalars.contains(where: { $0.steersTerminal || FileName.byte(of: $0) != nil }) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if let byte = FileName.byte(of: scalar) {
                text += "\\x\(byte.lowercaseHexadecimal)"
            } else {
                text += scalar.steersTerminal ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
            }
        }
    }

    /// The text with the keys and numbers that an argument may have hidden: every key of 12 hexadecimal digits or more,
    /// every number as in ``hidingAccountNumbers``, and groups of 16 digits or more. The UUID of a Bluetooth service
    /// (RFC 9562) and the address of a device do not count as keys.
    package var hidingKeysAndNumbers: String { mayHaveKeys ? searchedForKeys : self }

    /// Whether the text may have something to hide: 12 hexadecimal digits in one piece or in groups. Most texts have not,
    /// and need no search.
    private var mayHaveKeys: Bool {
        var digits = 0
        for byte in utf8 {
            switch Unicode.Scalar(byte) {
            case "0"..."9", "A"..."F", "a"..."f": digits += 1
            case " ", ":", "-", "/", "'", "\"", ",": continue
            case let scalar where scalar.isASCII: digits = 0
            default: return true
            }
            if digits >= Substring.leastHidden { return true }
        }
        return false
    }

    /// The text after a search for keys and numbers, which are hidden.
    package var searchedForKeys: String {
        var result = ""
        var rest = self[...]
        for match in matches(
            of: /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}/)
        where !isInKey(match.range) {
            result += rest[..<match.range.lowerBound].hidingKeysInGroups + match.output
            rest = self[match.range.upperBound...]
        }
        return result + rest.hidingKeysInGroups
    }

    /// Whether further digits precede or follow a range, with or without a colon or a hyphen.
    private func isInKey(_ range: Range<Index>) -> Bool {
        func goesOn(_ characters: some Sequence<Character>) -> Bool {
            var others = characters.makeIterator()
            guard let first = others.next() else { return false }
            return first.isHexDigit || ":-".contains(first) && others.next()?.isHexDigit == true
        }
        return goesOn(self[..<range.lowerBound].reversed()) || goesOn(self[range.upperBound...])
    }

    /// The text with every number of 12 digits or more masked like an account number: the last four digits show, and
    /// from 13 digits on the first six, too. Digits in groups, as on a card, count as one number.
    package var hidingAccountNumbers: String {
        var result = ""
        var rest = self[...]
        while let start = rest.firstIndex(where: \.isDigit) {
            result += rest[..<start]
            let number = rest[start...].numberInGroups ?? rest[start...].prefix(while: \.isDigit)
            result += number.maskingDigits
            rest = rest[number.endIndex...]
        }
        return result + rest
    }

    /// The text with groups of hexadecimal digits hidden, if they have 16 digits or more and at least one decimal
    /// digit.
    fileprivate func hidingGroups(where isHidden: (Substring) -> Bool) -> String {
        let groups = /\b[0-9A-Fa-f]+(?:(?:[ :\-\/']|', '|", ")[0-9A-Fa-f]+)+\b/.wordBoundaryKind(.simple)
        return replacing(groups) { match in
            let digits = match.output.filter(\.isHexDigit)
            guard digits.count >= Self.leastInGroups, digits.contains(where: \.isDigit), isHidden(match.output) else {
                return String(match.output)
            }
            return String(match.output.map { $0.isHexDigit ? "*" : $0 })
        }
    }

    /// The least number of digits in groups that may be a key.
    private static let leastInGroups = 16

    /// The text, padded with blanks before or after it up to a width.
    package func padded(to width: Int, alignedRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return alignedRight ? blanks + self : self + blanks
    }

    /// Names with their descriptions for help, one line each, in columns.
    package static func listing(_ entries: [(name: String, text: String)]) -> String {
        let width = entries.map(\.name.count).max() ?? 0
        return entries.map { "  \($0.name.padded(to: width))  \($0.text)" }.joined(separator: "\n")
    }

    /// The names in a sentence: `a, b and c`.
    package static func words(_ names: [String], _ conjunction: String) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "" }
        return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
    }

    /// The text without blanks at its end.
    package var trimmingBlanksAtEnd: String { String(dropLast(reversed().prefix { $0 == " " }.count)) }
}

extension LinkName {
    /// The name for text output: a number or a key in it is masked as in an argument. JSON output has the whole name.
    package var shown: String { description.hidingKeysAndNumbers }
}

extension Substring {
    /// The text with keys hidden, in one piece or in groups, and numbers masked.
    fileprivate var hidingKeysInGroups: String {
        // A key may begin like an account number, whose digits would remain visible.
        let withoutKeys = String(self).hidingGroups { $0.contains(where: \.isLetter) }[...].hidingKeys
        return withoutKeys.hidingAccountNumbers.hidingGroups { _ in true }
    }

    /// The text with every run of 12 hexadecimal digits or more hidden, unless it contains only decimal digits.
    fileprivate var hidingKeys: String {
        String(self).replacing(/[0-9A-Fa-f]{12,}/) { key in
            key.output.contains(where: \.isLetter)
                ? String(repeating: "*", count: key.output.count) : String(key.output)
        }
    }

    /// Digits from which a number may be an account number, and from which its first six may show.
    fileprivate static let leastHidden = 12
    private static let leastShowingIssuer = 13

    /// The number at the start of the text if it is written in groups as on a card: in fours, the last one shorter if
    /// the digits do not suffice, or 4-6-5, 4-6-4 and 4-5-6. Numbers side by side seldom all have that width, and dates
    /// never do.
    fileprivate var numberInGroups: Substring? {
        let first = prefix(while: \.isDigit)
        guard first.count == 4, let second = self[first.endIndex...].nextGroup else { return nil }
        var end = second.endIndex
        switch second.count {
        case 4:
            while let group = self[end...].nextGroup, group.count <= 4 {
                end = group.endIndex
                if group.count < 4 { break }
            }
        case 5, 6:
            guard let third = self[end...].nextGroup,
                second.count == 6 ? (4...5).contains(third.count) : third.count == 6
            else { return nil }
            end = third.endIndex
        default: return nil
        }
        let number = self[..<end]
        return number.count(where: \.isDigit) < Self.leastHidden ? nil : number
    }

    /// The digits after a separator of groups at the start of the text: a blank, a hyphen, or the quotes and commas of
    /// a list of arguments.
    private var nextGroup: Substring? {
        let separator = prefix { " -',\"\u{A0}".contains($0) }
        let digits = self[separator.endIndex...].prefix(while: \.isDigit)
        return (1...4).contains(separator.count) && !digits.isEmpty ? digits : nil
    }

    /// The text with its digits masked if they are enough for an account number.
    fileprivate var maskingDigits: String {
        let count = count(where: \.isDigit)
        guard count >= Self.leastHidden else { return String(self) }
        let first = count >= Self.leastShowingIssuer ? 6 : 0
        var place = 0
        return String(
            map { character in
                guard character.isDigit else { return character }
                defer { place += 1 }
                return place < first || place >= count - 4 ? character : "*"
            })
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}

extension Unicode.Scalar {
    /// Whether a terminal interprets it instead of showing it; JSON writes all of these as `\u` with four digits.
    package var steersTerminal: Bool {
        switch value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// One JSON object on one line, its fields in the order in which they are added.
package struct JSONObject {
    private var fields = ""

    /// An object without fields.
    package init() {}

    /// The object as text.
    package var text: String { "{\(fields)}" }

    package mutating func add(_ name: String, _ value: String?) { add(name, json: value.map(Self.quoted) ?? "null") }

    package mutating func add(_ name: String, _ value: Int) { add(name, json: String(value)) }

    package mutating func add(_ name: String, _ value: Int?) { add(name, json: value.map { String($0) } ?? "null") }

    package mutating func add(_ name: String, _ value: Bool) { add(name, json: String(value)) }

    package mutating func add(_ name: String, _ value: Bool?) { add(name, json: value.map { String($0) } ?? "null") }

    package mutating func add(_ name: String, _ values: [Int]) {
        add(name, json: "[\(values.map(String.init).joined(separator: ","))]")
    }

    package mutating func add(_ name: String, _ values: [String]) {
        add(name, json: "[\(values.map(Self.quoted).joined(separator: ","))]")
    }

    package mutating func add(_ name: String, _ value: JSONObject?) { add(name, json: value.map(\.text) ?? "null") }

    package mutating func add(_ name: String, _ values: [JSONObject]) {
        add(name, json: "[\(values.map(\.text).joined(separator: ","))]")
    }

    /// Adds a number rounded to some decimals; null if it is not finite.
    package mutating func add(_ name: String, _ value: Double?, decimals: Int) {
        guard let value, value.isFinite else { return add(name, json: "null") }
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        add(name, json: "\((value * scale).rounded() / scale)")
    }

    private mutating func add(_ name: String, json: String) {
        if !fields.isEmpty { fields += "," }
        fields += "\"\(name)\":\(json)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where FileName.byte(of: scalar) != nil:
                quoted += "\\\\x\(FileName.byte(of: scalar)?.lowercaseHexadecimal ?? "")"
            case _ where scalar.steersTerminal:
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
