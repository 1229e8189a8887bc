internal import CLinux
import Glibc

extension SocketAddress {
    /// The kind of socket that carries a stream to an address of a network; nil where it is none of these.
    package var streamKind: SocketKind? {
        guard let family, family == AF_INET || family == AF_INET6 else { return nil }
        return SocketKind(domain: family, type: Int32(SOCK_STREAM.rawValue), protocolNumber: Int32(IPPROTO_TCP))
    }

    /// Whether only programs of this computer can connect there.
    package var isLoopback: Bool {
        if family == AF_INET, let address = self.as(sockaddr_in.self) {
            return UInt32(bigEndian: address.sin_addr.s_addr) >> 24 == 127
        }
        // Its address lies behind the family, the port and the flow (`sockaddr_in6`).
        guard family == AF_INET6, bytes.count >= 24 else { return false }
        let host = Array(bytes[8..<24])
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127]
        return host == [UInt8](repeating: 0, count: 15) + [1] || host.starts(with: mapped)
    }

    /// The host's address in digits, and the port; nil where this is no address of a network.
    package var network: (host: String, port: UInt16)? {
        guard streamKind != nil else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let result = unsafe bytes.withUnsafeBytes { bytes in
            unsafe getnameinfo(
                bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count), &host,
                socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        }
        guard result == 0, let number = UInt16(Self.text(port)) else { return nil }
        return (Self.text(host), number)
    }

    private var family: Int32? { self.as(sa_family_t.self).map { Int32($0) } }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
