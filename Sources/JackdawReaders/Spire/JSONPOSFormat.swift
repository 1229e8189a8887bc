import JackdawBytes

/// Messages of Spire's SPm20 readers: eight hexadecimal digits of length, a colon, a JSON object, a line feed.
///
/// Source: the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
package struct JSONPOSFormat: FrameFormat {
    /// The most bytes of an object.
    package static let greatestBody = 262_134
    /// The place of the colon after the length.
    package static let colon = 8
    private static let end = UInt8(ascii: "\n")

    package init() {}

    package var greatestSize: Int { Self.colon + 1 + Self.greatestBody + 1 }

    package func start(in bytes: Span<UInt8>) -> Int? { bytes.indices.first { bytes[$0].hexadecimalValue != nil } }

    package func measure(_ bytes: Span<UInt8>) -> FrameMeasure {
        var count = 0
        for index in 0..<min(bytes.count, Self.colon) {
            guard let digit = bytes[index].hexadecimalValue else {
                return .fault(
                    index == 0
                        ? .noStart(bytes[0])
                        : FrameFault(.field, at: index, "\(bytes[index].hexadecimal) is not a hexadecimal digit"))
            }
            count = count << 4 | Int(digit)
        }
        guard bytes.count > Self.colon else { return .partial(atLeast: Self.colon + 4) }
        guard bytes[Self.colon] == UInt8(ascii: ":") else {
            return .fault(
                FrameFault(.field, at: Self.colon, "\(bytes[Self.colon].hexadecimal) in place of the colon"))
        }
        guard (2...Self.greatestBody).contains(count) else {
            return .fault(
                FrameFault(.length, at: 0, "an object of \(count) bytes; it has 2 to \(Self.greatestBody)"))
        }
        let end = Self.colon + 1 + count
        guard bytes.count > Self.colon + 1 else { return .partial(atLeast: end + 1) }
        guard bytes[Self.colon + 1] == UInt8(ascii: "{") else {
            return .fault(FrameFault(.field, at: Self.colon + 1, "an object begins with {"))
        }
        guard bytes.count > end else { return .partial(atLeast: end + 1) }
        guard bytes[end - 1] == UInt8(ascii: "}") else {
            return .fault(FrameFault(.field, at: end - 1, "an object ends with }"))
        }
        guard bytes[end] == Self.end else {
            return .fault(FrameFault(.end, at: end, "\(bytes[end].hexadecimal); the message ends with 0A"))
        }
        return .whole(end + 1)
    }

    package func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        let end = frame.count - 1
        let body = Self.colon + 1..<end
        let value =
            isRevealing ? String(decoding: body.map { frame[$0] }, as: UTF8.self) : "\(body.count) bytes of JSON"
        return [
            FrameField("length", 0..<Self.colon, "\(body.count)"),
            FrameField("colon", Self.colon..<Self.colon + 1, ":"), FrameField("object", body, value),
            FrameField("end", end..<end + 1, "0A"),
        ]
    }

    /// Makes the frame of an object.
    /// - Parameter object: JSON, from brace to brace, in UTF-8.
    /// - Returns: the frame.
    /// - Throws: ``FrameFault``: `length` if it is longer than a reader accepts, `field` if it is not an object.
    package static func frame(_ object: [UInt8]) throws(FrameFault) -> [UInt8] {
        guard object.count <= greatestBody else {
            throw FrameFault(.length, at: 0, "an object of \(object.count) bytes; the maximum is \(greatestBody)")
        }
        guard object.count >= 2, object.first == UInt8(ascii: "{"), object.last == UInt8(ascii: "}") else {
            throw FrameFault(.field, at: colon + 1, "an object begins with { and ends with }")
        }
        let digits = String(object.count, radix: 16)
        return Array((String(repeating: "0", count: colon - digits.count) + digits + ":").utf8) + object + [end]
    }
}

