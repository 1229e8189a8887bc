import JackdawCards
import JackdawCryptography
import JackdawTestSupport

/// Secret bytes of hexadecimal digits.
func secret(_ text: String) -> SecretBytes {
    let bytes = hex(text)
    return SecretBytes(copying: bytes.span)
}

extension DecryptedSwipe {
    /// A track in clear, with the character that it is checked by; nil where there is none.
    func revealed(_ number: Int) -> String? {
        tracks.first { $0.number == number }.map { track in
            track.text.revealedText() + (track.redundancyCheck.map { String(Character(Unicode.Scalar($0))) } ?? "")
        }
    }
}

/// A decryptor with a key of hexadecimal digits.
func makeDecryptor(
    _ key: String = PublishedSwipes.key, _ mode: CardMode = .test, _ scheme: KeyScheme? = nil
) throws -> SwipeDecryptor { try SwipeDecryptor(key: secret(key), mode: mode, scheme: scheme) }

/// Decrypts the swipe of a protocol.
func decrypt(
    _ name: String, _ frame: [UInt8], _ key: String = PublishedSwipes.key, _ scheme: KeyScheme? = nil
) throws -> DecryptedSwipe {
    let decryptor = try makeDecryptor(key, .test, scheme)
    switch name {
    case "idtech": return try decryptor.decryptIDTech(frame.span)
    case "ips": return try decryptor.decryptIPS(frame.span)
    case "edynamo": return try decryptor.decryptEDynamo(frame.span)
    default: return try decryptor.decryptMagTek(frame.span)
    }
}

/// A frame whose sums are right again.
func withRightChecks(_ frame: [UInt8], _ name: String) -> [UInt8] {
    var frame = frame
    switch name {
    case "ips":
        // By the polynomial's definition.
        var crc: UInt8 = 0
        for byte in frame.dropLast() {
            crc ^= byte
            for _ in 0..<8 { crc = crc & 0x80 == 0 ? crc << 1 : crc << 1 ^ 0x07 }
        }
        frame[frame.count - 1] = crc
    case "idtech":
        let body = frame[3..<frame.count - 3]
        frame[frame.count - 3] = body.reduce(0, ^)
        frame[frame.count - 2] = body.reduce(0, &+)
    default:
        // CRC, an empty field and the format's code end the line.
        let end = frame.count - 11
        var crc: UInt16 = 0xFFFF
        for byte in frame[..<end] {
            crc ^= UInt16(byte) << 8
            for _ in 0..<8 { crc = crc & 0x8000 == 0 ? crc << 1 : crc << 1 ^ 0x1021 }
        }
        frame.replaceSubrange(end..<end + 4, with: Array(digits([UInt8(crc & 255), UInt8(crc >> 8)]).utf8))
    }
    return frame
}
