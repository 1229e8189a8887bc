/// File names as text: a system's names are any bytes, and a `String` holds characters.
///
/// A byte that is no UTF-8 becomes a scalar of its own in the private use area at the end of Unicode, and becomes the byte
/// again when the name is handed to the system. A name that has such a scalar itself comes back unchanged, too: its bytes are
/// taken one by one.
package enum FileName {
    /// Bytes that UTF-8 may not have where they stand; 0 to 7F it always may.
    private static let bytes: ClosedRange<UInt32> = 0x80...0xFF
    /// The scalar of byte 0 would be this one.
    private static let base: UInt32 = 0x10_FF00

    /// The text of a name.
    /// - Parameter name: its bytes, without a zero at the end.
    /// - Returns: the same for UTF-8, and without loss for other bytes.
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

    /// The bytes of a name, with the zero that ends it for the system.
    package static func characters(of text: String) -> [CChar] {
        text.unicodeScalars.flatMap { scalar in
            byte(of: scalar).map { [CChar(bitPattern: $0)] } ?? scalar.utf8.map { CChar(bitPattern: $0) }
        } + [0]
    }

    /// The directory of a file: up to the last slash, also if what follows it combines with it to one character.
    package static func directory(of path: String) -> String {
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return "." }
        return String(path.unicodeScalars[...slash])
    }

    /// The byte that a scalar stands for; nil of all that are themselves.
    package static func byte(of scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.value >= base, bytes.contains(scalar.value - base) else { return nil }
        return UInt8(scalar.value - base)
    }
}

extension Unicode.Scalar {
    fileprivate var utf8: String.UTF8View { String(self).utf8 }
}
