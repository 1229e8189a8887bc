/// The system's calls for a descriptor that is connected, one for one, so that tests can play the system. Descriptors never
/// wait; a call that a signal interrupts is made again.
package protocol StreamCalls: Sendable {
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
