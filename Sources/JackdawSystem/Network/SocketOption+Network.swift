internal import CLinux
import Glibc

extension SocketOption {
    /// What a link to a reader needs: commands go out at once, and a reader that has gone without a word is missed after a
    /// minute, where nothing is sent that it would have to confirm.
    package static let readerLink: [SocketOption] = [
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1)),
        SocketOption(level: SOL_SOCKET, name: SO_KEEPALIVE, value: Int32(1)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, value: Int32(30)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, value: Int32(10)),
        SocketOption(level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, value: Int32(3)),
    ]

    /// What a port is listened at with: at once after the program before it has ended.
    package static let reusedAddress = SocketOption(level: SOL_SOCKET, name: SO_REUSEADDR, value: Int32(1))
}
