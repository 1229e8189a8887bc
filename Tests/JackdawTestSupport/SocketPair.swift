import Glibc

/// Two connected sockets that never wait: one for what is tested, and one for the test, which plays the device.
package struct SocketPair {
    package let near: Int32
    package let far: Far

    package init(packets: Bool = false) {
        var ends: [Int32] = [0, 0]
        let kind = Int32((packets ? SOCK_SEQPACKET : SOCK_STREAM).rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let result = unsafe socketpair(AF_UNIX, kind | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
        precondition(result == 0, "no descriptor to spare")
        near = ends[0]
        far = Far(ends[1])
    }

    /// The device's end.
    package final class Far: Sendable {
        package let descriptor: Int32

        fileprivate init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { _ = close(descriptor) }

        /// Sends what goes.
        /// - Returns: number of bytes.
        @discardableResult package func send(_ bytes: [UInt8]) -> Int {
            unsafe Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }

        /// Receives what is there; nil where there is nothing, empty at the end.
        package func receive(_ most: Int = 1 << 20) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: most)
            let count = unsafe recv(descriptor, &bytes, most, 0)
            return count < 0 ? nil : Array(bytes[..<count])
        }

        /// Sends until nothing more goes.
        /// - Returns: number of bytes.
        package func fill() -> Int {
            let block = [UInt8](repeating: 0x55, count: 4_096)
            var total = 0
            while true {
                let count = send(block)
                guard count > 0 else { return total }
                total += count
            }
        }

        /// Ends one direction or both.
        package func end(both: Bool = false) { shutdown(descriptor, Int32(both ? SHUT_RDWR : SHUT_WR)) }
    }
}
