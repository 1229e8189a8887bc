/// Where a socket leads to, or listens, as the system writes it down (`sockaddr` and what stands for it).
package struct SocketAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// An address of so many bytes of the system.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// One of the system's own addresses, such as `sockaddr_in`; nil where the bytes are too few for it.
    package func `as`<Address: BitwiseCopyable>(_ type: Address.Type) -> Address? {
        guard bytes.count >= MemoryLayout<Address>.size else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: type) }
    }
}

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

/// A kind of socket, by the system's numbers.
package struct SocketKind: Hashable, Sendable {
    package let domain: Int32
    package let type: Int32
    package let protocolNumber: Int32

    package init(domain: Int32, type: Int32, protocolNumber: Int32) {
        self.domain = domain
        self.type = type
        self.protocolNumber = protocolNumber
    }
}

/// An option of a socket, as the system writes it down (`setsockopt`).
package struct SocketOption: Hashable, Sendable {
    package let level: Int32
    package let name: Int32
    package let value: [UInt8]

    package init<Value: BitwiseCopyable>(level: Int32, name: Int32, value: Value) {
        self.level = level
        self.name = name
        self.value = unsafe withUnsafeBytes(of: value) { unsafe Array($0) }
    }
}
