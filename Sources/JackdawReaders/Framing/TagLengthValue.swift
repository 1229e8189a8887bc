import JackdawBytes

/// One data object of a message in BER-TLV (EMV book 3, annex B): its tag and position.
package struct TagLengthValue: Hashable {
    /// The tag's bytes as one number: `0x9F02`.
    package let tag: UInt32
    /// The index of the object's first byte in the message.
    let start: Int
    /// The range of the object's value in the message.
    package let value: Range<Int>

    /// The least number of bytes in which a value may hold an account number, at two digits a byte.
    static let leastOfCard = 6

    /// Whether the object is card data although it is short: cardholder's name, expiry, service code (EMV book 3, annex
    /// A).
    var isShortOfCard: Bool { [0x5F20, 0x5F24, 0x5F30].contains(tag) }

    /// Whether the value consists of objects.
    var isConstructed: Bool {
        let first = (0...3).reversed().lazy.map { UInt8(tag >> (8 * UInt32($0)) & 0xFF) }.first { $0 != 0 } ?? 0
        return first & 0x20 != 0
    }

    /// The deepest nesting of objects; no reader sends a deeper one.
    private static let greatestDepth = 8
    /// The most objects; more than any message of a reader has.
    private static let mostObjects = 512

    /// Parses all objects of a message, nested ones included; each follows the object that contains it.
    /// - Parameter message: a sequence of objects; bytes 00 between them are ignored.
    /// - Returns: nil if a length exceeds the message or the enclosing object, or if the objects are too many or too
    ///   deeply nested.
    static func read(_ message: Span<UInt8>) -> [TagLengthValue]? {
        var found: [TagLengthValue] = []
        return read(message, in: 0..<message.count, depth: 0, into: &found) ? found : nil
    }

    /// Encodes an object.
    /// - Parameters:
    ///   - tag: the tag's bytes as one number.
    ///   - value: the value, at most 16 MB.
    /// - Returns: tag, length, value.
    package static func encode(_ tag: UInt32, _ value: [UInt8]) -> [UInt8] {
        let bytes = bigEndian(tag)
        let length = bigEndian(UInt32(value.count))
        return bytes + (value.count < 0x80 ? length : [0x80 | UInt8(length.count)] + length) + value
    }

    /// Returns the bytes of a number without leading zeros; one byte if it is 0.
    static func bigEndian(_ number: UInt32) -> [UInt8] {
        let bytes = [24, 16, 8].map { UInt8(number >> $0 & 0xFF) }.drop { $0 == 0 }
        return bytes + [UInt8(number & 0xFF)]
    }

    private static func read(
        _ message: Span<UInt8>, in range: Range<Int>, depth: Int, into found: inout [TagLengthValue]
    ) -> Bool {
        var next = range.lowerBound
        while next < range.upperBound {
            guard message[next] != 0 else {
                next += 1
                continue
            }
            let start = next
            let isConstructed = message[start] & 0x20 != 0
            guard let tag = readTag(message, &next, range.upperBound),
                let count = readLength(message, &next, range.upperBound), count <= range.upperBound - next
            else { return false }
            let value = next..<next + count
            guard found.count < mostObjects else { return false }
            found.append(TagLengthValue(tag: tag, start: start, value: value))
            if isConstructed {
                guard depth < greatestDepth, read(message, in: value, depth: depth + 1, into: &found) else {
                    return false
                }
            }
            next = value.upperBound
        }
        return true
    }

    private static func readTag(_ message: Span<UInt8>, _ next: inout Int, _ end: Int) -> UInt32? {
        var tag = UInt32(message[next])
        next += 1
        guard tag & 0x1F == 0x1F else { return tag }
        // No tag has more than three further bytes.
        for _ in 0..<3 {
            guard next < end else { return nil }
            tag = tag << 8 | UInt32(message[next])
            next += 1
            if message[next - 1] & 0x80 == 0 { return tag }
        }
        return nil
    }

    private static func readLength(_ message: Span<UInt8>, _ next: inout Int, _ end: Int) -> Int? {
        guard next < end else { return nil }
        let first = Int(message[next])
        next += 1
        guard first >= 0x80 else { return first }
        guard (1...3).contains(first & 0x7F), first & 0x7F <= end - next else { return nil }
        var count = 0
        for _ in 0..<first & 0x7F {
            count = count << 8 | Int(message[next])
            next += 1
        }
        return count
    }
}

