#if Command
import Glibc
import JackdawCards

/// The file that a key is in, as hexadecimal digits: what is on the command line every user of the machine sees.
enum KeyFile {
    /// Characters that a key takes at most, with blanks between its digits.
    private static let most = 1_024

    /// Reads a key. A file that other users can write is refused; of one that they can read a message warns.
    /// - Parameters:
    ///   - path: of the file; `-` for standard input.
    ///   - console: gets the warning.
    /// - Returns: its bytes; nothing else of them is left in memory.
    /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`.
    static func read(_ path: String, _ console: Console) throws(CommandError) -> SecretBytes {
        var text: [UInt8] = []
        var bytes: [UInt8] = []
        defer {
            text.removeWiping()
            bytes.removeWiping()
        }
        try SmallFile.read(path, most: most, tooMany: "more than a key has", into: &text) {
            status throws(CommandError) in
            try check(status, SmallFile.name(of: path), console)
        }
        do throws(CommandError) {
            try HexadecimalText.read(text, into: &bytes)
        } catch {
            throw CommandError(error.status, "\(SmallFile.name(of: path)): \(error.message)")
        }
        return SecretBytes(copying: bytes.span)
    }

    /// Looks at the rights of a file; a pipe and a terminal have none that matter.
    private static func check(_ status: stat, _ name: String, _ console: Console) throws(CommandError) {
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        let isOwn = [geteuid(), 0].contains(status.st_uid)
        guard isOwn, status.st_mode & (S_IWGRP | S_IWOTH) == 0 else {
            throw CommandError(
                .noInput,
                "\(name): other users can write this key file; own it, and take that right away: chmod 600")
        }
        if status.st_mode & (S_IRGRP | S_IROTH) != 0 {
            console.message("\(name): other users can read this key; take that right away: chmod 600")
        }
    }
}

/// Bytes as people write them.
enum HexadecimalText {
    /// Characters that the text of a frame has at most.
    static let most = 1 << 20

    /// Reads a text of digits, with blanks, colons or hyphens between.
    /// - Throws: ``CommandError`` with status `badData`, and where.
    static func read(_ text: [UInt8], into bytes: inout [UInt8]) throws(CommandError) {
        // A smaller array that it grew out of would not be wiped.
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        for (index, character) in text.enumerated() where !" \t\r\n:-".utf8.contains(character) {
            guard let digit = Character(UnicodeScalar(character)).hexDigitValue else {
                throw CommandError(.badData, "character \(index + 1) is no hexadecimal digit")
            }
            if let first = high {
                bytes.append(first << 4 | UInt8(digit))
                high = nil
            } else {
                high = UInt8(digit)
            }
        }
        guard high == nil else { throw CommandError(.badData, "an odd number of hexadecimal digits") }
        guard !bytes.isEmpty else { throw CommandError(.badData, "there are no bytes") }
    }
}
#endif
