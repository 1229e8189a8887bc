#if Command
    import ArgumentParser
    import JackdawReaders

    /// Settings of a reader on the command line: `4C=32`, a number and its value, both in hexadecimal digits.
    enum SettingArgument {
        /// Reads a setting.
        /// - Throws: `ValidationError` that says what one is.
        static func read(_ argument: String) throws -> ReaderSetting {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            var value: [UInt8] = []
            guard parts.count == 2, let number = UInt32(parts[0], radix: 16),
                (try? HexadecimalText.read(Array(parts[1].utf8), into: &value)) != nil, value.count <= UInt8.max
            else {
                throw ValidationError("A setting is its number and its bytes in hexadecimal digits, such as 4C=32.")
            }
            return ReaderSetting(Int(number), value)
        }
    }
#endif
