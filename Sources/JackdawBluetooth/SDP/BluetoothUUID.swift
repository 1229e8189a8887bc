import JackdawBytes

/// The identifier of a service, a protocol or an attribute: 128 bits, or 16 or 32 bits for those that Bluetooth
/// assigns.
public struct BluetoothUUID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The full value of 128 bits.
    let value: UInt128

    /// The base value of short UUIDs: 00000000-0000-1000-8000-00805f9b34fb.
    private static let base: UInt128 = 0x0000_0000_0000_1000_8000_0080_5f9b_34fb
    private static let shortShift = 96

    init(value: UInt128) { self.value = value }

    /// Creates a UUID that Bluetooth assigns.
    /// - Parameter short: its 16 or 32 bits.
    public init(_ short: UInt32) { value = UInt128(short) << Self.shortShift | Self.base }

    /// Parses a UUID; nil if the text is not a UUID.
    /// - Parameter text: 4, 8 or 32 hexadecimal digits, the latter also in groups of 8, 4, 4, 4 and 12 with hyphens
    ///   between them; `0x` may precede the short ones.
    public init?(_ text: some StringProtocol) {
        var digits = String(text)
        if digits.utf8.count == 36 {
            let groups = digits.split(separator: "-", omittingEmptySubsequences: false)
            guard groups.map(\.utf8.count) == [8, 4, 4, 4, 12] else { return nil }
            digits = groups.joined()
        } else if digits.hasPrefix("0x"), digits.utf8.count < 12 {
            digits.removeFirst(2)
        }
        // A sign is not a digit, but the conversion would accept it.
        guard digits.utf8.allSatisfy({ $0.hexadecimalValue != nil }), let value = UInt128(digits, radix: 16) else {
            return nil
        }
        switch digits.utf8.count {
        case 4, 8: self.init(UInt32(value))
        case 32: self.init(value: value)
        default: return nil
        }
    }

    /// The 32 bits of a UUID that Bluetooth assigns; nil for any other.
    var short: UInt32? {
        let short = UInt32(truncatingIfNeeded: value >> Self.shortShift)
        return BluetoothUUID(short) == self ? short : nil
    }

    /// 36 lower-case characters, in groups with hyphens.
    public var description: String {
        let digits = String(value, radix: 16)
        var rest = Substring(String(repeating: "0", count: 32 - digits.count) + digits)
        return [8, 4, 4, 4, 12].map { count in
            defer { rest = rest.dropFirst(count) }
            return String(rest.prefix(count))
        }.joined(separator: "-")
    }

    public static func < (left: BluetoothUUID, right: BluetoothUUID) -> Bool { left.value < right.value }
}

extension BluetoothUUID {
    /// The Serial Port service over RFCOMM, which most readers offer.
    public static let serialPort = BluetoothUUID(0x1101)
    static let rfcomm = BluetoothUUID(0x0003)
    static let l2cap = BluetoothUUID(0x0100)
    static let publicBrowseRoot = BluetoothUUID(0x1002)
}
