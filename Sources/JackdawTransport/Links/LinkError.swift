/// Why a link to a device could not be opened, or ended: what is wrong, what to do about it, and what lies underneath.
public struct LinkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. A struct, so that kinds can be added.
    public struct Code: Sendable, Hashable {
        enum Kind: String {
            case badName, notFound, busy, notPermitted, unsupported, disconnected, system
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
        /// The device cannot do what is asked for: a rate, a format, a direction.
        public static let unsupported = Code(kind: .unsupported)
        /// The device was there, and has gone.
        public static let disconnected = Code(kind: .disconnected)
        /// The system failed in another way; ``LinkError/underlying`` has its words.
        public static let system = Code(kind: .system)

        /// A name for machines: `notFound`, `busy`, ...
        public var name: String { kind.rawValue }

        /// The exit status of a command that fails with this code (sysexits.h): 64 usage, 69 device missing or busy, 74 I/O
        /// error.
        public var exitStatus: Int32 {
            switch kind {
            case .badName: 64
            case .notFound, .busy, .notPermitted, .unsupported, .disconnected: 69
            case .system: 74
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

    /// An error.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - link: the name of the link or of the device.
    ///   - message: what is wrong.
    ///   - remedy: what to do about it.
    ///   - underlying: the words of the system.
    public init(
        _ code: Code, link: String, _ message: String, remedy: String? = nil, underlying: String? = nil
    ) {
        self.code = code
        self.link = link
        self.message = message
        self.remedy = remedy
        self.underlying = underlying
    }

    /// Link, message, cause and remedy in one line.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        let help = remedy.map { "; \($0)" } ?? ""
        return "\(link): \(message)\(cause)\(help)"
    }
}
