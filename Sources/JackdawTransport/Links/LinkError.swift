/// Why a link to a device could not be opened, or ended: what is wrong, what to do about it, and what lies underneath.
public struct LinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String, CaseIterable {
            case badName, notFound, busy, notPermitted, unsupported, disconnected, system
            case outOfRange, refused, rejected, pairedElsewhere, adapterOff, serviceMissing, timedOut, cancelled,
                badAnswer, full
        }

        let kind: Kind

        /// What was to be opened is no name of a link.
        public static let badName = Code(kind: .badName)
        /// There is no such device.
        public static let notFound = Code(kind: .notFound)
        /// Another program has the device.
        public static let busy = Code(kind: .busy)
        /// The device is there, and this user may not open it.
        public static let notPermitted = Code(kind: .notPermitted)
        /// The device or the system cannot do what is asked for: a rate, a format, a kind of link.
        public static let unsupported = Code(kind: .unsupported)
        /// The device was there, and has gone.
        public static let disconnected = Code(kind: .disconnected)
        /// The device does not answer: it is off, asleep or too far away.
        public static let outOfRange = Code(kind: .outOfRange)
        /// The device answers, and offers nothing there.
        public static let refused = Code(kind: .refused)
        /// The device, or whoever was asked, would not pair.
        public static let rejected = Code(kind: .rejected)
        /// The device has forgotten this computer's keys, or belongs to another one.
        public static let pairedElsewhere = Code(kind: .pairedElsewhere)
        /// This computer's radio is switched off, or there is none.
        public static let adapterOff = Code(kind: .adapterOff)
        /// The service that is needed is not there: the system's does not run, or the device has none of that name.
        public static let serviceMissing = Code(kind: .serviceMissing)
        /// It took longer than was allowed.
        public static let timedOut = Code(kind: .timedOut)
        /// Whoever asked for it has given it up.
        public static let cancelled = Code(kind: .cancelled)
        /// The device answers in a way that its protocol does not know.
        public static let badAnswer = Code(kind: .badAnswer)
        /// The transcript that is kept of the link takes no more: it has the greatest size that can be read again, or cannot be
        /// written, as on a full disk.
        public static let full = Code(kind: .full)
        /// The system failed in another way; ``LinkError/underlying`` has its words.
        public static let system = Code(kind: .system)

        /// A name for machines: `notFound`, `busy`, ...
        public var name: String { kind.rawValue }

        /// Whether the reason may pass by itself, so that the same can work later; false where somebody has to do something
        /// first.
        public var mayPass: Bool {
            switch kind {
            case .notFound, .busy, .disconnected, .outOfRange, .refused, .adapterOff, .serviceMissing, .timedOut: true
            // A line of noise and a system that is short of something look like these.
            case .badAnswer, .system: true
            case .badName, .notPermitted, .unsupported, .rejected, .pairedElsewhere, .cancelled, .full: false
            }
        }

        /// The exit status of a command that fails with this code (sysexits.h): 64 usage, 65 bad data, 69 device missing or
        /// busy, 74 I/O error; 130 interrupted.
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

    /// The kind of failure.
    public let code: Code
    /// The name of the link or of the device, as it was given.
    public let link: String
    /// What is wrong.
    public let message: String
    /// What to do about it; nil where nobody knows.
    public let remedy: String?
    /// The words of the system or of a library, where one of them reported the failure.
    public let underlying: String?
    /// Bytes that were to be sent and were not given to the link; 0 where none were.
    public let undelivered: Int

    /// An error.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - link: the name of the link or of the device.
    ///   - message: what is wrong.
    ///   - remedy: what to do about it.
    ///   - underlying: the words of the system.
    ///   - undelivered: bytes that were not sent.
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

    /// The same error with another number of bytes that were not sent.
    func leaving(undelivered: Int) -> LinkError {
        LinkError(
            code, link: link, message, remedy: remedy, underlying: underlying, undelivered: undelivered)
    }

    /// Link, message, cause, what was not sent, and remedy in one line.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        let lost = undelivered > 0 ? "; \(undelivered) bytes were not sent" : ""
        let help = remedy.map { "; \($0)" } ?? ""
        return "\(link): \(message)\(cause)\(lost)\(help)"
    }
}
