/// A message of JSONPOS: JSON-RPC 2.0, with objects for parameters, results and errors, and texts for identifiers.
package enum JSONPOSMessage: Hashable, Sendable {
    /// Something is asked, or told where there is no identifier.
    case request(method: String, parameters: JSONValue, id: String?)
    /// What was asked is answered.
    case result(JSONValue, id: String)
    /// What was asked is refused.
    case failure(code: Int, message: String, id: String?)

    /// Bytes of an object that are looked into at most: what no swipe and no payment needs. Longer ones carry a terminal's
    /// network, which this is no use for.
    static let greatestBody = 16_384
    private static let bodyStart = 9
    private static let version = "2.0"

    /// Reads a frame.
    /// - Parameter frame: a whole one of ``JSONPOSFormat``.
    /// - Throws: `JSONValue.Fault` where it is no such message.
    package init(_ frame: Span<UInt8>) throws(JSONValue.Fault) {
        let body = (Self.bodyStart..<frame.count - 1).map { frame[$0] }
        let object = try JSONValue(body, most: Self.greatestBody)
        let id = object["id"]?.text
        guard object["jsonrpc"] == .text(Self.version) else { throw JSONValue.Fault(message: "it is no JSON-RPC 2.0") }
        if let method = object["method"]?.text {
            self = .request(method: method, parameters: object["params"] ?? .object([:]), id: id)
        } else if let error = object["error"] {
            let code = error["code"]?.number.flatMap { Int(exactly: $0) } ?? 1
            self = .failure(code: code, message: error["message"]?.text ?? "", id: id)
        } else if let result = object["result"], let id {
            self = .result(result, id: id)
        } else {
            throw JSONValue.Fault(message: "it asks, answers and refuses nothing")
        }
    }

    /// The frame.
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
        case .failure(let code, let message, let id):
            members["error"] = .object(["code": .number(Double(code)), "message": .text(message)])
            members["id"] = id.map { .text($0) } ?? .null
        }
        // What is said here is short.
        return (try? JSONPOSFormat.frame(JSONValue.object(members).encoded())) ?? []
    }
}
