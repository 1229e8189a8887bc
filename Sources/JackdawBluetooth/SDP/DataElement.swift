/// A data element of the Service Discovery Protocol (Core Specification, volume 3, part B, 3).
indirect enum DataElement: Hashable, Sendable {
    /// The number of bytes of an integer.
    enum Width: Int, CaseIterable {
        case one = 1
        case two = 2
        case four = 4
        case eight = 8
        case sixteen = 16
    }

    case null
    /// An integer and its width; the integer must fit.
    case unsigned(UInt128, Width)
    /// An integer and its width; the integer must fit.
    case signed(Int128, Width)
    case uuid(BluetoothUUID)
    case text([UInt8])
    case boolean(Bool)
    case sequence([DataElement])
    /// Alternatives, of which the receiver chooses one.
    case alternative([DataElement])
    case url([UInt8])

    static func unsigned8(_ value: UInt8) -> DataElement { .unsigned(UInt128(value), .one) }
    static func unsigned16(_ value: UInt16) -> DataElement { .unsigned(UInt128(value), .two) }
    static func unsigned32(_ value: UInt32) -> DataElement { .unsigned(UInt128(value), .four) }

    /// The elements of a sequence or of alternatives; empty for other kinds.
    var elements: [DataElement] {
        switch self {
        case .sequence(let elements), .alternative(let elements): elements
        default: []
        }
    }

    /// The integer of an unsigned element; nil for other kinds.
    var number: UInt128? {
        guard case .unsigned(let value, _) = self else { return nil }
        return value
    }

    /// The UUID of a UUID element; nil for other kinds.
    var uuid: BluetoothUUID? {
        guard case .uuid(let uuid) = self else { return nil }
        return uuid
    }

    /// The characters of a text or URL; invalid UTF-8 is replaced.
    var string: String? {
        switch self {
        case .text(let bytes), .url(let bytes): String(decoding: bytes, as: UTF8.self)
        default: nil
        }
    }
}

extension DataElement {
    /// The size index in an element's header, after its kind: 0 to 4 for 1 to 16 bytes, and 5 to 7 for a byte count in
    /// 1, 2 or 4 bytes.
    enum SizeIndex {
        static let counts: ClosedRange<UInt8> = 5...7
    }

    /// The kinds of elements, by number.
    enum Kind: UInt8 {
        case null, unsigned, signed, uuid, text, boolean, sequence, alternative, url
    }

    /// The encoded element; UUIDs in their shortest form.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(Self.header(.null, 0))
        case .unsigned(let value, let width): Self.write(.unsigned, value, width, to: &bytes)
        case .signed(let value, let width):
            Self.write(.signed, UInt128(truncatingIfNeeded: value), width, to: &bytes)
        case .uuid(let uuid):
            switch uuid.short {
            case let short? where short <= UInt16.max: Self.write(.uuid, UInt128(short), .two, to: &bytes)
            case let short?: Self.write(.uuid, UInt128(short), .four, to: &bytes)
            case nil: Self.write(.uuid, uuid.value, .sixteen, to: &bytes)
            }
        case .text(let content): Self.write(.text, content, to: &bytes)
        case .boolean(let value): bytes += [Self.header(.boolean, 0), value ? 1 : 0]
        case .sequence(let elements): Self.write(.sequence, elements.flatMap(\.bytes), to: &bytes)
        case .alternative(let elements): Self.write(.alternative, elements.flatMap(\.bytes), to: &bytes)
        case .url(let content): Self.write(.url, content, to: &bytes)
        }
    }

    private static func header(_ kind: Kind, _ index: UInt8) -> UInt8 { kind.rawValue << 3 | index }

    private static func write(_ kind: Kind, _ value: UInt128, _ width: Width, to bytes: inout [UInt8]) {
        bytes.append(header(kind, UInt8(width.rawValue.trailingZeroBitCount)))
        bytes.appendBigEndian(value, count: width.rawValue)
    }

    private static func write(_ kind: Kind, _ content: [UInt8], to bytes: inout [UInt8]) {
        let width: Width = content.count <= UInt8.max ? .one : content.count <= UInt16.max ? .two : .four
        let index = SizeIndex.counts.lowerBound + UInt8(width.rawValue.trailingZeroBitCount)
        bytes.append(header(kind, index))
        bytes.appendBigEndian(UInt128(content.count), count: width.rawValue)
        bytes += content
    }
}

extension [UInt8] {
    /// Appends the lowest bytes of a number, the highest of them first.
    mutating func appendBigEndian(_ value: UInt128, count: Int) {
        for index in stride(from: count - 1, through: 0, by: -1) {
            append(UInt8(truncatingIfNeeded: value >> UInt128(8 * index)))
        }
    }
}
