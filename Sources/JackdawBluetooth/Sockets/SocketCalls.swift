internal import JackdawSystem

/// The system's calls for sockets, one for one, so that tests can play the system. Descriptors never wait; a call that a
/// signal interrupts is made again.
protocol SocketCalls: Sendable {
    /// Makes a socket. The corresponding C function is `socket`.
    func socket(_ kind: SocketKind) throws(SystemFailure) -> Int32

    /// Asks for so much security before anything is connected. The corresponding C function is `setsockopt` with
    /// `BT_SECURITY`.
    func setSecurity(_ descriptor: Int32, _ level: LinkSecurity) throws(SystemFailure)

    /// Begins to connect; `EINPROGRESS` says that it goes on. The corresponding C function is `connect`.
    func connect(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// The failure that waits at a socket, which then forgets it; nil where none does. The corresponding C function is
    /// `getsockopt` with `SO_ERROR`.
    func pendingFailure(_ descriptor: Int32) throws(SystemFailure) -> SystemFailure?

    /// Whether a socket has another side. The corresponding C function is `getpeername`.
    func isConnected(_ descriptor: Int32) throws(SystemFailure) -> Bool

    /// The device at the other side of an RFCOMM socket. The corresponding C function is `getpeername`.
    func peer(_ descriptor: Int32) throws(SystemFailure) -> BluetoothAddress

    /// The channel of an RFCOMM socket's own side. The corresponding C function is `getsockname`.
    func channel(_ descriptor: Int32) throws(SystemFailure) -> UInt8

    /// Gives a socket its own address. The corresponding C function is `bind`.
    func bind(_ descriptor: Int32, to address: SocketAddress) throws(SystemFailure)

    /// Begins to take connections. The corresponding C function is `listen`.
    func listen(_ descriptor: Int32, backlog: Int) throws(SystemFailure)

    /// Takes a connection that waits. The corresponding C function is `accept4`.
    func accept(_ descriptor: Int32) throws(SystemFailure) -> Int32

    /// Receives what is there. The corresponding C function is `recv`.
    /// - Parameters:
    ///   - descriptor: the socket.
    ///   - bytes: what is written into.
    ///   - room: the place for what is received.
    /// - Returns: number of bytes; 0 where the other side has ended, and for an empty packet.
    /// - Throws: ``SystemFailure``: `EAGAIN` where nothing is there.
    func receive(_ descriptor: Int32, into bytes: inout [UInt8], _ room: Range<Int>) throws(SystemFailure) -> Int

    /// Whether the other side has ended and all it sent was received. The corresponding C functions are `poll` and `ioctl`
    /// with `FIONREAD`.
    func hasEnded(_ descriptor: Int32) throws(SystemFailure) -> Bool

    /// Sends what goes. The corresponding C function is `send`, without the signal for a side that has ended.
    /// - Returns: number of bytes.
    func send(_ descriptor: Int32, _ bytes: Span<UInt8>) throws(SystemFailure) -> Int

    /// Ends this side's direction. The corresponding C function is `shutdown` with `SHUT_WR`.
    func endSending(_ descriptor: Int32) throws(SystemFailure)

    /// Gives a descriptor up, whatever happens. The corresponding C function is `close`.
    func close(_ descriptor: Int32)
}
