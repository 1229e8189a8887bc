#if Command
import JackdawReaders

/// The file that a profile is in.
enum ProfileFile {
    /// Reads a profile and lays it over another.
    /// - Parameters:
    ///   - path: of the file; `-` for standard input.
    ///   - base: the family's values, which those of the file take the place of.
    ///   - family: has to be able to speak so.
    /// - Returns: all values.
    /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`; it names the file, and the value that is
    ///   wrong.
    static func read(
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

    /// Reads a profile of whichever family.
    /// - Parameter path: of the file; `-` for standard input.
    /// - Returns: the values that it has.
    /// - Throws: ``CommandError`` with status `noInput`, `inputOutput` or `badData`.
    static func read(_ path: String) throws(CommandError) -> ReaderProfile {
        var json: [UInt8] = []
        try SmallFile.read(
            path, most: ReaderProfile.greatestFile, tooMany: "more than a profile has", into: &json)
        do throws(ReaderError) {
            return try ReaderProfile(json: json)
        } catch {
            throw CommandError(.badData, "\(SmallFile.name(of: path)): \(error)")
        }
    }
}
#endif
