/// A data object in BER-TLV (EMV Book 3, annex B): its tag, and its place in the octets that contain it.
///
/// It holds no octet of the value; `octets.extracting(object.value)` is the value.
public struct TagLengthValue: Sendable, Hashable {
    /// The tag, which names the data element.
    public let tag: Tag
    /// The offset of the tag's first octet.
    public let start: Int
    /// The offsets of the value.
    public let value: Range<Int>
    /// Number of templates of the same octets that contain the object, 0 to 32.
    public let depth: Int

    /// The greatest number of templates that may contain each other. The books set no limit; no card needs eight.
    public static let maxDepth = 32

    /// Parses all data objects, nested ones included; each follows the object that contains it.
    /// - Parameter octets: a sequence of objects; octets 00 between them are skipped.
    /// - Returns: the objects in their order, repeated ones included.
    /// - Throws: the error of the first object that is not valid.
    public static func list(_ octets: Span<UInt8>) throws(DataObjectError) -> [TagLengthValue] {
        var walker = TagLengthValueWalker(octets)
        var found: [TagLengthValue] = []
        found.reserveCapacity(octets.count / 8 + 1)
        while let object = try walker.next(in: octets) { found.append(object) }
        return found
    }

    /// The only data object of octets: the template of an answer, for example.
    /// - Returns: nil if the octets are not valid, or have no object or several outside templates.
    static func single(in octets: Span<UInt8>) -> TagLengthValue? {
        guard let objects = try? list(octets), objects.dropFirst().allSatisfy({ $0.depth > 0 }) else { return nil }
        return objects.first
    }

    /// Finds the first data object with a tag, in any template.
    /// - Returns: the object, or nil if there is none before the end.
    /// - Throws: the error of an object before it that is not valid.
    public static func first(_ tag: Tag, in octets: Span<UInt8>) throws(DataObjectError) -> TagLengthValue? {
        var walker = TagLengthValueWalker(octets)
        while let object = try walker.next(in: octets) {
            if object.tag == tag { return object }
        }
        return nil
    }
}

/// Walks over the data objects of octets in BER-TLV, templates before their contents. It copies and allocates nothing.
///
/// Pass the same octets in each call. The rules are those of EMV Book 3, annex B: definite lengths of at most four
/// further octets, tags of at most four octets, and octets 00 between objects are skipped.
///
/// ```swift
/// var walker = TagLengthValueWalker(octets)
/// while let object = try walker.next(in: octets) { print(object.tag, object.value) }
/// ```
public struct TagLengthValueWalker: Sendable {
    /// The offset of the next octet.
    private var next: Int
    /// The end of the innermost template that is open.
    private var end: Int
    /// The number of templates that are open.
    private var depth = 0
    /// The ends of the octets and of the open templates but the innermost.
    private var ends = InlineArray<32, Int>(repeating: 0)
    /// Whether the last object is a template whose contents are to follow.
    private var opens = false
    private var opened = 0

    /// A walk over all octets.
    public init(_ octets: Span<UInt8>) { self.init(0..<octets.count) }

    /// A walk over a part of the octets, for example over the value of a template.
    /// - Parameter range: offsets, which must lie in the octets that ``next(in:)`` receives.
    public init(_ range: Range<Int>) {
        next = range.lowerBound
        end = range.upperBound
    }

    /// Skips the contents of the template that ``next(in:)`` returned last. Without effect after another object.
    public mutating func skipContents() {
        guard opens else { return }
        opens = false
        next = opened
    }

    /// Returns the next data object.
    /// - Returns: nil at the end.
    /// - Throws: the error of the next object. The walk is over then.
    public mutating func next(in octets: Span<UInt8>) throws(DataObjectError) -> TagLengthValue? {
        if opens { try open() }
        repeat {
            while next == end {
                guard depth > 0 else { return nil }
                depth -= 1
                end = ends[depth]
            }
            guard octets[next] == 0 else { break }
            next += 1
        } while true
        let start = next
        let tag = try readTag(octets)
        let count = try readLength(octets)
        guard count <= end - next else { throw fail(.truncatedValue, at: start, "the value exceeds the octets") }
        let object = TagLengthValue(tag: tag, start: start, value: next..<next + count, depth: depth)
        if octets[start] & 0x20 != 0 {
            opens = true
            opened = next + count
        } else {
            next += count
        }
        return object
    }
}

extension TagLengthValueWalker {
    private mutating func open() throws(DataObjectError) {
        opens = false
        guard depth < TagLengthValue.maxDepth else {
            throw fail(.tooDeep, at: next, "more than \(TagLengthValue.maxDepth) templates contain each other")
        }
        ends[depth] = end
        depth += 1
        end = opened
    }

    @inline(__always)
    private mutating func readTag(_ octets: Span<UInt8>) throws(DataObjectError) -> Tag {
        let start = next
        var tag = UInt32(octets[next])
        next += 1
        guard tag & 0x1F == 0x1F else { return Tag(checked: tag) }
        repeat {
            guard next - start < 4 else { throw fail(.tagTooLong, at: start, "the tag has more than 4 octets") }
            guard next < end else { throw fail(.truncatedTag, at: start, "the octets end inside a tag") }
            tag = tag << 8 | UInt32(octets[next])
            next += 1
        } while tag & 0x80 != 0
        return Tag(checked: tag)
    }

    @inline(__always)
    private mutating func readLength(_ octets: Span<UInt8>) throws(DataObjectError) -> Int {
        let start = next
        guard next < end else { throw fail(.truncatedLength, at: start, "the octets end before a length") }
        let first = Int(octets[next])
        next += 1
        guard first >= 0x80 else { return first }
        let further = first & 0x7F
        guard further > 0 else { throw fail(.indefiniteLength, at: start, "the length is indefinite") }
        guard further <= 4 else { throw fail(.lengthTooLong, at: start, "the length has more than 5 octets") }
        guard further <= end - next else { throw fail(.truncatedLength, at: start, "the octets end inside a length") }
        var count: UInt32 = 0
        for _ in 0..<further {
            count = count << 8 | UInt32(octets[next])
            next += 1
        }
        // Where `Int` has 32 bits, the greatest lengths exceed any octets.
        return Int(clamping: count)
    }

    /// Ends the parsing, and returns the error.
    @inline(never)
    private mutating func fail(_ code: DataObjectError.Code, at offset: Int, _ message: String) -> DataObjectError {
        depth = 0
        next = end
        return DataObjectError(code, at: offset, message)
    }
}
