#if Payments
import Foundation
import JackdawTestSupport

/// A host on loopback whose connections a test scripts, in threads.
final class ScriptedHost: Sendable {
    /// A connection of a client.
    struct Connection: Sendable {
        let descriptor: Int32
        /// The number of the connection, from 0.
        let number: Int

        /// Reads one request without a body or with one of `bodyCount` bytes; what has come by the end otherwise.
        @discardableResult
        func readRequest(bodyCount: Int = 0) -> String {
            var bytes: [UInt8] = []
            var byte: UInt8 = 0
            while unsafe recv(descriptor, &byte, 1, 0) == 1 {
                bytes.append(byte)
                if bytes.suffix(4) == Array("\r\n\r\n".utf8) { break }
            }
            for _ in 0..<bodyCount where unsafe recv(descriptor, &byte, 1, 0) == 1 { bytes.append(byte) }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Writes bytes; false if the client has gone.
        @discardableResult
        func write(_ bytes: some Collection<UInt8>) -> Bool {
            var rest = Array(bytes)[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        @discardableResult
        func write(_ text: String) -> Bool { write(text.utf8) }

        /// Waits until the client has ended the connection.
        func awaitEnd() {
            var byte: UInt8 = 0
            while unsafe recv(descriptor, &byte, 1, 0) > 0 {}
        }

        /// Ends the connection with a reset.
        func reset() {
            var option = linger(l_onoff: 1, l_linger: 0)
            unsafe setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
    }

    let port: Int
    private let listener: Int32
    /// The number of connections so far.
    let accepted = Shared(0)

    /// Listens on a free port.
    /// - Parameter script: runs for each connection, which is closed after that.
    /// - Throws: `POSIXError`.
    init(_ script: @escaping @Sendable (Connection) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = unsafe withUnsafeMutablePointer(to: &address) { place in
            unsafe place.withMemoryRebound(to: sockaddr.self, capacity: 1) { place in
                unsafe bind(listener, place, size) == 0 && listen(listener, 512) == 0
                    && getsockname(listener, place, &size) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        self.listener = listener
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [accepted] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                var on: Int32 = 1
                unsafe setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
                let number = accepted.with { count in
                    count += 1
                    return count - 1
                }
                Thread.detachNewThread {
                    script(Connection(descriptor: descriptor, number: number))
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    /// Ends the thread that listens.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    var address: String { "http://127.0.0.1:\(port)" }
}
#endif
