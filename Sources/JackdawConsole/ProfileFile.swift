package import JackdawReaders

/// Reads the file of a profile.
package enum ProfileFile {
    /// Reads a profile and lays it over another.
    /// - Parameters:
    ///   - path: of the file; `-` for standard input.
    ///   - base: the family's values, which the values of the file replace.
    ///   - family: the family whose protocol must accept the values.
    /// - Returns: all values.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`; it names the file and the invalid
    ///   value.
    package static func read(
        _ path: String, over base: ReaderProfile, of family: ReaderFamily
    ) throws(CommandError) -> ReaderProfile {
        let given = try read(path)
        do throws(ReaderError) {
            let profile = try base.with(given)
            _ = try family.makeDialect(profile)
            return profile
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }

    /// Reads a profile of any family.
    /// - Parameter path: of the file; `-` for standard input.
    /// - Returns: the values in the file.
    /// - Throws: `CommandError` with status `noInput`, `inputOutput` or `badData`.
    package static func read(_ path: String) throws(CommandError) -> ReaderProfile {
        var json: [UInt8] = []
        try SmallFile.read(
            path, most: ReaderProfile.maxFileSize, tooMany: "too long for a profile", into: &json)
        do throws(ReaderError) {
            return try ReaderProfile(json: json)
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}
