/// The reason why a file does not describe a card, an issuer or a payer: a code, the place in the file and a message. It has
/// no value of the file, which may be a key or a PIN.
public struct SimulationFileError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error. A struct, so that later versions can add codes.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The file is not JSON, or too long.
        public static let json = Code(rawValue: "json")
        /// A member is missing or unknown.
        public static let member = Code(rawValue: "member")
        /// A value has the wrong type.
        public static let kind = Code(rawValue: "kind")
        /// A value has the wrong number of octets.
        public static let length = Code(rawValue: "length")
        /// A value is out of its range, or contradicts another one.
        public static let value = Code(rawValue: "value")
        /// A key cannot be used.
        public static let key = Code(rawValue: "key")
        /// A file that is named as base is missing, has no end, or lacks a place that is changed.
        public static let base = Code(rawValue: "base")
        /// A key is not published for tests.
        public static let notPublished = Code(rawValue: "notPublished")
    }

    /// The kind of error, for programs that handle it.
    public let code: Code
    /// The member of the file: `applications[0].records[2].objects.5A`; `the file` for the whole of it.
    public let place: String
    /// The error, and the value that would be right.
    public let message: String

    /// - Parameters:
    ///   - code: the kind of error.
    ///   - place: the member; empty for the whole file.
    ///   - message: the error, without a value of the file.
    package init(_ code: Code, at place: String, _ message: String) {
        self.code = code
        self.place = place.isEmpty ? "the file" : place
        self.message = message
    }

    /// Place and message in one line.
    public var description: String { "\(place): \(message)" }

    /// An error with the name of the file before its place.
    init(_ error: SimulationFileError, in file: String) {
        self.init(error.code, at: "\(file): \(error.place)", error.message)
    }
}
