#if Payments
internal import JackdawBytes
import JackdawPayments

/// Makes an answer of the lines and bytes that libcurl hands over, within limits.
struct AnswerReader {
    private let maxHeaderBytes: Int
    private let maxBodyBytes: Int
    private var headerBytes = 0
    private var headers: [HTTPField] = []
    private var body: [UInt8] = []
    /// Whether the empty line after the headers has come.
    private(set) var isHeadComplete = false
    /// Whether more bytes have come than the limits allow.
    private(set) var isTooLarge = false

    init(maxHeaderBytes: Int, maxBodyBytes: Int) {
        self.maxHeaderBytes = maxHeaderBytes
        self.maxBodyBytes = maxBodyBytes
    }

    /// Receives a line of the head with its end, or of the trailer after the body, which is counted and left out.
    /// - Returns: false if there are more bytes than the limit allows.
    mutating func receive(line: Span<UInt8>) -> Bool {
        headerBytes += line.count
        guard headerBytes <= maxHeaderBytes else {
            isTooLarge = true
            return false
        }
        var text: [UInt8] = []
        for index in line.indices where line[index] != 0x0D && line[index] != 0x0A { text.append(line[index]) }
        if text.starts(with: "HTTP/".utf8) {
            // An answer of the kind 1xx comes before the answer.
            headers = []
            isHeadComplete = false
        } else if text.isEmpty {
            isHeadComplete = true
        } else if !isHeadComplete {
            receive(field: text)
        }
        return true
    }

    private mutating func receive(field: [UInt8]) {
        if field[0] == 0x20 || field[0] == 0x09, let last = headers.indices.last {
            // A line that continues the one before (RFC 9112, section 5.2).
            headers[last].value += " " + Self.trimmed(field[...])
            return
        }
        guard let colon = field.firstIndex(of: UInt8(ascii: ":")) else { return }
        headers.append(HTTPField(Self.trimmed(field[..<colon]), Self.trimmed(field[(colon + 1)...])))
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var part = bytes.drop(while: isSpace)
        while let last = part.last, isSpace(last) { part.removeLast() }
        return String(decoding: part, as: UTF8.self)
    }

    /// Receives bytes of the body.
    /// - Returns: false if there are more than the limit allows.
    mutating func receive(body bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= maxBodyBytes - body.count else {
            isTooLarge = true
            return false
        }
        body.growWiping(toHold: body.count + bytes.count)
        for index in bytes.indices { body.append(bytes[index]) }
        return true
    }

    /// Whether the answer shows its end by itself, without the end of the connection.
    func hasLength(status: Int) -> Bool {
        status == 204 || status == 304
            || headers.contains { header in
                switch header.name.lowercased() {
                case "content-length": true
                // Of other codings the end of the connection is that of the body (RFC 9112, section 6.3).
                case "transfer-encoding": header.value.lowercased() == "chunked"
                default: false
                }
            }
    }

    /// The answer that has come.
    func answer(status: Int) -> HTTPAnswer {
        HTTPAnswer(status: status, headers: headers, body: HTTPBody(copying: body.span))
    }

    /// Overwrites the memory of the body.
    mutating func wipe() { body.wipeCapacity() }
}
#endif
