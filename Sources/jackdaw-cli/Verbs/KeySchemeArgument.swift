#if Command
    import ArgumentParser
    import JackdawDecryption

    /// Key schemes on the command line.
    enum KeySchemeArgument {
        /// Finds a scheme by its name.
        /// - Throws: `ValidationError` with the names that there are.
        static func read(_ name: String) throws -> KeyScheme {
            guard let scheme = KeyScheme(rawValue: name) else {
                let known = KeyScheme.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("No key scheme is named \(name); there are \(known).")
            }
            return scheme
        }
    }
#endif
