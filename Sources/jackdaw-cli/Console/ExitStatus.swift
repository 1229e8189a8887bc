import JackdawAudioFile
import JackdawDecryption
import JackdawSpectrum
import JackdawTransport

/// How the command ends (numbers of sysexits.h, and the shell's for an interrupt).
enum ExitStatus: Int32, Comparable {
    /// Everything asked for was done.
    case done = 0
    /// It ran, and nothing was decoded or found.
    case nothingFound = 1
    /// The command line makes no sense.
    case usage = 64
    /// The input is not what it should be.
    case badData = 65
    /// There is no such input, or it may not be read.
    case noInput = 66
    /// A device or a program is missing or busy.
    case unavailable = 69
    /// The system failed while reading or writing.
    case inputOutput = 74
    /// Interrupted from the keyboard.
    case interrupted = 130

    static func < (left: ExitStatus, right: ExitStatus) -> Bool { left.rawValue < right.rawValue }
}

/// Ends a verb: a status, and one line that says why.
struct CommandError: Error {
    let status: ExitStatus
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What a sound file that could not be read comes to, or one that could not be written.
    init(_ error: AudioFileError, isOutput: Bool = false) {
        var text = error.description
        // The library cannot know which of the two a dash is.
        if error.path == "-" {
            let cause = error.underlying.map { " (\($0))" } ?? ""
            text = "standard \(isOutput ? "output" : "input"): \(error.message)\(cause)"
        }
        self.init(ExitStatus(rawValue: error.code.exitStatus) ?? .inputOutput, text)
    }

    /// What a link that could not be opened comes to, or one that ended.
    init(_ error: LinkError) {
        self.init(ExitStatus(rawValue: error.code.exitStatus) ?? .inputOutput, error.description)
    }

    /// What a spectrum that could not be made comes to.
    init(_ error: SpectrumError, file: String) {
        self.init(error.code == .outOfMemory ? .inputOutput : .badData, "\(file): \(error)")
    }

    /// What a swipe that could not be decrypted comes to.
    init(_ error: DecryptionError) {
        let status: ExitStatus =
            switch error.code {
            case .unknownScheme: .usage
            case .library: .unavailable
            default: .badData
            }
        self.init(status, "not decrypted: \(error)")
    }

    static var interrupted: CommandError { CommandError(.interrupted, "interrupted") }
}

/// Runs a body and turns the errors of sound files into the command's.
/// - Parameters:
///   - isOutput: whether the file is written.
///   - body: works with the file.
/// - Returns: what the body returns.
/// - Throws: ``CommandError``.
func asCommand<Result: ~Copyable>(
    isOutput: Bool = false, _ body: () throws(AudioFileError) -> Result
) throws(CommandError) -> Result {
    do throws(AudioFileError) {
        return try body()
    } catch {
        throw CommandError(error, isOutput: isOutput)
    }
}
