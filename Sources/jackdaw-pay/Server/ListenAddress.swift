import JackdawSystem

/// A host and a port to listen on: `127.0.0.1:8443`, `[::1]:8443`.
struct ListenAddress: Sendable {
    /// A name, or a numeric address without brackets.
    let host: String
    /// The port; 0 lets the system choose.
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Reads the text of an address; nil if it has no port, or a numeric address of IPv6 has no brackets.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        let hasBrackets = host.hasPrefix("[") && host.hasSuffix("]")
        if hasBrackets { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, hasBrackets == host.contains(":") else { return nil }
        self.init(host: String(host), port: Int(port))
    }

    /// Whether only programs of this computer can connect. A name other than `localhost` may be any address.
    var isLoopback: Bool {
        host.lowercased() == "localhost" || HostLookup().numeric(host, port: 0)?.allSatisfy(\.isLoopback) == true
    }

    /// Whether it is the address for all of this computer's addresses.
    var isAny: Bool { ["0.0.0.0", "::"].contains(host) }

    /// The host and a port as in an address of HTTP.
    func authority(_ port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
