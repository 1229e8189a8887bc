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