/// A message of JSONPOS: JSON-RPC 2.0 with objects as parameters, results and errors, and texts as identifiers.
package enum JSONPOSMessage: Hashable, Sendable {
    /// A request, or a notification if it has no identifier.
    case request(method: String, parameters: JSONValue, id: String?)
    /// The result of a request.
    case result(JSONValue, id: String)
    /// The refusal of a request, with the name of the error (`string_code`) if there is one.
    case failure(code: Int, message: String, id: String?, name: String? = nil)

    /// The most bytes of an object that is parsed, more than swipes and payments need. Longer objects carry the
    /// terminal's network traffic, which is not used here.
    static let greatestBody = 16_384
    private static let bodyStart = 9
    private static let version = "2.0"

    /// Parses a frame.
    /// - Parameter frame: a whole frame of ``JSONPOSFormat``.
    /// - Throws: `JSONValue.Fault` if it is not such a message.
    package init(_ frame: Span<UInt8>) throws(JSONValue.Fault) {
        let body = (Self.bodyStart..<frame.count - 1).map { frame[$0] }
        let object = try JSONValue(body, most: Self.greatestBody)
        let id = object["id"]?.text
        guard object["jsonrpc"] == .text(Self.version) else { throw JSONValue.Fault(.member, "it is not JSON-RPC 2.0") }
        if let method = object["method"]?.text {
            self = .request(method: method, parameters: object["params"] ?? .object([:]), id: id)
        } else if let error = object["error"] {
            // Without a code it says nothing: 0 is the number of no error.
            let code = error["code"]?.number.flatMap { Int(exactly: $0) } ?? 0
            self = .failure(
                code: code, message: error["message"]?.text ?? "", id: id, name: error["data"]?["string_code"]?.text)
        } else if let result = object["result"], let id {
            self = .result(result, id: id)
        } else {
            throw JSONValue.Fault(.member, "it is not a request, a result or an error")
        }
    }

    /// The message in its frame.
    package var frame: [UInt8] {
        var members: [String: JSONValue] = ["jsonrpc": .text(Self.version)]
        switch self {
        case .request(let method, let parameters, let id):
            members["method"] = .text(method)
            members["params"] = parameters
            if let id { members["id"] = .text(id) }
        case .result(let result, let id):
            members["result"] = result
            members["id"] = .text(id)
        case .failure(let code, let message, let id, let name):
            var error: [String: JSONValue] = ["code": .number(Double(code)), "message": .text(message)]
            if let name { error["data"] = .object(["string_code": .text(name)]) }
            members["error"] = .object(error)
            members["id"] = id.map { .text($0) } ?? .null
        }
        // Cannot throw, as these messages are short.
        return (try? JSONPOSFormat.frame(JSONValue.object(members).encoded())) ?? []
    }
}

/// The error of a request to a JSONPOS terminal.
///
/// Source: the public SDKs of Poplatek (pt-android-sdk, pt-ios-sdk).
package struct JSONPOSError: NamedNumber {
    package let rawValue: Int

    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The terminal does not have this method.
    package static let methodNotFound = JSONPOSError(rawValue: -32601)
    /// An error of the method itself, such as a payment that did not take place.
    package static let unknown = JSONPOSError(rawValue: 1)

    /// Whether the receiver did not understand the request, so that it has not executed it.
    package var isProtocolError: Bool { [-32700, -32600, -32601, -32602].contains(rawValue) }

    package static let names: [Int: String] = [
        -32700: "JSONRPC_PARSE_ERROR", -32600: "INVALID_REQUEST", -32601: "METHOD_NOT_FOUND", -32602: "INVALID_PARAMS",
        -32603: "INTERNAL_ERROR", -32000: "KEEPALIVE", 1: "UNKNOWN",
    ]

    package var description: String { "\(rawValue) \(Self.names[rawValue] ?? "unknown")" }
}

/// Checks and explains messages of Spire's SPm20 readers with their objects: ``JSONPOSFormat`` only uses the length to
/// cut them out of a stream.
struct JSONPOSExplainer: FrameExplainer {
    private let format = JSONPOSFormat()

    /// Checks that the bytes are exactly one message.
    /// - Throws: ``FrameFault`` if the frame is not valid, or its object is not a message.
    func check(_ bytes: Span<UInt8>) throws(FrameFault) {
        try format.check(bytes)
        do throws(JSONValue.Fault) {
            _ = try JSONPOSMessage(bytes)
        } catch {
            throw FrameFault(.field, at: JSONPOSFormat.colon + 1, error.message)
        }
    }

    func fields(of frame: Span<UInt8>, isRevealing: Bool) -> [FrameField] {
        format.fields(of: frame, isRevealing: isRevealing)
    }
}
