internal import CSystemD

/// Writes values into a message of sd-bus.
@safe struct MessageWriter {
    /// Containers within containers at most, as D-Bus itself has it for each kind.
    static let depthLimit = 32

    private let message: OpaquePointer
    private let descriptors: [BusDescriptor]

    /// - Parameters:
    ///   - message: not sealed yet; stays its owner's.
    ///   - descriptors: what values of descriptors mean; the message gets copies.
    init(_ message: OpaquePointer, descriptors: [BusDescriptor]) {
        unsafe self.message = message
        self.descriptors = descriptors
    }

    func write(_ values: [BusValue]) throws(BusError) {
        for value in values { try write(value, depth: 0) }
    }

    private func write(_ value: BusValue, depth: Int) throws(BusError) {
        guard depth <= Self.depthLimit else { throw .badMessage("values within values within values") }
        switch value {
        case .byte(let value): try basic("y", value)
        case .boolean(let value): try basic("b", Int32(value ? 1 : 0))
        case .int16(let value): try basic("n", value)
        case .uint16(let value): try basic("q", value)
        case .int32(let value): try basic("i", value)
        case .uint32(let value): try basic("u", value)
        case .int64(let value): try basic("x", value)
        case .uint64(let value): try basic("t", value)
        case .double(let value): try basic("d", value)
        case .string(let text): try string("s", text)
        case .objectPath(let text): try string("o", text)
        case .signature(let text): try string("g", text)
        case .bytes(let bytes): try self.bytes(bytes)
        case .descriptor(let index): try descriptor(index)
        case .variant(let content):
            try container("v", content.signature) { () throws(BusError) in try write(content, depth: depth + 1) }
        case .structure(let fields):
            guard !fields.isEmpty else { throw .badMessage("a structure of nothing") }
            try container("r", fields.map(\.signature).joined()) { () throws(BusError) in
                for field in fields { try write(field, depth: depth + 1) }
            }
        case .array(let elements, let signature):
            try container("a", signature) { () throws(BusError) in
                for element in elements { try write(element, depth: depth + 1) }
            }
        case .dictionary(let entries, let key, let value):
            // The bus would end the connection over it, which the library does not see.
            guard key.count == 1, key != "v" else { throw .badMessage("a key that is not a single value") }
            try container("a", "{\(key)\(value)}") { () throws(BusError) in
                for entry in entries {
                    try container("e", key + value) { () throws(BusError) in
                        try write(entry.key, depth: depth + 1)
                        try write(entry.value, depth: depth + 1)
                    }
                }
            }
        }
    }

    private func container(
        _ type: Unicode.Scalar, _ contents: String, _ body: () throws(BusError) -> Void
    ) throws(BusError) {
        try check(unsafe sd_bus_message_open_container(message, CChar(type.value), contents))
        try body()
        try check(unsafe sd_bus_message_close_container(message))
    }

    private func basic<Value: BitwiseCopyable>(_ type: Unicode.Scalar, _ value: Value) throws(BusError) {
        var value = value
        try check(unsafe sd_bus_message_append_basic(message, CChar(type.value), &value))
    }

    private func string(_ type: Unicode.Scalar, _ text: String) throws(BusError) {
        guard !text.utf8.contains(0) else { throw .badMessage("a string with an end in it") }
        try check(unsafe text.withCString { unsafe sd_bus_message_append_basic(message, CChar(type.value), $0) })
    }

    private func bytes(_ bytes: WipedBytes) throws(BusError) {
        let type = CChar(Unicode.Scalar("y").value)
        let result = unsafe bytes.withUnsafeBytes {
            unsafe sd_bus_message_append_array(message, type, $0.baseAddress, $0.count)
        }
        try check(result)
    }

    private func descriptor(_ index: Int) throws(BusError) {
        guard descriptors.indices.contains(index) else { throw .badMessage("a descriptor is missing") }
        // The library copies it.
        let result = descriptors[index].withDescriptor { descriptor in
            var descriptor = descriptor
            return unsafe sd_bus_message_append_basic(message, CChar(Unicode.Scalar("h").value), &descriptor)
        }
        guard let result else { throw .badMessage("a descriptor was given away before") }
        try check(result)
    }

    private func check(_ result: Int32) throws(BusError) {
        guard result >= 0 else { throw BusError(result: result) }
    }
}
