import JackdawSystem

/// The addresses to which callbacks are sent.
enum CallbackReach: String, CaseIterable, Sendable {
    /// Programs of this computer only.
    case loopback
    /// Every address of every computer.
    case any
    /// None: callbacks are not sent.
    case none
}

/// The parts of the address of a callback. It comes from a client, so that all of it is checked.
struct CallbackAddress: Sendable, Hashable {
    let isSecure: Bool
    /// A name, or a numeric address without brackets.
    let host: String
    let port: UInt16
    /// The path and the query.
    let target: String

    /// Reads an address of http or https (RFC 9110, 4.2) without user information; nil if it is none.
    init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        let rest = text.dropFirst(isSecure ? 8 : 7).prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest[authority.endIndex...]
        var host = authority
        var port = authority[authority.endIndex...]
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<end]
            port = authority[authority.index(after: end)...]
        } else if let colon = authority.firstIndex(of: ":") {
            host = authority[..<colon]
            port = authority[colon...]
        }
        let known: UInt16 = isSecure ? 443 : 80
        guard !host.isEmpty, !authority.contains("@"), port.isEmpty || port.hasPrefix(":"),
            let number = port.isEmpty ? known : UInt16(port.dropFirst()), number > 0
        else { return nil }
        self.isSecure = isSecure
        self.host = String(host)
        self.port = number
        self.target = target.hasPrefix("/") ? String(target) : "/" + target
    }

    /// The host and the port, for the header `Host`.
    var authority: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// The address to connect to; nil if callbacks do not reach so far. Of names only `localhost` is of this computer.
    func destination(_ reach: CallbackReach) -> String? {
        let numeric = HostLookup().numeric(host, port: port)
        switch reach {
        case .none: return nil
        case .any: return host
        case .loopback:
            if host.lowercased() == "localhost" { return "127.0.0.1" }
            guard let numeric, numeric.allSatisfy(\.isLoopback) else { return nil }
            return host
        }
    }
}
