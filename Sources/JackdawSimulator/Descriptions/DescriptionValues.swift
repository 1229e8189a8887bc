import JackdawBytes
import JackdawCards
import JackdawEMV

// Values of description files that are written as texts or numbers.

extension DescriptionObject {
    // MARK: octets, digits and characters

    /// Octets: a text of hexadecimal digits, perhaps with spaces between them.
    func octets(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> [UInt8] {
        try secret(name, counts).octets
    }

    /// The same; nil if they are missing.
    func optionalOctets(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> [UInt8]? {
        has(name) ? try octets(name, counts) : nil
    }

    /// The octets of a secret, in wiped memory.
    func secret(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> SecretOctets {
        let digits = try text(name).utf8
        let isSpace = { (character: UInt8) in character == UInt8(ascii: " ") }
        var count = 0
        do throws(HexadecimalError) {
            try digits.span.decodeHexadecimal(skipping: isSpace) { _ in count += 1 }
        } catch {
            throw SimulationFileError(.kind, at: place(of: name), "it must be octets, two hexadecimal digits each")
        }
        guard counts.contains(count) else {
            throw SimulationFileError(
                .length, at: place(of: name), "it has \(count) octets; right are \(counts.text)")
        }
        return SecretOctets(count: count) { octets in
            var next = 0
            // The digits were checked.
            try? digits.span.decodeHexadecimal(skipping: isSpace) {
                octets[next] = $0
                next += 1
            }
        }
    }

    /// Decimal digits, in ASCII.
    func digits(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> SecretOctets {
        try characters(name, counts, of: 0x30...0x39, "digits")
    }

    /// The same; nil if they are missing.
    func optionalDigits(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> SecretOctets? {
        has(name) ? try digits(name, counts) : nil
    }

    /// A text of printable ASCII characters.
    func characters(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> [UInt8] {
        try characters(name, counts, of: 0x20...0x7E, "ASCII characters").octets
    }

    private func characters(
        _ name: String, _ counts: ClosedRange<Int>, of range: ClosedRange<UInt8>, _ kind: String
    ) throws(SimulationFileError) -> SecretOctets {
        let text = try text(name).utf8
        guard counts.contains(text.count), text.allSatisfy({ range.contains($0) }) else {
            throw SimulationFileError(.value, at: place(of: name), "it must have \(counts.text) \(kind)")
        }
        return SecretOctets(copying: text.span)
    }

    // MARK: tags and names

    /// A member that is a tag.
    func tag(_ name: String) throws(SimulationFileError) -> Tag { try Self.tag(text(name), at: place(of: name)) }

    /// The tag that a member's name is.
    func tag(named name: String) throws(SimulationFileError) -> Tag { try Self.tag(name, at: place(of: name)) }

    private static func tag(_ text: String, at place: String) throws(SimulationFileError) -> Tag {
        // One spelling for each tag, so that no object has a tag twice.
        guard let tag = UInt32(text, radix: 16).flatMap({ Tag(rawValue: $0) }), tag.description == text else {
            throw SimulationFileError(.value, at: place, "it must be a tag in upper case, such as 9F02")
        }
        return tag
    }

    /// One of several names.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, among choices: [Choice] = Array(Choice.allCases)
    ) throws(SimulationFileError) -> Choice {
        let text = try text(name)
        guard let choice = choices.first(where: { $0.rawValue == text }) else {
            let names = choices.map(\.rawValue).joined(separator: ", ")
            throw SimulationFileError(.value, at: place(of: name), "it must be one of \(names)")
        }
        return choice
    }

    /// The same; nil if it is missing.
    func optionalChoice<Choice: RawRepresentable<String> & CaseIterable>(
        _ name: String, among choices: [Choice] = Array(Choice.allCases)
    ) throws(SimulationFileError) -> Choice? {
        has(name) ? try choice(name, among: choices) : nil
    }

    // MARK: numbers of accounts, times and amounts

    /// An account number of 8 to 19 digits, of which the last is the check digit.
    func accountNumber(_ name: String) throws(SimulationFileError) -> PrimaryAccountNumber {
        let digits = try digits(name, PrimaryAccountNumber.lengths)
        guard let number = digits.withOctets({ try? PrimaryAccountNumber($0) }), number.isLuhnValid else {
            throw SimulationFileError(
                .value, at: place(of: name), "its last digit must be the check digit of the others (ISO/IEC 7812-1)")
        }
        return number
    }

    /// A time in whole milliseconds, at most an hour; nil if it is missing.
    func optionalTime(_ name: String) throws(SimulationFileError) -> Duration? {
        try optionalNumber(name, 0...3_600_000).map { .milliseconds($0) }
    }

    /// An amount in minor units, not less than another one, of at most 12 digits.
    func amount(_ name: String, from least: UInt64 = 0) throws(SimulationFileError) -> UInt64 {
        UInt64(try number(name, Int(least)...Int(Amount.maxNumeric)))
    }

    /// The same; nil if it is missing.
    func optionalAmount(_ name: String, from least: UInt64 = 0) throws(SimulationFileError) -> UInt64? {
        has(name) ? try amount(name, from: least) : nil
    }
}

extension ClosedRange<Int> {
    /// The range for people: `16`, `4 to 12`.
    fileprivate var text: String { count == 1 ? "\(lowerBound)" : "\(lowerBound) to \(upperBound)" }
}
