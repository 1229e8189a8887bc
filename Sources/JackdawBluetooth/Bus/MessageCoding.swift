internal import CSystemD
internal import JackdawSystem

/// Reads the values of an sd-bus message, within limits on depth and number.
@safe struct MessageReader {
    /// The greatest number of values in a message; an array of bytes counts as one.
    static let countLimit = 100_000

    private let message: OpaquePointer
    private var budget = Self.countLimit
    private var descriptors: [BusDescriptor] = []

    private init(_ message: OpaquePointer) { unsafe self.message = message }

    /// Reads all values of a message; the caller still owns the message, and descriptors in it are duplicated.
    static func read(_ message: OpaquePointer) throws(BusError) -> BusBody {
        var reader = unsafe MessageReader(message)
        // The message may hold card data: the library wipes it when it frees it.
        unsafe sd_bus_message_sensitive(message)
        try reader.check(unsafe sd_bus_message_rewind(message, 1))
        let values = try reader.values(depth: 0)
        return BusBody(values, descriptors: reader.descriptors)
    }

    /// The values up to the end of a container.
    private mutating func values(depth: Int) throws(BusError) -> [BusValue] {
        var values: [BusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private mutating func next(depth: Int) throws(BusError) -> BusValue? {
        var type: CChar = 0
        var peeked: UnsafePointer<CChar>?
        guard try check(unsafe sd_bus_message_peek_type(message, &type, &peeked)) > 0 else { return nil }
        let contents = unsafe peeked.map { unsafe String(cString: $0) } ?? ""
        budget -= 1
        guard budget >= 0, depth <= MessageWriter.depthLimit else { throw .badMessage("too many values or levels") }
        switch Unicode.Scalar(UInt8(bitPattern: type)) {
        case "y": return .byte(try basic(type, 0))
        case "b": return .boolean(try basic(type, Int32(0)) != 0)
        case "n": return .int16(try basic(type, 0))
        case "q": return .uint16(try basic(type, 0))
        case "i": return .int32(try basic(type, 0))
        case "u": return .uint32(try basic(type, 0))
        case "x": return .int64(try basic(type, 0))
        case "t": return .uint64(try basic(type, 0))
        case "d": return .double(try basic(type, 0))
        case "s": return .string(try string(type))
        case "o": return .objectPath(try string(type))
        case "g": return .signature(try string(type))
        case "h": return try descriptor(type)
        case "a": return try array(contents, depth: depth)
        case "r":
            return .structure(try values(in: type, contents, depth: depth))
        case "v":
            return .variant(try only(values(in: type, contents, depth: depth)))
        default: throw .badMessage("a type that D-Bus does not have")
        }
    }

    private mutating func array(_ contents: String, depth: Int) throws(BusError) -> BusValue {
        let type = CChar(Unicode.Scalar("a").value)
        if contents == "y" { return .bytes(try bytes()) }
        guard contents.hasPrefix("{") else {
            return .array(try values(in: type, contents, depth: depth), of: contents)
        }
        let entry = String(contents.dropFirst().dropLast())
        let entries = try container(type, contents) { reader throws(BusError) in
            var entries: [BusValue: BusValue] = [:]
            while try reader.check(unsafe sd_bus_message_at_end(reader.message, 0)) == 0 {
                let pair = try reader.values(in: CChar(Unicode.Scalar("e").value), entry, depth: depth)
                guard pair.count == 2 else { throw .badMessage("an entry without a value") }
                entries[pair[0]] = pair[1]
            }
            return entries
        }
        return .dictionary(entries, key: String(entry.prefix(1)), value: String(entry.dropFirst()))
    }

    private mutating func values(in type: CChar, _ contents: String, depth: Int) throws(BusError) -> [BusValue] {
        try container(type, contents) { reader throws(BusError) in try reader.values(depth: depth + 1) }
    }

    private mutating func container<Value>(
        _ type: CChar, _ contents: String, _ body: (inout MessageReader) throws(BusError) -> Value
    ) throws(BusError) -> Value {
        try check(unsafe sd_bus_message_enter_container(message, type, contents))
        let value = try body(&self)
        try check(unsafe sd_bus_message_exit_container(message))
        return value
    }

    private func only(_ values: [BusValue]) throws(BusError) -> BusValue {
        guard values.count == 1 else { throw .badMessage("a variant of several values") }
        return values[0]
    }

    private func basic<Value: BitwiseCopyable>(_ type: CChar, _ zero: Value) throws(BusError) -> Value {
        var value = zero
        try check(unsafe sd_bus_message_read_basic(message, type, &value))
        return value
    }

    private func string(_ type: CChar) throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(unsafe sd_bus_message_read_basic(message, type, &text))
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    private func bytes() throws(BusError) -> WipedBytes {
        var start: UnsafeRawPointer?
        var count = 0
        try check(unsafe sd_bus_message_read_array(message, CChar(Unicode.Scalar("y").value), &start, &count))
        return unsafe WipedBytes(UnsafeRawBufferPointer(start: start, count: count))
    }

    private mutating func descriptor(_ type: CChar) throws(BusError) -> BusValue {
        let number = try basic(type, Int32(-1))
        do {
            descriptors.append(try BusDescriptor(copying: number))
        } catch {
            throw .badMessage("a descriptor could not be copied: \(error.message)")
        }
        return .descriptor(descriptors.count - 1)
    }

    @discardableResult
    private func check(_ result: Int32) throws(BusError) -> Int32 {
        guard result >= 0 else { throw BusError(result: result) }
        return result
    }
}

/// Writes values to an sd-bus message.
@safe struct MessageWriter {
    /// The greatest depth of nested containers, the same as the limit of D-Bus for each kind.
    static let depthLimit = 32

    private let message: OpaquePointer
    private let descriptors: [BusDescriptor]

    /// - Parameters:
    ///   - message: a message that is not sealed; the caller still owns it.
    ///   - descriptors: the descriptors that values refer to; the message gets duplicates.
    init(_ message: OpaquePointer, descriptors: [BusDescriptor]) {
        unsafe self.message = message
        self.descriptors = descriptors
    }

    func write(_ values: [BusValue]) throws(BusError) {
        for value in values { try write(value, depth: 0) }
    }

    private func write(_ value: BusValue, depth: Int) throws(BusError) {
        guard depth <= Self.depthLimit else { throw .badMessage("values are nested too deeply") }
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
            guard !fields.isEmpty else { throw .badMessage("an empty structure") }
            try container("r", fields.map(\.signature).joined()) { () throws(BusError) in
                for field in fields { try write(field, depth: depth + 1) }
            }
        case .array(let elements, let signature):
            try container("a", signature) { () throws(BusError) in
                for element in elements { try write(element, depth: depth + 1) }
            }
        case .dictionary(let entries, let key, let value):
            // The bus would end the connection because of such a key, and the library does not check it.
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
        guard !text.utf8.contains(0) else { throw .badMessage("a string with a null character") }
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
        // The library duplicates the descriptor.
        let result = descriptors[index].withDescriptor { descriptor in
            var descriptor = descriptor
            return unsafe sd_bus_message_append_basic(message, CChar(Unicode.Scalar("h").value), &descriptor)
        }
        guard let result else { throw .badMessage("a descriptor was already handed over") }
        try check(result)
    }

    private func check(_ result: Int32) throws(BusError) {
        guard result >= 0 else { throw BusError(result: result) }
    }
}
