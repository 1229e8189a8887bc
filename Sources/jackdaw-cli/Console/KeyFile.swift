import Glibc
import JackdawBytes
import JackdawCards

/// Reads the file of a key in hexadecimal digits. A key is not accepted on the command line, which every user of the
/// machine can see.
enum KeyFile {
    /// Limit of a key's characters, with blanks between its digits.
    private static let most = 1_024

    /// Reads a key. A file that other users can write is refused; for one that they can read, the console shows a
    /// warning.
    /// - Parameters:
    ///   - path: of the file; `-` for standard input.
    ///   - console: shows the warning.
    /// - Returns: the key's bytes; all other copies in memory are wiped.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`.
    static func read(_ path: String, _ console: Console) throws(CommandError) -> SecretBytes {
        var text: [UInt8] = []
        var bytes: [UInt8] = []
        defer {
            text.wipe()
            bytes.wipe()
        }
        try SmallFile.read(path, most: most, tooMany: "too long for a key", into: &text) {
            status throws(CommandError) in
            try SmallFile.checkKey(status, SmallFile.name(of: path), console)
        }
        do throws(CommandError) {
            try HexadecimalText.read(text, into: &bytes)
        } catch {
            throw CommandError(error.status, "\(SmallFile.name(of: path)): \(error.message)")
        }
        return SecretBytes(copying: bytes.span)
    }
}

/// Bytes as people write them.
enum HexadecimalText {
    /// Characters that the text of a frame has at most.
    static let most = 1 << 20

    /// Reads a text of digits, with blanks, colons or hyphens between.
    /// - Throws: `CommandError` with status `badData` that names the position.
    static func read(_ text: [UInt8], into bytes: inout [UInt8]) throws(CommandError) {
        // A smaller array that it grew out of would not be wiped.
        bytes.reserveCapacity(text.count / 2)
        do throws(HexadecimalError) {
            try text.span.decodeHexadecimal(skipping: { " \t\r\n:-".utf8.contains($0) }) { bytes.append($0) }
        } catch {
            throw CommandError(.badData, error.message)
        }
        guard !bytes.isEmpty else { throw CommandError(.badData, "there are no bytes") }
    }
}
