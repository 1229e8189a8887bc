import JackdawAudioFile
import JackdawCryptography
import JackdawSpectrum
import JackdawTransport

extension CommandError {
    /// The error of a sound file that could not be read or written.
    init(_ error: AudioFileError, isOutput: Bool = false) {
        var text = error.description
        // A path of `-` is standard input or output, which the library does not distinguish.
        if error.path == "-" {
            let cause = error.underlying.map { " (\($0))" } ?? ""
            text = "standard \(isOutput ? "output" : "input"): \(error.message)\(cause)"
        }
        self.init(ExitStatus(rawValue: error.code.exitStatus) ?? .inputOutput, text)
    }

    /// The error of a link that could not be opened. The file of a link that replaces a device is an input.
    init(opening error: LinkError) {
        let scheme = (try? LinkName(parsing: error.link))?.scheme
        let isFile = scheme == .wav || scheme == .replay
        if isFile, error.code == .notFound || error.code == .notPermitted {
            self.init(.noInput, error.description)
        } else if scheme == .replay, error.code == .unsupported {
            // The file can be read, and is no transcript.
            self.init(.badData, error.description)
        } else {
            self.init(error)
        }
    }

    /// The error of a link that ended, or that is no file and could not be opened.
    init(_ error: LinkError) {
        self.init(ExitStatus(rawValue: error.code.exitStatus) ?? .inputOutput, error.description)
    }

    /// The error of a spectrum that could not be computed.
    init(_ error: SpectrumError, file: String) {
        self.init(error.code == .outOfMemory ? .inputOutput : .badData, "\(file): \(error)")
    }

    /// The error of a swipe that could not be decrypted.
    init(_ error: CryptographyError) {
        let status: ExitStatus =
            switch error.code {
            case .unknownScheme: .usage
            case .library: .unavailable
            default: .badData
            }
        self.init(status, "not decrypted: \(error)")
    }
}

/// Runs a body and converts its sound file errors to the command's errors.
/// - Parameters:
///   - isOutput: whether the file is written.
///   - body: works with the file.
/// - Returns: the result of the body.
/// - Throws: `CommandError`.
func asCommand<Result: ~Copyable>(
    isOutput: Bool = false, _ body: () throws(AudioFileError) -> Result
) throws(CommandError) -> Result {
    do throws(AudioFileError) {
        return try body()
    } catch {
        throw CommandError(error, isOutput: isOutput)
    }
}
