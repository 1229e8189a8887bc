/// The reason why a link to a device could not be opened, or ended: the error, the remedy, and the underlying error of
/// the system.
public struct LinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that later versions can add kinds.
    public struct Code: Sendable, Hashable {
        enum Kind: String, CaseIterable {
            case badName, notFound, busy, notPermitted, unsupported, disconnected, system
            case outOfRange, refused, rejected, pairedElsewhere, adapterOff, serviceMissing, timedOut, cancelled,
                badAnswer, full
        }

        let kind: Kind

        /// The given text is not the name of a link.
        public static let badName = Code(kind: .badName)
        /// No device has this name.
        public static let notFound = Code(kind: .notFound)
        /// Another program is using the device.
        public static let busy = Code(kind: .busy)
        /// The device exists, but this user may not open it.
        public static let notPermitted = Code(kind: .notPermitted)
        /// The device or the system does not support the request: a rate, a format, a kind of link.
        public static let unsupported = Code(kind: .unsupported)
        /// The device was connected and has disconnected.
        public static let disconnected = Code(kind: .disconnected)
        /// The device does not answer: it is off, asleep or out of range.
        public static let outOfRange = Code(kind: .outOfRange)
        /// The device answers, but offers no service at this address.
        public static let refused = Code(kind: .refused)
        /// The device, or the person at this computer, refused to pair.
        public static let rejected = Code(kind: .rejected)
        /// The device has deleted this computer's pairing keys, or is paired with another computer.
        public static let pairedElsewhere = Code(kind: .pairedElsewhere)
        /// This computer's radio is switched off, or it has no radio.
        public static let adapterOff = Code(kind: .adapterOff)
        /// The required service is missing: the system's service is not running, or the device does not offer it.
        public static let serviceMissing = Code(kind: .serviceMissing)
        /// The operation did not finish within its time limit.
        public static let timedOut = Code(kind: .timedOut)
        /// The operation was cancelled by its caller.
        public static let cancelled = Code(kind: .cancelled)
        /// The device's answer violates its protocol.
        public static let badAnswer = Code(kind: .badAnswer)
        /// The link's transcript has reached the largest size that can be read again, or cannot be written, as on a
        /// full disk.
        public static let full = Code(kind: .full)
        /// The system reported another error; ``LinkError/underlying`` has its message.
        public static let system = Code(kind: .system)

        /// The machine-readable name of the code: `notFound`, `busy`, ...
        public var name: String { kind.rawValue }

        /// Whether the cause may pass by itself, so that the same operation can succeed later; false if a person must
        /// act first.
        public var mayPass: Bool {
            switch kind {
            case .notFound, .busy, .disconnected, .outOfRange, .refused, .adapterOff, .serviceMissing, .timedOut: true
            // Noise on the line and a temporary shortage of system resources also cause these two.
            case .badAnswer, .system: true
            case .badName, .notPermitted, .unsupported, .rejected, .pairedElsewhere, .cancelled, .full: false
            }
        }

        /// The exit status of a command that fails with this code (sysexits.h): 64 usage, 65 bad data, 69 device
        /// missing or busy, 74 I/O error; 130 interrupted.
        public var exitStatus: Int32 {
            switch kind {
            case .badName: 64
            case .badAnswer: 65
            case .notFound, .busy, .notPermitted, .unsupported, .disconnected: 69
            case .outOfRange, .refused, .rejected, .pairedElsewhere, .adapterOff, .serviceMissing, .timedOut: 69
            case .system, .full: 74
            case .cancelled: 130
            }
        }
    }

    /// The kind of failure, for programs that handle the error.
    public let code: Code
    /// The name of the link or of the device, as the caller gave it.
    public let link: String
    /// The error, in words for a person.
    public let message: String
    /// What the user can do about the error; nil if unknown.
    public let remedy: String?
    /// The error message of the system or of a library; nil if neither reported the failure.
    public let underlying: String?
    /// Number of bytes of a send that were not passed to the link; 0 for other failures.
    public let undelivered: Int

    /// Creates an error from its parts.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - link: the name of the link or of the device.
    ///   - message: the error, in words for a person.
    ///   - remedy: what the user can do about the error.
    ///   - underlying: the error message of the system.
    ///   - undelivered: number of bytes that were not sent.
    public init(
        _ code: Code, link: String, _ message: String, remedy: String? = nil, underlying: String? = nil,
        undelivered: Int = 0
    ) {
        self.code = code
        self.link = link
        self.message = message
        self.remedy = remedy
        self.underlying = underlying
        self.undelivered = undelivered
    }

    /// The same error with another number of unsent bytes.
    package func leaving(undelivered: Int) -> LinkError {
        LinkError(
            code, link: link, message, remedy: remedy, underlying: underlying, undelivered: undelivered)
    }

    /// Link, message, cause, number of unsent bytes, and remedy, in one line.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        let lost = undelivered > 0 ? "; \(undelivered) bytes were not sent" : ""
        let help = remedy.map { "; \($0)" } ?? ""
        return "\(link): \(message)\(cause)\(lost)\(help)"
    }
}
