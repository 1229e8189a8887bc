import JackdawEMV

extension TagLengthValue {
    /// The least number of bytes in which a value may hold an account number, at two digits a byte.
    static let leastOfCard = 6

    /// Whether the object is card data although it is short: cardholder's name, expiry, service code (EMV book 3, annex
    /// A).
    var isShortOfCard: Bool { [0x5F20, 0x5F24, 0x5F30].contains(tag) }

    /// The deepest nesting of objects; no reader sends a deeper one.
    private static let greatestDepth = 8
    /// The most objects; more than any message of a reader has.
    private static let maxObjects = 512

    /// Parses all objects of a message, nested ones included; each follows the object that contains it.
    /// - Parameters:
    ///   - message: a sequence of objects; bytes 00 between them are ignored.
    ///   - opaque: tags whose values are not objects, although their form says so. Default: none.
    /// - Returns: nil if the message is not BER-TLV, or if the objects are too many or too deeply nested.
    static func read(_ message: Span<UInt8>, opaque: Set<Tag> = []) -> [TagLengthValue]? {
        var walker = TagLengthValueWalker(message)
        var found: [TagLengthValue] = []
        do throws(DataObjectError) {
            while let object = try walker.next(in: message) {
                if opaque.contains(object.tag) { walker.skipContents() }
                let isTooDeep = object.depth == greatestDepth && object.tag.isConstructed
                guard found.count < maxObjects, !isTooDeep else { return nil }
                found.append(object)
            }
        } catch {
            return nil
        }
        return found
    }
}

/// The names of data objects, and which of their values are shown.
struct TagDictionary {
    /// The names of the tags.
    var names: [Tag: String]
    /// Values that are shown at any length: of the reader, of its keys or of the payment.
    var shown: Set<Tag> = []
    /// Texts of the reader, which are shown unless they look like card data.
    var texts: Set<Tag> = []
    /// Values that are hidden at any length, in addition to those of a card.
    var hidden: Set<Tag> = []

    /// EMV objects that readers' protocols use; their names are those of EMV.
    static let emv = TagDictionary(names: [:], shown: [0x9F02, 0x9F03], hidden: [0x57, 0x5A])

    /// The name of a tag: that of the protocol, or else that of EMV outside the kernels.
    func name(of tag: Tag) -> String? {
        if let name = names[tag] { return name }
        guard let element = DataElement.find(tag), element.kernel == nil else { return nil }
        return element.name
    }

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
            if object.tag.isConstructed {
                add(name, to: object.value.lowerBound, "\(value.sensitive(false)) of objects")
            } else {
                add(name, to: object.value.upperBound, object.text(of: value, tags, isRevealing))
            }
        }
        if next < data.count { add("padding", to: data.count, "00") }
        return fields
    }

    private func name(in tags: TagDictionary) -> String {
        tags.name(of: tag).map { "\(tag) \($0)" } ?? "\(tag)"
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
