import Glibc
import JackdawSystem

/// The error of a sound file that could not be read or written: one line that a user can act on, and its cause.
public struct AudioFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String {
            case notFound, notReadable, isDirectory
            case notSound, damaged, unsupportedEncoding, unsupportedRate, unsupportedChannels
            case io, invalidRequest, cancelled
        }

        let kind: Kind

        /// No such file exists.
        public static let notFound = Code(kind: .notFound)
        /// The file exists, but this user may not read it, or it cannot be read: a device, or a FIFO without a writer.
        public static let notReadable = Code(kind: .notReadable)
        /// The path names a directory.
        public static let isDirectory = Code(kind: .isDirectory)
        /// The content is not in a supported sound format, or the file is empty.
        public static let notSound = Code(kind: .notSound)
        /// The content starts as a sound format and then violates the rules of that format.
        public static let damaged = Code(kind: .damaged)
        /// The sound format is supported, its sample encoding is not.
        public static let unsupportedEncoding = Code(kind: .unsupportedEncoding)
        /// The sample rate is outside ``AudioFormat/sampleRates``.
        public static let unsupportedRate = Code(kind: .unsupportedRate)
        /// The number of channels is outside ``AudioFormat/channelCounts``.
        public static let unsupportedChannels = Code(kind: .unsupportedChannels)
        /// The system failed while reading or writing.
        public static let io = Code(kind: .io)
        /// The request is invalid: an unknown file name extension, or an impossible raw format or rate.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The caller ended the wait for a pipe before the pipe had sent its header.
        public static let cancelled = Code(kind: .cancelled)

        /// A name for programs: `notFound`, `damaged`, ...
        public var name: String { kind.rawValue }

        /// The exit status of a command that fails with this code (sysexits.h): 64 usage, 65 bad data, 66 no such
        /// input, 74 I/O error, 130 interrupted.
        public var exitStatus: Int32 {
            switch kind {
            case .invalidRequest: 64
            case .notSound, .damaged, .unsupportedEncoding, .unsupportedRate, .unsupportedChannels: 65
            case .notFound, .notReadable, .isDirectory: 66
            case .io: 74
            case .cancelled: 130
            }
        }
    }

    /// The kind of failure, for programs.
    public let code: Code
    /// The path as the caller passed it; `-` is standard input or output.
    public let path: String
    /// The error and, if there is a remedy, the remedy.
    public let message: String
    /// The message of the system or of libsndfile, if one of them reported the failure.
    public let underlying: String?
    /// The rate (Hz) or number of channels that was refused.
    public let refusedValue: Int?

    init(_ code: Code, path: String, _ message: String, underlying: String? = nil, refusedValue: Int? = nil) {
        self.code = code
        self.path = path
        self.message = message
        self.underlying = underlying
        self.refusedValue = refusedValue
    }

    /// Creates the error of a system call that failed while an input was read.
    init(reading path: String, _ failure: SystemFailure) {
        self.init(
            failure.code == ETIME ? .cancelled : .io, path: path, "cannot be read", underlying: failure.message)
    }

    /// Path, message and cause in one line.
    public var description: String {
        let place =
            switch path {
            case "-": "standard input or output"
            case "": "(empty path)"
            default: path
            }
        return "\(place): \(message)" + (underlying.map { " (\($0))" } ?? "")
    }
}
