/// How bytes go through a socket.
enum SocketFormat: Hashable {
    /// As a stream, and each direction can end by itself.
    case stream
    /// As a stream that ends in both directions at once, whichever is shut down: RFCOMM knows no other end.
    case rfcomm
    /// As packets of so many bytes at most.
    case packets(size: Int)

    /// The bytes of the largest packet; nil for a stream.
    var packetSize: Int? {
        guard case .packets(let size) = self else { return nil }
        return size
    }
}
