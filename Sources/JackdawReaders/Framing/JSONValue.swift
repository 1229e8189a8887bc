internal import FoundationEssentials

/// A JSON value, with limits on size and depth against hostile input.
package enum JSONValue: Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The deepest nesting of objects and arrays: no profile and no reader has more.
    package static let greatestDepth = 16

    /// The error of bytes that are not JSON, or exceed a limit.
    package struct Fault: Error, Hashable {
        /// The kind of error. More may be added.
        package struct Code: RawRepresentable, Sendable, Hashable {
            package let rawValue: String

            package init(rawValue: String) { self.rawValue = rawValue }

            /// The bytes are not JSON.
            package static let syntax = Code(rawValue: "syntax")
            /// There are too many bytes.
            package static let size = Code(rawValue: "size")
            /// Objects and arrays are nested too deeply.
            package static let depth = Code(rawValue: "depth")
            /// An object lacks a required member.
            package static let member = Code(rawValue: "member")
            /// An object has a member twice.
            package static let repeated = Code(rawValue: "repeated")
        }

        package let code: Code
        package let message: String

        package init(_ code: Code, _ message: String) {
            self.code = code
            self.message = message
        }
    }

    /// Parses a value.
    /// - Parameters:
    ///   - bytes: JSON in UTF-8, without a byte order mark.
    ///   - most: the most bytes allowed.
    /// - Throws: ``Fault`` if the bytes are not JSON, or exceed a limit.
    package init(_ bytes: [UInt8], most: Int) throws(Fault) {
        guard bytes.count <= most else { throw Fault(.size, "\(bytes.count) bytes; the maximum is \(most)") }
        // The decoder also accepts UTF-16 and UTF-32, in which the scan of the depth would not find the brackets.
        guard Self.isPlainUTF8(bytes.span) else { throw Fault(.syntax, "it is not text in UTF-8") }
        // Parsing is recursive, and threads of a server have small stacks.
        let scan = Self.scan(bytes.span)
        guard scan.depth <= Self.greatestDepth else {
            throw Fault(.depth, "more than \(Self.greatestDepth) levels of nested objects or arrays")
        }
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
        } catch {
            throw Fault(.syntax, "it is not JSON")
        }
        // Of members with the same name, the decoder keeps one. Each member has one colon.
        guard memberCount == scan.colons else { throw Fault(.repeated, "an object has a member twice") }
    }

    /// Encodes the value as UTF-8, with members sorted by name.
    /// - Parameter isForPeople: whether the text has line breaks and indentation.
    /// - Returns: the JSON text.
    package func encoded(isForPeople: Bool = false) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if isForPeople { encoder.outputFormatting.insert(.prettyPrinted) }
        // Encoding cannot fail: every number came from a program or from JSON, and is one that JSON can represent.
        return (try? encoder.encode(self)).map { Array($0) } ?? []
    }

    /// The member of an object; nil if there is no such member.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The text; nil for other kinds of value.
    package var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    /// The number; nil for other kinds of value.
    package var number: Double? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// A text of octets in base64.
    package static func base64(_ octets: [UInt8]) -> JSONValue { .text(Data(octets).base64EncodedString()) }

    /// The octets of a text in base64; nil for another value.
    package var base64Octets: [UInt8]? { text.flatMap { Data(base64Encoded: $0) }.map { Array($0) } }

    /// The kind of value in one or a few words.
    var kind: String {
        switch self {
        case .null: "null"
        case .flag: "true or false"
        case .number: "a number"
        case .text: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether the bytes are valid UTF-8 without NUL and without a byte order mark.
    private static func isPlainUTF8(_ bytes: Span<UInt8>) -> Bool {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        guard bytes.count < mark.count || !mark.indices.allSatisfy({ bytes[$0] == mark[$0] }) else { return false }
        guard bytes.indices.allSatisfy({ bytes[$0] != 0 }) else { return false }
        do {
            _ = try UTF8Span(validating: bytes)
            return true
        } catch {
            return false
        }
    }

    /// The number of members of all objects in the value.
    private var memberCount: Int {
        switch self {
        case .null, .flag, .number, .text: 0
        case .array(let values): values.reduce(0) { $0 + $1.memberCount }
        case .object(let members): members.values.reduce(members.count) { $0 + $1.memberCount }
        }
    }

    /// Returns the deepest nesting of brackets and the number of colons, both outside of texts.
    private static func scan(_ bytes: Span<UInt8>) -> (depth: Int, colons: Int) {
        var (depth, deepest, colons) = (0, 0, 0)
        var (isInText, isEscaped) = (false, false)
        for index in bytes.indices {
            switch bytes[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isInText: isEscaped = true
            case UInt8(ascii: "\""): isInText.toggle()
            case _ where isInText: break
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                deepest = max(deepest, depth)
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":"): colons += 1
            default: break
            }
        }
        return (deepest, colons)
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let members = try? container.decode([String: JSONValue].self) {
            self = .object(members)
        } else {
            self = .array(try container.decode([JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .array(let values): try container.encode(values)
        case .object(let members): try container.encode(members)
        }
    }
}
