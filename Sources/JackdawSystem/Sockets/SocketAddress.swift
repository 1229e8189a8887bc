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
