/// Converts file names to text and back: a file name is any bytes, a `String` holds characters.
///
/// A byte that is not valid UTF-8 becomes one scalar in the private use area at the end of Unicode, and becomes the
/// same byte again when the name is passed to the system. A name that itself contains such a scalar also survives the
/// round trip: its bytes are converted one by one.
package enum FileName {
    /// Bytes that can be invalid in UTF-8, depending on their position; 0x00 to 0x7F are always valid.
    private static let bytes: ClosedRange<UInt32> = 0x80...0xFF
    /// The scalar that byte 0 would have.
    private static let base: UInt32 = 0x10_FF00

    /// Converts the bytes of a file name to text.
    /// - Parameter name: the bytes, without the terminating zero.
    /// - Returns: the decoded text for UTF-8; other bytes are kept as private scalars, without loss.
    package static func text(of name: some Collection<UInt8>) -> String {
        var text = String.UnicodeScalarView()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = name.makeIterator()
        var rest = name[...]
        func keep(_ count: Int) {
            for byte in rest.prefix(count) { text.append(Unicode.Scalar(base + UInt32(byte)) ?? "\u{FFFD}") }
        }
        while true {
            let count: Int
            switch parser.parseScalar(from: &iterator) {
            case .emptyInput: return String(text)
            case .error(let length):
                count = length
                keep(count)
            case .valid(let encoded):
                count = encoded.count
                let scalar = Unicode.UTF8.decode(encoded)
                if byte(of: scalar) == nil { text.append(scalar) } else { keep(count) }
            }
            rest = rest.dropFirst(count)
        }
    }

    /// The bytes of a name with the terminating zero, for a system call.
    package static func characters(of text: String) -> [CChar] {
        text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [CChar(bitPattern: $0)] } ?? scalar.utf8.map { CChar(bitPattern: $0) }
        } + [0]
    }

    /// The directory of a file: all up to the last slash, even if a combining character follows the slash.
    package static func directory(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "." }
        return String(path.unicodeScalars[...slash])
    }

    /// The byte that a private scalar stands for; nil for every other scalar.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= base, bytes.contains(scalar.value - base) else { return nil }
        return UInt8(scalar.value - base)
    }
}

extension Unicode.Scalar {
    fileprivate var utf8: String.UTF8View { String(self).utf8 }
}
