#if Payments
internal import CCurl
public import JackdawCards
public import JackdawPayments

/// The host of a client: its address, and the client's demands.
public struct HTTPHost: Sendable, Hashable {
    /// The certification authorities that may vouch for the host.
    public enum Authorities: Sendable, Hashable {
        /// Those of the operating system.
        case system
        /// Those of a file in PEM form, and no others.
        case file(String)
    }

    /// The proxy between client and host.
    public enum Proxy: Sendable, Hashable {
        /// No proxy; environment variables are ignored.
        case none
        /// A proxy by its address, such as `http://proxy.example:3128` or `socks5h://127.0.0.1:1080`, for all hosts;
        /// environment variables are ignored.
        case named(String)
        /// The proxy of the variables `https_proxy`, `all_proxy` and `no_proxy`.
        case environment
    }

    /// The base address: scheme, name, port and path, without a slash at the end.
    public let address: String
    /// Whether the connection is not encrypted, which only an address of this computer may have.
    let isPlain: Bool

    /// Default: those of the operating system.
    public var authorities = Authorities.system
    /// The public keys of which the host's certificate must have one, besides a trusted authority. Empty: any key.
    public var pins: [PublicKeyPin] = []
    /// Default: none, whatever the environment says.
    public var proxy = Proxy.none
    /// The longest time until a connection is open, TLS included. Default: 10 s.
    public var connectLimit = Duration.seconds(10)
    /// The most bytes of an answer's headers, of all its parts together, 1 or more. Default: 65,536.
    public var maxHeaderBytes = 65_536
    /// The most bytes of an answer's body, 0 or more. Default: 4,194,304.
    public var maxBodyBytes = 4_194_304

    /// A host with default settings.
    /// - Parameter address: the base address: `https://pay.example.com`. A path in it comes before that of each request.
    ///   With `http` only an address of this computer is allowed: `localhost`, `127.0.0.0/8` or `[::1]`.
    /// - Throws: `HTTPFailure` with `invalidRequest` if the text is not such an address, or has a user, a query or a
    ///   fragment.
    public init(_ address: String) throws(HTTPFailure) {
        let parts = try AddressParts(address)
        guard parts.scheme == "https" || (parts.scheme == "http" && parts.isLoopback) else {
            throw Self.wrong("needs https, or http to this computer")
        }
        guard !parts.hasMore else { throw Self.wrong("must have no user, query or fragment") }
        var base = address[...]
        while base.hasSuffix("/") { base.removeLast() }
        self.address = String(base)
        isPlain = parts.scheme == "http"
    }

    /// Whether requests may go through a proxy.
    var mayUseProxy: Bool { !isPlain && proxy != .none }

    fileprivate static func wrong(_ reason: String) -> HTTPFailure {
        HTTPFailure(.invalidRequest, message: "The address of the host \(reason).")
    }
}

/// The SHA-256 hash of a public key (SubjectPublicKeyInfo in DER), as RFC 7469 pins keys.
public struct PublicKeyPin: Sendable, Hashable {
    /// The hash in Base64, 44 characters.
    public let hash: String

    /// A pin; nil if the text is not the Base64 of 32 bytes.
    /// - Parameter hash: the hash of 32 bytes in Base64, as
    ///   `openssl x509 -pubkey | openssl pkey -pubin -outform DER | openssl dgst -sha256 -binary | base64` prints it.
    public init?(sha256 hash: String) {
        let isBase64 = hash.utf8.dropLast().allSatisfy {
            switch $0 {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
        guard isBase64, hash.utf8.count == 44, hash.hasSuffix("=") else { return nil }
        self.hash = hash
    }
}

/// The parts of an address, as libcurl reads it: the client must not read it in another way.
private struct AddressParts {
    let scheme: String
    let isLoopback: Bool
    /// Whether it has a user, a query or a fragment.
    let hasMore: Bool

    init(_ address: String) throws(HTTPFailure) {
        let isPlainText = address.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
        guard isPlainText, address.utf8.count <= 2_048, let parts = unsafe curl_url() else {
            throw HTTPHost.wrong("has more than 2,048 characters, or one that no address has")
        }
        defer { unsafe curl_url_cleanup(parts) }
        guard unsafe curl_url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK,
            let scheme = unsafe Self.part(CURLUPART_SCHEME, of: parts),
            let host = unsafe Self.part(CURLUPART_HOST, of: parts)
        else { throw HTTPHost.wrong("cannot be read") }
        self.scheme = scheme
        isLoopback = host == "localhost" || host == "[::1]" || Self.isLoopback4(host)
        hasMore = [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT].contains {
            unsafe Self.part($0, of: parts) != nil
        }
    }

    private static func part(_ part: CURLUPart, of parts: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(parts, part, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }

    /// Whether it is an IPv4 address of the form 127.x.x.x: libcurl has brought all other forms of numbers to this one.
    private static func isLoopback4(_ host: String) -> Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }
}

extension HTTPHost.Proxy: RedactedDescription {
    /// The kind alone: an address may have a password.
    public var description: String {
        switch self {
        case .none: "no proxy"
        case .named: "a named proxy"
        case .environment: "the environment's proxy"
        }
    }
}
#endif
