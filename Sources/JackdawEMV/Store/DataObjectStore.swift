/// The data objects of a transaction: a value for each tag.
///
/// All values are in wiped memory, as any of them may be card data. Printed forms show tags and lengths.
public struct DataObjectStore: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
    /// In ascending order of tags.
    private var entries: [Entry] = []

    private struct Entry: Sendable, Equatable {
        let tag: Tag
        var value: SecretOctets
    }

    /// A store without objects.
    public init() {}

    /// Number of stored data objects.
    public var count: Int { entries.count }

    /// The tags, in ascending order.
    public var tags: [Tag] { entries.map { $0.tag } }

    /// Whether there is an object with this tag, even without octets.
    public func contains(_ tag: Tag) -> Bool { secret(tag) != nil }

    /// A copy of a value in clear; nil if there is no object with this tag. An array is not wiped: use
    /// ``withValue(_:_:)`` if possible. Assigning nil removes the object.
    public subscript(tag: Tag) -> [UInt8]? {
        get { secret(tag)?.octets }
        set { set(tag, newValue.map { SecretOctets($0) }) }
    }

    /// The value in wiped memory; nil if there is no object with this tag.
    public func secret(_ tag: Tag) -> SecretOctets? {
        let index = place(tag)
        guard index < entries.count, entries[index].tag == tag else { return nil }
        return entries[index].value
    }

    /// Stores a value; replaces an earlier one.
    public mutating func set(_ tag: Tag, _ value: Span<UInt8>) { set(tag, SecretOctets(copying: value)) }

    /// Stores a value, or removes the object if the value is nil.
    public mutating func set(_ tag: Tag, _ value: SecretOctets?) {
        let index = place(tag)
        let isThere = index < entries.count && entries[index].tag == tag
        guard let value else {
            if isThere { entries.remove(at: index) }
            return
        }
        if isThere {
            entries[index].value = value
        } else {
            entries.insert(Entry(tag: tag, value: value), at: index)
        }
    }

    /// Runs a body over a value in clear. The caller wipes any copy that the body makes.
    /// - Returns: the result of the body; nil if there is no object with this tag.
    public func withValue<Result, Failure: Error>(
        _ tag: Tag, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let value = secret(tag) else { return nil }
        return try value.withOctets(body)
    }

    /// Stores the primitive objects of octets in BER-TLV, those in templates too.
    /// - Parameters:
    ///   - octets: the objects.
    ///   - keepsFirst: whether the first of several objects with one tag is kept; else the last
    ///     replaces it. Default: false.
    /// - Returns: the tags that were already there, or that are in the octets more than once,
    ///   in the order of the octets.
    /// - Throws: ``DataObjectError`` if the octets are not valid; then nothing is stored.
    @discardableResult
    public mutating func add(
        _ octets: Span<UInt8>, keepingFirst keepsFirst: Bool = false
    ) throws(DataObjectError) -> [Tag] {
        var changed = self
        var repeated: [Tag] = []
        var walker = TagLengthValueWalker(octets)
        while let object = try walker.next(in: octets) {
            if object.tag.isConstructed { continue }
            if changed.contains(object.tag) {
                repeated.append(object.tag)
                if keepsFirst { continue }
            }
            changed.set(object.tag, octets.extracting(object.value))
        }
        self = changed
        return repeated
    }

    /// Returns the index of a tag, or the index at which it would be inserted.
    private func place(_ tag: Tag) -> Int { entries.partitionPoint { $0.tag < tag } }

    /// Tags and lengths: `82 (2), 94 (8)`.
    public var description: String {
        var text = ""
        for entry in entries {
            if !text.isEmpty { text += ", " }
            text += "\(entry.tag) (\(entry.value.count))"
        }
        return text
    }

    /// The same as `description`.
    public var debugDescription: String { description }
}

#if !hasFeature(Embedded)

extension DataObjectStore: CustomReflectable {
    /// A mirror without children: reflection shows none of the content.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

#endif
