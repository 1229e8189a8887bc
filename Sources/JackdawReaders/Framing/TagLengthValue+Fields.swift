/// What data objects are called, and which of their values are shown.
struct TagDictionary {
    /// What tags are called.
    var names: [UInt32: String]
    /// Values that are shown however long they are: of the reader, of its keys or of the payment.
    var shown: Set<UInt32> = []
    /// Texts of the reader, of which what looks like a card's is hidden.
    var texts: Set<UInt32> = []
    /// Values that are hidden however short they are, beside a card's.
    var hidden: Set<UInt32> = []

    /// Objects of EMV that readers' protocols use.
    static let emv = TagDictionary(
        names: [
            0x57: "track 2", 0x5A: "account number", 0x5F20: "cardholder's name", 0x5F24: "expiry",
            0x5F2A: "currency", 0x5F30: "service code", 0x8A: "issuer's answer", 0x91: "issuer's authentication data",
            0x9A: "date", 0x9C: "transaction type", 0x9F02: "amount", 0x9F03: "other amount", 0x9F21: "time",
            0x9F39: "entry mode",
        ], shown: [0x9F02, 0x9F03], hidden: [0x57, 0x5A])

    /// This one, and another.
    func adding(_ other: TagDictionary) -> TagDictionary {
        TagDictionary(
            names: names.merging(other.names) { $1 }, shown: shown.union(other.shown), texts: texts.union(other.texts),
            hidden: hidden.union(other.hidden))
    }
}

extension TagLengthValue {
    /// Explains data that may be objects: each is a field; what holds others is one of tag and length, before those.
    /// - Parameters:
    ///   - range: where the data lie.
    ///   - frame: the frame around them.
    ///   - name: what they are called where they are no objects.
    ///   - tags: what is known of the objects.
    ///   - isRevealing: whether card data is shown whole.
    /// - Returns: fields without a gap; one with the number of bytes where the data are no objects.
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

    /// Length and value, which is left out where it may be of a card.
    private func text(of value: Span<UInt8>, _ tags: TagDictionary, _ isRevealing: Bool) -> String {
        let isHidden = tags.hidden.contains(tag) || isShortOfCard || value.count >= Self.leastOfCard
        let length = value.sensitive(false)
        if tags.texts.contains(tag), isRevealing || !value.mayBeOfACard { return "\(length): \(value.printable)" }
        let isShown = isRevealing || tags.shown.contains(tag) || !isHidden
        return isShown && !value.isEmpty ? "\(length): \(value.sensitive(true))" : length
    }
}
