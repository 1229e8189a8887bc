extension BusValue {
    /// What the value is, in the words of D-Bus.
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

    /// A dictionary of properties or options, as they stand in most calls: strings to variants.
    static func options(_ options: [String: BusValue]) -> BusValue {
        let entries = options.map { (BusValue.string($0.key), BusValue.variant($0.value)) }
        return .dictionary(Dictionary(uniqueKeysWithValues: entries), key: "s", value: "v")
    }

    /// An array of strings.
    static func strings(_ strings: [String]) -> BusValue { .array(strings.map { .string($0) }, of: "s") }

    /// The value in a variant, or this one.
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

    /// The whole number, whatever its size.
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

    /// A dictionary by the texts of its keys.
    var entries: [String: BusValue]? {
        guard case .dictionary(let entries, _, _) = content else { return nil }
        return Dictionary(entries.compactMap { entry in entry.key.text.map { ($0, entry.value) } }) { $1 }
    }
}
