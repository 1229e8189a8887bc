/// The address of a Bluetooth device: six bytes, written highest first, as in `AA:BB:CC:DD:EE:FF`.
public struct BluetoothAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, highest first.
    let bytes: [UInt8]

    /// Six bytes, highest first.
    init(bytes: [UInt8]) {
        precondition(bytes.count == 6, "an address has six bytes")
        self.bytes = bytes
    }

    /// Reads an address; nil where it is none.
    /// - Parameter text: six pairs of hexadecimal digits with colons between them.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6, parts.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
            return nil
        }
        bytes = parts.compactMap { UInt8($0, radix: 16) }
    }

    /// Six pairs of upper-case hexadecimal digits with colons between them.
    public var description: String {
        bytes.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true) }.joined(separator: ":")
    }
}
