public import JackdawCards
import JackdawBytes

// A host's protocol as values: the program that carries a request out has the connection.

/// A request to a host over HTTP.
public struct HTTPRequest: Sendable {
    /// The method of a request.
    public enum Method: String, Sendable, Hashable, CaseIterable {
        /// Reads, and changes nothing.
        case get = "GET"
        /// Makes something new, or starts an action.
        case post = "POST"
        /// Replaces what a path names.
        case put = "PUT"
        /// Removes what a path names.
        case delete = "DELETE"
    }

    /// The method; with the path it names the route.
    public var method: Method
    /// The path after the host's base address, with a slash at its start: `/v3/payments.json`. Percent-encoded.
    public var path: String
    /// The names and values of the query, not encoded, in their order.
    public var query: [HTTPField]
    /// The headers that are not the connection's own, in their order.
    public var headers: [HTTPField]
    /// The content; empty without one.
    public var body: HTTPBody

    /// A request. By default it has no query, no headers and no content.
    public init(
        _ method: Method, _ path: String, query: [HTTPField] = [], headers: [HTTPField] = [],
        body: HTTPBody = HTTPBody()
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}

extension HTTPRequest: RedactedDescription {
    /// Method, path and number of bytes: headers and query may have secrets, and the body card data.
    public var description: String { "\(method.rawValue) \(path), \(body.count) bytes" }
}

/// A host's answer over HTTP.
public struct HTTPAnswer: Sendable {
    /// The status code, 100 to 599.
    public var status: Int
    /// The headers, in their order.
    public var headers: [HTTPField]
    /// The content; empty without one.
    public var body: HTTPBody

    /// An answer. By default it has no headers and no content.
    public init(status: Int, headers: [HTTPField] = [], body: HTTPBody = HTTPBody()) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension HTTPAnswer: RedactedDescription {
    /// Status and number of bytes.
    public var description: String { "status \(status), \(body.count) bytes" }
}

/// A name and its value, in a header or a query.
public struct HTTPField: Sendable {
    /// The name. Those of headers are compared without regard to case.
    public var name: String
    private var content: Content

    private enum Content: Sendable, Equatable {
        case plain(String)
        case secret(SecretText)
    }

    /// A field; neither part is encoded. Its value is in memory that is not wiped: use ``init(_:secret:)`` for a token.
    public init(_ name: String, _ value: String) {
        self.name = name
        content = .plain(value)
    }

    /// A field whose value is in wiped memory, such as a header with a token. Neither part is encoded.
    public init(_ name: String, secret value: SecretText) {
        self.name = name
        content = .secret(value)
    }

    /// The value. Logs do not have it. Of a secret value this is a copy in memory that is not wiped: use
    /// ``withValue(_:)`` if possible.
    public var value: String {
        get {
            switch content {
            case .plain(let text): text
            case .secret(let text): text.revealedText()
            }
        }
        set { content = .plain(newValue) }
    }

    /// Runs a body over the bytes of the value. The caller wipes any copy that the body makes of a secret value.
    public func withValue<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch content {
        case .plain(let text):
            let bytes = Array(text.utf8)
            return try body(bytes.span)
        case .secret(let text): return try text.withRevealedText(body)
        }
    }
}

extension HTTPField: Hashable {
    /// Hashes the name: a hash of a secret value would be a trace of it.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension HTTPField: RedactedDescription {
    /// The name: a value may be a token.
    public var description: String { name }
}

/// The content of a message, in memory that is wiped when its last holder releases it.
public struct HTTPBody: RedactedDescription, Sendable, Equatable {
    private let text: SecretText?

    /// A body without bytes.
    public init() { text = nil }

    /// Copies bytes. The caller wipes the original.
    public init(copying bytes: Span<UInt8>) { text = bytes.isEmpty ? nil : SecretText(copying: bytes) }

    /// The number of bytes.
    public var count: Int { text?.count ?? 0 }

    /// Runs a body over the bytes. The caller wipes any copy that the body makes.
    public func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let text else { return try body(Span()) }
        return try text.withRevealedText(body)
    }

    /// The number of bytes.
    public var description: String { "\(count) hidden bytes" }
}

extension HTTPBody {
    /// The bytes with other ones after them.
    func followed(by other: HTTPBody) -> HTTPBody {
        guard other.count > 0 else { return self }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + other.count)
        defer { bytes.wipeCapacity() }
        for body in [self, other] {
            body.withBytes { span in
                for index in span.indices { bytes.append(span[index]) }
            }
        }
        return HTTPBody(copying: bytes.span)
    }

    /// The bytes before a place, and those from it on.
    func divided(at place: Int) -> (HTTPBody, HTTPBody) {
        guard place < count else { return (self, HTTPBody()) }
        return withBytes { bytes in
            (HTTPBody(copying: bytes.extracting(..<place)), HTTPBody(copying: bytes.extracting(place...)))
        }
    }
}

extension HTTPBody: Hashable {
    /// Hashes the number of bytes: a hash of the bytes would be a trace of them.
    public func hash(into hasher: inout Hasher) { hasher.combine(count) }
}

extension Array<UInt8> {
    /// Copies bytes. The caller wipes a copy of secret ones.
    package init(span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }
}
