/// How bytes go through a socket.
package enum SocketFormat: Hashable, Sendable {
    /// As a stream, and each direction can end by itself.
    case stream
    /// As a stream that ends in both directions at once, whichever is shut down: RFCOMM and serial lines know no other end.
    case indivisible
    /// As packets of so many bytes at most.
    case packets(size: Int)

    /// The bytes of the largest packet; nil for a stream.
    package var packetSize: Int? {
        guard case .packets(let size) = self else { return nil }
        return size
    }
}
