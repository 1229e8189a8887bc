import Glibc
import JackdawSystem

/// Why a sound file could not be read or written: one line that a person can act on, and what lies underneath.
public struct AudioFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String {
            case notFound, notReadable, isDirectory
            case notSound, damaged, unsupportedEncoding, unsupportedRate, unsupportedChannels
            case io, invalidRequest, cancelled
        }

        let kind: Kind

        /// There is no such file.
        public static let notFound = Code(kind: .notFound)
        /// The file is there and may not be read, or cannot be: permission, a device, a FIFO that nobody writes to.
        public static let notReadable = Code(kind: .notReadable)
        /// The path names a directory.
        public static let isDirectory = Code(kind: .isDirectory)
        /// The content is not one of the sound formats known here, or there is none.
        public static let notSound = Code(kind: .notSound)
        /// The content starts like sound and then breaks the rules of its format.
        public static let damaged = Code(kind: .damaged)
        /// A sound format is recognised, its sample encoding is not.
        public static let unsupportedEncoding = Code(kind: .unsupportedEncoding)
        /// The sample rate is outside ``AudioFormat/sampleRates``.
        public static let unsupportedRate = Code(kind: .unsupportedRate)
        /// The number of channels is outside ``AudioFormat/channelCounts``.
        public static let unsupportedChannels = Code(kind: .unsupportedChannels)
        /// The system failed while reading or writing.
        public static let io = Code(kind: .io)
        /// The caller asked for what cannot be: an unknown extension, a raw format or rate that makes no sense.
        public static let invalidRequest = Code(kind: .invalidRequest)
        /// The caller wanted no more of a pipe before it had sent its header.
        public static let cancelled = Code(kind: .cancelled)

        /// A name for machines: `notFound`, `damaged`, ...
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

    /// The kind of failure.
    public let code: Code
    /// The path as it was given; `-` is standard input or output.
    public let path: String
    /// What is wrong and, where there is a remedy, what to do.
    public let message: String
    /// The words of the system or of libsndfile, where one of them reported the failure.
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

    /// A call to the system that failed as an input was read.
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
