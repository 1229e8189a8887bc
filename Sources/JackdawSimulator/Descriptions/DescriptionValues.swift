import JackdawBytes
import JackdawEMV

// Values of the files of issuers and payers.

extension CardFileObject {
    /// A time in whole milliseconds, at most an hour; nil if it is missing.
    func milliseconds(_ name: String) throws(VirtualCardError) -> Duration? {
        try number(name, 0...3_600_000).map { .milliseconds($0) }
    }

    /// One of several texts; nil if it is missing.
    func choice(_ name: String, _ texts: [String]) throws(VirtualCardError) -> String? {
        guard has(name) else { return nil }
        let text = try text(name)
        guard texts.contains(text) else {
            throw VirtualCardError(
                .value, at: place(of: name), "it must be one of \(texts.joined(separator: ", "))")
        }
        return text
    }

    /// A text of decimal digits, in ASCII; nil if it is missing.
    func digits(_ name: String, _ counts: ClosedRange<Int>) throws(VirtualCardError) -> SecretOctets? {
        guard has(name) else { return nil }
        var digits = Array(try text(name).utf8)
        defer { digits.wipe() }
        guard counts.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw VirtualCardError(
                .value, at: place(of: name), "it must have \(counts.lowerBound) to \(counts.upperBound) digits")
        }
        return SecretOctets(digits)
    }
}
