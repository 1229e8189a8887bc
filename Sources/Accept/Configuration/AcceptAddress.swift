/// An address over HTTP, checked in the parts that matter to a till: scheme, name, port and path (RFC 3986).
struct AcceptAddress: Sendable, Hashable {
    /// Whether the scheme is `https`.
    let isSecure: Bool
    /// The name or the number of the host, without brackets.
    let host: String

    /// The most bytes of an address, as in the sandbox.
    static let maxBytes = 2048

    /// Reads an address; nil if it is none of http or https, has a user, a fragment or other characters than printable
    /// ASCII, or its host or port is malformed.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maxBytes, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.utf8.contains(where: { [UInt8(ascii: "#"), UInt8(ascii: "\\")].contains($0) })
        else { return nil }
        let lower = text.prefix(8).lowercased()
        guard lower == "https://" || lower.hasPrefix("http://") else { return nil }
        isSecure = lower == "https://"
        let rest = text.utf8.dropFirst(isSecure ? 8 : 7)
        let authority = rest.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        guard let (host, port) = Self.split(Substring(authority)) else { return nil }
        if let port {
            guard (1...5).contains(port.utf8.count), let number = Int(port), (1...65_535).contains(number) else {
                return nil
            }
        }
        self.host = host
    }

    /// Whether it leads to this computer: `localhost`, `::1`, or four numbers of which the first is 127. A name that
    /// begins alike leads anywhere.
    var isLoopback: Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy { part in
                (1...3).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    private static func split(_ authority: Substring) -> (host: String, port: Substring?)? {
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard !host.isEmpty, host.utf8.allSatisfy({ $0.isHexadecimalDigit || $0 == 0x3A || $0 == 0x2E }) else {
                return nil
            }
            guard !rest.isEmpty else { return (host.lowercased(), nil) }
            return rest.hasPrefix(":") ? (host.lowercased(), rest.dropFirst()) : nil
        }
        let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, (1...253).contains(host.utf8.count),
            host.utf8.allSatisfy({ $0.isNameCharacter })
        else { return nil }
        return (host.lowercased(), parts.count == 2 ? parts[1] : nil)
    }
}

extension UInt8 {
    fileprivate var isHexadecimalDigit: Bool {
        (0x30...0x39).contains(self) || (0x41...0x46).contains(self) || (0x61...0x66).contains(self)
    }

    /// Whether it may be in the name of a host (RFC 1123, 2.1).
    fileprivate var isNameCharacter: Bool {
        (0x30...0x39).contains(self) || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
            || self == UInt8(ascii: "-") || self == UInt8(ascii: ".")
    }
}
