package import JackdawPayments

extension HTTPRequest {
    /// A request by the target of its request line, in origin form (RFC 9112, 3.2.1): `/v3/payments/search.json?page=2`.
    /// It is nil if the target does not begin with a slash, or its query cannot be decoded.
    /// - Parameters:
    ///   - method: the method.
    ///   - target: the path, and the query in `application/x-www-form-urlencoded`.
    ///   - headers: the headers.
    ///   - body: the content.
    package init?(_ method: Method, target: String, headers: [HTTPField], body: HTTPBody) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.hasPrefix("/") else { return nil }
        var query: [HTTPField] = []
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let texts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { text in
                String(text.map { $0 == "+" ? " " : $0 }).percentDecoded
            }
            guard let name = texts[0], let value = texts.count > 1 ? texts[1] : "" else { return nil }
            query.append(HTTPField(name, value))
        }
        self.init(method, String(path), query: query, headers: headers, body: body)
    }
}

extension HTTPAnswer {
    /// An answer to a request that does not reach the sandbox.
    /// - Parameters:
    ///   - status: the status, 400 to 599.
    ///   - code: the code for programs.
    ///   - message: the message for people, without a value of the request.
    ///   - headers: the headers beside that of the content's type.
    /// - Returns: an answer in the form of the sandbox's own errors.
    package static func refusal(
        _ status: Int, _ code: String, _ message: String, headers: [HTTPField] = []
    ) -> HTTPAnswer {
        WireRefusal(status, code, message, headers: headers).answer
    }
}
