#if Command
    import ArgumentParser
    import JackdawReaders

    /// Families of readers on the command line.
    enum FamilyArgument {
        /// Finds a family by its name.
        /// - Throws: `ValidationError` with the names that there are.
        static func read(_ name: String) throws -> ReaderFamily {
            guard let family = ReaderFamily.named(name) else {
                let known = ReaderFamily.all.map(\.name).joined(separator: ", ")
                throw ValidationError("No family of readers is named \(name); there are \(known).")
            }
            return family
        }
    }
#endif
