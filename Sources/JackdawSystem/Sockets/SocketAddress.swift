/// The address of a socket's own or other side, in the bytes of the system (`sockaddr` and its variants).
package struct SocketAddress: Hashable, Sendable {
    package let bytes: [UInt8]

    /// An address from the bytes of a `sockaddr` of any family.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The address as one of the system's types, such as `sockaddr_in`; nil if the bytes are too few for it.
    package func `as`<Address: BitwiseCopyable>(_ type: Address.Type) -> Address? {
        guard bytes.count >= MemoryLayout<Address>.size else { return nil }
        return unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: type) }
    }
}

/// How a socket carries bytes.
package enum SocketFormat: Hashable, Sendable {
    /// A stream; each direction can end by itself.
    case stream
    /// A stream whose directions cannot end separately, as RFCOMM and serial lines: shutting down one ends both.
    case indivisible
    /// Packets of `size` bytes at most.
    case packets(size: Int)

    /// The size of the largest packet in bytes; nil for a stream.
    package var packetSize: Int? {
        guard case .packets(let size) = self else { return nil }
        return size
    }
}

/// A kind of socket, by the system's numbers (`socket`).
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

/// An option of a socket, with its value in the bytes of the system (`setsockopt`).
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
