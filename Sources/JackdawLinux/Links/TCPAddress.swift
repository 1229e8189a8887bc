public import JackdawTransport

/// A port of a host: `reader.example:4000`, `192.0.2.7:4000` or `[2001:db8::7]:4000`.
public struct TCPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The host's name, or its address in digits without brackets; never empty.
    public let host: String
    /// The port; 0 is any that is free, for one that listens.
    public let port: UInt16

    /// An address.
    /// - Parameters:
    ///   - host: the host's name or its address in digits, not empty.
    ///   - port: the port.
    public init(host: String, port: UInt16) {
        precondition(!host.isEmpty, "a host has a name")
        self.host = host
        self.port = port
    }

    /// Reads the address of a link.
    /// - Parameter link: a name with the scheme `tcp`.
    /// - Throws: `LinkError` with code `badName`.
    public init(_ link: LinkName) throws(LinkError) {
        func bad(_ message: String) -> LinkError {
            LinkError(.badName, link: link.description, message, remedy: "write it as tcp:HOST:PORT or tcp:[::1]:PORT")
        }
        guard link.scheme == .tcp else { throw bad("no name of a link over TCP") }
        guard let colon = link.address.lastIndex(of: ":"), !link.address.hasSuffix("]") else {
            throw bad("a port is missing behind the host")
        }
        let digits = link.address[link.address.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else {
            throw bad("no port, which are 0 to 65535")
        }
        var host = link.address[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw bad("an address with colons stands in brackets")
        }
        guard !host.isEmpty, !host.contains(where: { "[]".contains($0) || $0.isWhitespace || $0 == "\0" }) else {
            throw bad("no name or address of a host")
        }
        self.init(host: String(host), port: port)
    }

    /// The name of a link to it.
    public var link: LinkName { LinkName(.tcp, description) }

    /// Host, colon and port, with brackets around a host that has colons.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
