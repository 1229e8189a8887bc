internal import CLinux
import Glibc

extension SocketOption {
    /// What a link to a reader needs: commands go out at once, and a reader that has gone without a word is missed after a
    /// minute, whether or not it has something to confirm (tcp(7)).
    package static let readerLink: [SocketOption] = [
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1)),
        SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE, value: Int32(1)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: Int32(30)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: Int32(10)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: Int32(3)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, value: UInt32(60_000)),
    ]

    /// What a port is listened at with: at once after the program before it has ended.
    package static let reusedAddress = SocketOption(level: SOL_SOCKET, name: SO_REUSEADDR, value: Int32(1))
}
