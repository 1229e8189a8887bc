#if Command
    import JackdawCards

    /// The file that a key is in, as hexadecimal digits: what is on the command line every user of the machine sees.
    enum KeyFile {
        /// Characters that a key takes at most, with blanks between its digits.
        private static let most = 1_024

        /// Reads a key.
        /// - Parameter path: of the file; `-` for standard input.
        /// - Returns: its bytes; nothing else of them is left in memory.
        /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`.
        static func read(_ path: String) throws(CommandError) -> SecretBytes {
            var text: [UInt8] = []
            var bytes: [UInt8] = []
            defer {
                text.removeWiping()
                bytes.removeWiping()
            }
            try SmallFile.read(path, most: most, tooMany: "more than a key has", into: &text)
            do throws(CommandError) {
                try HexadecimalText.read(text, into: &bytes)
            } catch {
                throw CommandError(error.status, "\(SmallFile.name(of: path)): \(error.message)")
            }
            return SecretBytes(copying: bytes.span)
        }
    }
#endif
