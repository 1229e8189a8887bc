import Glibc
import JackdawAudioFile
import JackdawSystem
import JackdawTransport

/// A file for this user alone that is there once it is complete.
enum NewFile {
    /// Makes a file, which takes the place of an old one.
    /// - Parameters:
    ///   - path: where it goes.
    ///   - fill: writes what is in it.
    /// - Throws: ``CommandError``, that of `fill` too; an old file is as it was then.
    static func make(
        at path: String, fill: (borrowing OutputFile) throws(CommandError) -> Void
    ) throws(CommandError) {
        let file = try asCommand(isOutput: true) { () throws(AudioFileError) in
            try OutputFile(path: path, predecessor: .isReplaced)
        }
        try fill(file)
        do throws(AudioFileError) {
            try file.commit()
        } catch {
            throw CommandError(error, isOutput: true)
        }
    }

    /// Writes bytes to a file.
    /// - Parameters:
    ///   - bytes: the bytes to write.
    ///   - descriptor: the open file.
    ///   - path: what it is called where that fails.
    /// - Throws: ``CommandError``.
    static func write(_ bytes: [UInt8], to descriptor: CInt, at path: String) throws(CommandError) {
        do throws(SystemFailure) {
            try writeAll(bytes, to: descriptor)
        } catch {
            throw failure(path, error)
        }
    }

    /// What the system says against writing a file.
    static func failure(_ path: String, _ cause: SystemFailure = .last) -> CommandError {
        CommandError(.inputOutput, "\(path): cannot be written (\(cause.message))")
    }
}
