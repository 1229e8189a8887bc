import JackdawBytes

/// A D-Bus value. Descriptors are passed beside it.
indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(Double)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes, stored as one value.
    case bytes(WipedBytes)
    /// Any other array, and the signature of its elements.
    case array([BusValue], of: String)
    /// A dictionary with strings, object paths or numbers as keys, and the signatures of key and value.
    case dictionary([BusValue: BusValue], key: String, value: String)
    case structure([BusValue])
    case variant(BusValue)
    /// The index of a descriptor among those of the message.
    case descriptor(Int)
}

extension BusValue {
    /// The D-Bus signature of the value.
    var signature: String {
        switch self {
        case .byte: "y"
        case .boolean: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .objectPath: "o"
        case .signature: "g"
        case .bytes: "ay"
        case .array(_, let signature): "a\(signature)"
        case .dictionary(_, let key, let value): "a{\(key)\(value)}"
        case .structure(let fields): "(\(fields.map(\.signature).joined()))"
        case .variant: "v"
        case .descriptor: "h"
        }
    }

    /// A dictionary of properties or options, as most calls take: strings to variants.
    static func options(_ options: [String: BusValue]) -> BusValue {
        let entries = options.map { (BusValue.string($0.key), BusValue.variant($0.value)) }
        return .dictionary(Dictionary(uniqueKeysWithValues: entries), key: "s", value: "v")
    }

    /// An array of strings.
    static func strings(_ strings: [String]) -> BusValue { .array(strings.map { .string($0) }, of: "s") }

    /// The value inside a variant, or this value.
    var content: BusValue {
        guard case .variant(let content) = self else { return self }
        return content.content
    }

    /// The text of a string or an object path.
    var text: String? {
        switch content {
        case .string(let text), .objectPath(let text): text
        default: nil
        }
    }

    /// The integer, for any size.
    var integer: Int? {
        switch content {
        case .byte(let value): Int(value)
        case .int16(let value): Int(value)
        case .uint16(let value): Int(value)
        case .int32(let value): Int(value)
        case .uint32(let value): Int(value)
        case .int64(let value): Int(exactly: value)
        case .uint64(let value): Int(exactly: value)
        default: nil
        }
    }

    var boolean: Bool? {
        guard case .boolean(let value) = content else { return nil }
        return value
    }

    var byteArray: WipedBytes? {
        guard case .bytes(let bytes) = content else { return nil }
        return bytes
    }

    /// The texts of an array of strings or object paths.
    var texts: [String]? {
        guard case .array(let elements, _) = content else { return nil }
        return elements.compactMap(\.text)
    }

    /// The entries of a dictionary, by the texts of their keys.
    var entries: [String: BusValue]? {
        guard case .dictionary(let entries, _, _) = content else { return nil }
        return Dictionary(entries.compactMap { entry in entry.key.text.map { ($0, entry.value) } }) { $1 }
    }
}

/// Bytes that may be card data or a key: immutable, shared without copies, and overwritten when the last reference is
/// released.
final class WipedBytes: Sendable, Hashable, ExpressibleByArrayLiteral {
    let count: Int
    private let storage: SecretBuffer<UInt8>

    /// - Parameters:
    ///   - capacity: the greatest number of bytes.
    ///   - fill: writes bytes and returns their number.
    init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Int) {
        let buffer = SecretBuffer<UInt8>(zeroed: capacity)
        count = unsafe fill(UnsafeMutableRawBufferPointer(buffer.elements))
        storage = buffer
    }

    /// - Parameter bytes: the bytes to copy; the original is not changed.
    convenience init(_ bytes: some Collection<UInt8>) {
        unsafe self.init(capacity: bytes.count) { buffer in
            unsafe buffer.copyBytes(from: bytes)
            return buffer.count
        }
    }

    convenience init(arrayLiteral bytes: UInt8...) { self.init(bytes) }

    var isEmpty: Bool { count == 0 }

    /// A copy, which is not overwritten.
    var array: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }

    /// Calls the body with the bytes.
    func withBytes(_ body: (Span<UInt8>) -> Void) {
        unsafe withUnsafeBytes { bytes in unsafe bytes.withMemoryRebound(to: UInt8.self) { unsafe body($0.span) } }
    }

    /// Calls the body with the bytes, for C functions.
    func withUnsafeBytes<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        unsafe body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: storage.elements[..<count])))
    }

    static func == (left: WipedBytes, right: WipedBytes) -> Bool {
        unsafe left.withUnsafeBytes { left in
            unsafe right.withUnsafeBytes { right in unsafe left.elementsEqual(right) }
        }
    }

    func hash(into hasher: inout Hasher) { unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) } }
}
