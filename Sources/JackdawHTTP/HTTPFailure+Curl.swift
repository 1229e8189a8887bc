#if Payments
internal import CCurl
import JackdawPayments

extension HTTPFailure {
    /// The failure of a transfer.
    /// - Parameters:
    ///   - result: libcurl's code.
    ///   - hasBegun: whether the request may have gone out.
    ///   - isTooLarge: whether the answer exceeded a limit.
    ///   - text: libcurl's text, which is used only for connections: later ones may have parts of an answer.
    ///   - usesProxy: whether there may be a proxy. Then texts about trust alone are used: others may have its address,
    ///     with a password.
    init(_ result: CURLcode, hasBegun: Bool, isTooLarge: Bool, text: String, usesProxy: Bool) {
        let words = CurlHandle.words(of: result)
        guard hasBegun else {
            let code = Self.connectionCode(result, text)
            let isUsable = !text.isEmpty && (!usesProxy || code == .notTrusted)
            let message = Self.connectionMessage(code) + " (\(Self.printable(isUsable ? text : words)))"
            self.init(code, isCertainlyNotSent: true, message: message)
            return
        }
        if isTooLarge {
            self.init(.tooLarge, message: "The answer of the host is too large.")
            return
        }
        switch result {
        case CURLE_OPERATION_TIMEDOUT: self.init(.timedOut, message: "The host did not answer within the time limit.")
        // The second code is that of a line of 100 KiB without an end; later versions return 100, CURLE_TOO_LARGE.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100):
            self.init(.tooLarge, message: "The answer of the host is too large.")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self.init(.malformed, message: "The answer of the host is not HTTP (\(words)).")
        case CURLE_ABORTED_BY_CALLBACK:
            self.init(.cut, message: "The connection ended before the host answered.")
        default: self.init(.cut, message: "The connection ended before the whole answer had come (\(words)).")
        }
    }

    /// The code of a failure before the request.
    private static func connectionCode(_ result: CURLcode, _ text: String) -> Code {
        switch result {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER, CURLE_SSL_CERTPROBLEM:
            .notTrusted
        case CURLE_SSL_CONNECT_ERROR:
            // libcurl has one code for a host that speaks no TLS 1.2, and for a connection that ends in the handshake.
            ["SYSCALL", "eof", "reset"].contains { text.contains($0) } ? .unreachable : .notTrusted
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT: .system
        case CURLE_URL_MALFORMAT: .invalidRequest
        default: .unreachable
        }
    }

    private static func connectionMessage(_ code: Code) -> String {
        switch code {
        case .notTrusted: "The host is not trusted"
        case .system: "The HTTP library failed"
        case .invalidRequest: "The address of the request is not valid"
        default: "The host cannot be reached"
        }
    }

    /// A text of the library with printable ASCII alone, at most 256 characters.
    private static func printable(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(256).filter { (0x20...0x7E).contains($0.value) }))
    }

    /// The failure of a cancelled task.
    static func cancelled(hasBegun: Bool) -> HTTPFailure {
        HTTPFailure(.cancelled, isCertainlyNotSent: !hasBegun, message: "The task was cancelled.")
    }
}
#endif
