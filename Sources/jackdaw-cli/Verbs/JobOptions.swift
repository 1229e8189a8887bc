#if Command
import ArgumentParser

/// The options of verbs that work on many files.
struct JobOptions: ParsableArguments {
    static let counts = 1...1024

    @Option(
        name: .customLong("jobs"),
        help: ArgumentHelp("Work on this many files at once (default: one for each core).", valueName: "n"))
    var count: Int?

    @Flag(help: "Also take the sound files in the folders of folders.")
    var recursive = false

    func validate() throws {
        guard count.map(Self.counts.contains) ?? true else {
            throw ValidationError("--jobs must be \(Self.counts.lowerBound) to \(Self.counts.upperBound).")
        }
    }

    /// The operands with the files of each folder in its place; prints the errors of folders.
    /// - Parameters:
    ///   - operands: packed operands.
    ///   - isRaw: whether the files have no header; those in folders are named `.raw` then.
    ///   - console: prints the errors.
    /// - Returns: the files, and the worst status of the folders.
    func files(_ operands: [String], isRaw: Bool, _ console: Console) -> (files: [String], status: ExitStatus) {
        var files: [String] = []
        var status = ExitStatus.done
        for operand in Operands.unpack(operands) {
            let found = SoundFolder.files(at: operand, isRecursive: recursive, isRaw: isRaw)
            files += found.files
            for error in found.errors {
                console.message(error.message)
                status = max(status, error.status)
            }
        }
        return (files, status)
    }
}
#endif
