import Glibc
import JackdawAudioFile
import JackdawSystem
import JackdawTransport

/// A file for this user alone that appears only once it is complete.
enum NewFile {
    /// Writes a file, which replaces an existing one.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - fill: writes the content.
    /// - Throws: `CommandError`, also from `fill`; an existing file is unchanged then.
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
    ///   - path: the path for error messages.
    /// - Throws: `CommandError`.
    static func write(_ bytes: [UInt8], to descriptor: CInt, at path: String) throws(CommandError) {
        do throws(SystemFailure) {
            try writeAll(bytes, to: descriptor)
        } catch {
            throw failure(path, error)
        }
    }

    /// The error of a file that cannot be written, with the system's reason.
    static func failure(_ path: String, _ cause: SystemFailure = .last) -> CommandError {
        CommandError(.inputOutput, "\(path): cannot be written (\(cause.message))")
    }
}
