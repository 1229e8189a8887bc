/// A value as service discovery writes it (Core Specification, volume 3, part B, 3).
indirect enum DataElement: Hashable, Sendable {
    /// How many bytes a number has.
    enum Width: Int, CaseIterable {
        case one = 1
        case two = 2
        case four = 4
        case eight = 8
        case sixteen = 16
    }

    case null
    /// A number and its width, which it fits in.
    case unsigned(UInt128, Width)
    /// A number and its width, which it fits in.
    case signed(Int128, Width)
    case uuid(BluetoothUUID)
    case text([UInt8])
    case boolean(Bool)
    case sequence([DataElement])
    /// Several of which one is to be chosen.
    case alternative([DataElement])
    case url([UInt8])

    static func unsigned8(_ value: UInt8) -> DataElement { .unsigned(UInt128(value), .one) }
    static func unsigned16(_ value: UInt16) -> DataElement { .unsigned(UInt128(value), .two) }
    static func unsigned32(_ value: UInt32) -> DataElement { .unsigned(UInt128(value), .four) }

    /// The elements of a sequence, or those to choose from; none for anything else.
    var elements: [DataElement] {
        switch self {
        case .sequence(let elements), .alternative(let elements): elements
        default: []
        }
    }

    /// The number, where it is one without a sign.
    var number: UInt128? {
        guard case .unsigned(let value, _) = self else { return nil }
        return value
    }

    /// The UUID, where it is one.
    var uuid: BluetoothUUID? {
        guard case .uuid(let uuid) = self else { return nil }
        return uuid
    }

    /// The characters of a text or URL; what is no UTF-8 is replaced.
    var string: String? {
        switch self {
        case .text(let bytes), .url(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}
