/// The system's calls for sockets, one for one, so that tests can play the system.
package protocol SocketCalls: StreamCalls {
    /// Makes a socket. The corresponding C function is `socket`.
    func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32

    /// Sets an option. The corresponding C function is `setsockopt`.
    func setOption(_ descriptor: Int32, _ option: SocketOption) throws(SystemFailure)

    /// Begins to connect; `EINPROGRESS` says that it goes on. The corresponding C function is `connect`.
    func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// The failure that waits at a socket, which then forgets it; nil where none does. The corresponding C function is
    /// `getsockopt` with `SO_ERROR`.
    func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure?

    /// Whether a socket has another side. The corresponding C function is `getpeername`.
    func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool

    /// The address of a socket's other side. The corresponding C function is `getpeername`.
    func peer(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress

    /// The address of a socket's own side. The corresponding C function is `getsockname`.
    func address(_ descriptor: Int32) throws(SystemFailure) -> SocketAddress

    /// Gives a socket its own address. The corresponding C function is `bind`.
    func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// Begins to take connections. The corresponding C function is `listen`.
    func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure)

    /// Takes a connection that waits. The corresponding C function is `accept4`.
    func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32
}
