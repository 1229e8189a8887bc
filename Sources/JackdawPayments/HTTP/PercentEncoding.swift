import JackdawBytes

// Percent-encoding of addresses (RFC 3986, section 2).

extension UInt8 {
    /// Whether it is an unreserved character (RFC 3986, section 2.3).
    package var isUnreserved: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        default: false
        }
    }
}

extension String {
    /// The text with `%` and two digits for all bytes but the unreserved characters: a step of a path, or a part of a
    /// query.
    package var percentEncoded: String {
        var text = ""
        for byte in utf8 {
            if byte.isUnreserved {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%" + byte.hexadecimal
            }
        }
        return text
    }
}
