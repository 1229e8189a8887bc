/// Checks of addresses for receipts and reminders. A text that passes may still lead nowhere.
public enum AcceptContact {
    /// The most bytes of an address, as in the sandbox.
    static let maxBytes = 200

    /// Whether a text is an address for e-mail: a name of the plain characters (RFC 5322, 3.2.3), and a domain of at
    /// least two labels (RFC 5321, 2.3.5). Names in quotes and addresses by number are not taken.
    public static func isEmailAddress(_ text: String) -> Bool {
        guard text.utf8.count <= maxBytes else { return false }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...64).contains(parts[0].utf8.count) else { return false }
        let words = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard words.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isAddressCharacter) }) else { return false }
        let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, labels.allSatisfy(isLabel), let last = labels.last else { return false }
        return last.utf8.count >= 2 && !last.utf8.allSatisfy(\.isASCIIDigit)
    }

    /// The digits of a phone number, with a plus before them if the text has one: 6 to 15 digits (ITU-T E.164 has at most
    /// 15). Spaces, hyphens, slashes, points and brackets are left out.
    /// - Returns: nil if the text has other characters, or too few or too many digits.
    public static func phoneNumber(_ text: String) -> String? {
        guard text.utf8.count <= maxBytes else { return nil }
        var number = ""
        for character in text.unicodeScalars {
            switch character {
            case "+" where number.isEmpty: number.unicodeScalars.append(character)
            case "0"..."9": number.unicodeScalars.append(character)
            case " ", "-", "/", ".", "(", ")": continue
            default: return nil
            }
        }
        let digits = number.utf8.count - (number.hasPrefix("+") ? 1 : 0)
        return (6...15).contains(digits) ? number : nil
    }

    /// Whether it is a label of a domain (RFC 1123, 2.1).
    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
            && label.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || $0 == UInt8(ascii: "-") }
    }
}

extension UInt8 {
    fileprivate var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
    fileprivate var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    /// Whether it may be in the name of an address without quotes (RFC 5322, 3.2.3: atext).
    fileprivate var isAddressCharacter: Bool {
        isASCIIDigit || isASCIILetter || "!#$%&'*+-/=?^_`{|}~".utf8.contains(self)
    }
}
