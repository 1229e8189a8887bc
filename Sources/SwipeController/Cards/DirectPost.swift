import JackdawCards

/// Names and values as a gateway's Direct Post takes them, in wiped memory.
///
/// Source: the gateway's Direct Post API (`ccnumber=..&ccexp=MMYY`); values are escaped as in a URL's query (RFC 3986, 2.1).
struct DirectPost {
    /// Stretches that follow each other.
    private var parts: [SecretText] = []

    mutating func add(_ name: String, _ value: SecretText) {
        let count = value.withRevealedText { value in
            value.indices.reduce(0) { $0 + (Self.isPlain(value[$1]) ? 1 : 3) }
        }
        let prefix = Array("\(parts.isEmpty ? "" : "&")\(name)=".utf8)
        parts.append(SecretText(copying: prefix.span))
        let escaped = SecretBytes(count: count) { target in
            value.withRevealedText { value in
                var next = 0
                for index in value.indices {
                    if Self.isPlain(value[index]) {
                        target[next] = value[index]
                        next += 1
                    } else {
                        target[next] = UInt8(ascii: "%")
                        (target[next + 1], target[next + 2]) = value[index].hexadecimalDigits
                        next += 3
                    }
                }
            }
        }
        escaped.withBytes { parts.append(SecretText(copying: $0)) }
    }

    /// Adds what is no secret.
    mutating func add(_ name: String, _ value: String) {
        let bytes = Array(value.utf8)
        add(name, SecretText(copying: bytes.span))
    }

    /// All of it, one behind the other.
    func finish() -> SecretText {
        let whole = SecretBytes(count: parts.reduce(0) { $0 + $1.count }) { target in
            var next = 0
            for part in parts {
                part.withRevealedText { part in
                    for index in part.indices { target[next + index] = part[index] }
                }
                next += part.count
            }
        }
        return whole.withBytes { SecretText(copying: $0) }
    }

    /// What RFC 3986 calls unreserved.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~".utf8.contains(byte)
        }
    }
}
