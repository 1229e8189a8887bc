#if Payments
internal import JackdawBytes
import JackdawPayments

// The parts of a request as text, without a character by which a value could become another header or request.

extension HTTPRequest {
    /// The address of the request: the host's base address, path and query.
    /// - Throws: `HTTPFailure` with `invalidRequest` if the path has a character that a path has not.
    func address(at base: String) throws(HTTPFailure) -> String {
        let isPath = path.utf8.allSatisfy {
            (0x21...0x7E).contains($0) && ![UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\")].contains($0)
        }
        guard path.hasPrefix("/"), isPath else {
            throw HTTPFailure(.invalidRequest, message: "The path of a request has a character that no path has.")
        }
        var address = base + path
        for (index, field) in query.enumerated() {
            address += (index == 0 ? "?" : "&") + field.name.percentEncoded + "=" + field.value.percentEncoded
        }
        return address
    }

    /// Checks the headers of the request.
    /// - Throws: `HTTPFailure` with `invalidRequest` if a name or a value has a character that HTTP does not allow
    ///   there, or the header is one that the connection makes.
    func checkHeaders() throws(HTTPFailure) {
        for header in headers {
            guard !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenCharacter),
                header.withValue({ value in value.indices.allSatisfy { value[$0].isFieldCharacter } })
            else {
                throw HTTPFailure(.invalidRequest, message: "A header has a character that HTTP does not allow.")
            }
            guard !Self.ownHeaders.contains(header.name.lowercased()) else {
                throw HTTPFailure(.invalidRequest, message: "A request cannot set the header \(header.name).")
            }
        }
    }

    /// Runs a body over the line of each header, which has no end of line, but a byte of 0. The line is overwritten
    /// after that.
    func forEachHeaderLine(_ body: (Span<UInt8>) throws(HTTPFailure) -> Void) throws(HTTPFailure) {
        for header in headers {
            var line = Array(header.name.utf8)
            defer { line.wipe() }
            header.withValue { value in
                line.growWiping(toHold: line.count + value.count + 3)
                // libcurl takes a name with a colon and no value as the wish to leave the header out.
                let isEmpty = value.indices.allSatisfy { value[$0] == 0x20 || value[$0] == 0x09 }
                line += isEmpty ? ";".utf8 : ": ".utf8
                for index in value.indices where !isEmpty { line.append(value[index]) }
                line.append(0)
            }
            try body(line.span)
        }
        // Without these lines libcurl adds a type of its own, and waits for the host's consent to a long body.
        if !headers.contains(where: { $0.name.lowercased() == "content-type" }) {
            try body(Array("Content-Type:\0".utf8).span)
        }
        try body(Array("Expect:\0".utf8).span)
    }

    /// The headers that the connection makes.
    private static let ownHeaders: Set = [
        "connection", "content-length", "expect", "host", "keep-alive", "proxy-connection", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
}

extension UInt8 {
    /// Whether a header's value may have the character: printable ASCII, space or tab.
    fileprivate var isFieldCharacter: Bool { (0x20...0x7E).contains(self) || self == 0x09 }

    /// Whether a header's name may have the character (RFC 9110, section 5.6.2).
    fileprivate var isTokenCharacter: Bool { isUnreserved || "!#$%&'*+^`|".utf8.contains(self) }
}
#endif
