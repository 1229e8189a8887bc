import JackdawReaders

/// The reason why a file does not describe an issuer or a payer: a code, the place in the file and a message. It has no
/// value of the file, which may be a key or a PIN.
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
    /// The member of the file: `rules[2].scripts[0].commands[1]`.
    public let place: String
    /// The error, and the value that would be right.
    public let message: String

    /// Place and message in one line.
    public var description: String { "\(place): \(message)" }

    /// The error of the reader of files, which cards share.
    init(_ error: VirtualCardError) {
        code = Code(rawValue: error.code.rawValue)
        place = error.place
        message = error.message
    }

    /// An error with the name of the file before its place.
    init(_ error: SimulationFileError, in file: String) {
        code = error.code
        place = error.place.isEmpty ? file : "\(file): \(error.place)"
        message = error.message
    }

    /// Reads a file whose content is an object.
    /// - Parameters:
    ///   - json: a JSON object in UTF-8, at most ``VirtualCard/maxFileSize`` bytes.
    ///   - allowed: the names of its members.
    ///   - read: reads the members.
    /// - Returns: the result of `read`.
    /// - Throws: the error of the file with its place.
    static func reading<Value>(
        _ json: [UInt8], allowed: [String], _ read: (CardFileObject) throws(VirtualCardError) -> Value
    ) throws(SimulationFileError) -> Value {
        do throws(VirtualCardError) {
            let root: JSONValue
            do throws(JSONValue.Fault) {
                root = try JSONValue(json, most: VirtualCard.maxFileSize)
            } catch {
                throw VirtualCardError(.json, at: "the file", error.message)
            }
            return try read(CardFileObject(root, at: "", allowed: allowed))
        } catch {
            throw SimulationFileError(error)
        }
    }
}