/// The names of data objects, and which of their values are shown.
struct TagDictionary {
    /// The names of the tags.
    var names: [UInt32: String]
    /// Values that are shown at any length: of the reader, of its keys or of the payment.
    var shown: Set<UInt32> = []
    /// Texts of the reader, which are shown unless they look like card data.
    var texts: Set<UInt32> = []
    /// Values that are hidden at any length, in addition to those of a card.
    var hidden: Set<UInt32> = []

    /// EMV objects that readers' protocols use.
    static let emv = TagDictionary(
        names: [
            0x57: "track 2", 0x5A: "account number", 0x5F20: "cardholder's name", 0x5F24: "expiry",
            0x5F2A: "currency", 0x5F30: "service code", 0x8A: "issuer's answer", 0x91: "issuer's authentication data",
            0x9A: "date", 0x9C: "transaction type", 0x9F02: "amount", 0x9F03: "other amount", 0x9F21: "time",
            0x9F39: "entry mode",
        ], shown: [0x9F02, 0x9F03], hidden: [0x57, 0x5A])

    /// Returns this dictionary with the entries of another added.
    func adding(_ other: TagDictionary) -> TagDictionary {
        TagDictionary(
            names: names.merging(other.names) { $1 }, shown: shown.union(other.shown), texts: texts.union(other.texts),
            hidden: hidden.union(other.hidden))
    }
}

extension TagLengthValue {
    /// Explains data that may be objects. Each object is a field; for an object that contains others, the field is its
    /// tag and length, before those.
    /// - Parameters:
    ///   - range: the range of the data in the frame.
    ///   - frame: the frame that contains the data.
    ///   - name: the name of the field if the data is not objects.
    ///   - tags: the names and rules of the objects.
    ///   - isRevealing: whether card data is shown.
    /// - Returns: fields without a gap; one field with the number of bytes if the data is not objects.
    static func fields(
        _ range: Range<Int>, of frame: Span<UInt8>, else name: String, _ tags: TagDictionary, isRevealing: Bool
    ) -> [FrameField] {
        let data = frame.extracting(range)
        guard let objects = read(data), !objects.isEmpty else {
            return [FrameField(name, range, data.sensitive(isRevealing))]
        }
        var fields: [FrameField] = []
        var next = 0
        func add(_ name: String, to end: Int, _ value: String) {
            fields.append(FrameField(name, range.lowerBound + next..<range.lowerBound + end, value))
            next = end
        }
        for object in objects {
            if next < object.start { add("padding", to: object.start, "00") }
            let value = data.extracting(object.value)
            let name = object.name(in: tags)
            if object.isConstructed {
                add(name, to: object.value.lowerBound, "\(value.sensitive(false)) of objects")
            } else {
                add(name, to: object.value.upperBound, object.text(of: value, tags, isRevealing))
            }
        }
        if next < data.count { add("padding", to: data.count, "00") }
        return fields
    }

    private func name(in tags: TagDictionary) -> String {
        let bytes = Self.bigEndian(tag).map(\.hexadecimal).joined()
        return tags.names[tag].map { "\(bytes) \($0)" } ?? bytes
    }

    /// Length and value; without the value if it may be card data.
    private func text(of value: Span<UInt8>, _ tags: TagDictionary, _ isRevealing: Bool) -> String {
        let isHidden = tags.hidden.contains(tag) || isShortOfCard || value.count >= Self.leastOfCard
        let length = value.sensitive(false)
        if tags.texts.contains(tag), isRevealing || !value.mayBeOfACard { return "\(length): \(value.printable)" }
        let isShown = isRevealing || tags.shown.contains(tag) || !isHidden
        return isShown && !value.isEmpty ? "\(length): \(value.sensitive(true))" : length
    }
}
