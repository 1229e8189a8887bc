import JackdawBytes

/// Reading and writing profiles as JSON files.
///
/// ```json
/// {
///   "name": "our terminal", "family": "epos", "summary": "as its manual says",
///   "values": {
///     "frame.start": { "bytes": "02", "provenance": "documented", "source": "manual, p. 3" },
///     "times.answer": { "number": 2000, "provenance": "reported", "source": "measured" },
///     "frame.end": { "bytes": null, "title": "bytes that end a frame" }
///   }
/// }
/// ```
///
/// A value is a member `number`, `text`, `bytes` (hexadecimal digits) or `flag`, which is null if the value is unknown.
/// `provenance`, `source`, `title` and `summary` are optional.
extension ReaderProfile {
    /// The largest size of a file, in bytes.
    public static let maxFileSize = 65_536

    /// Parses a profile.
    /// - Parameter json: a JSON object in UTF-8.
    /// - Throws: ``ReaderError`` (`badProfile`) with the position and the reason.
    public init(json: [UInt8]) throws(ReaderError) {
        let root: JSONValue
        do throws(JSONValue.Fault) {
            root = try JSONValue(json, most: Self.maxFileSize)
        } catch {
            throw Self.bad("the profile", ReaderError.Reason(error.code), error.message)
        }
        let members = try Self.members(of: root, "the profile", allowed: ["name", "family", "summary", "values"])
        let name = try Self.text(members, "name", in: "name")
        let family = try Self.text(members, "family", in: "family")
        var entries: [ProfileKey: ProfileEntry] = [:]
        let values = try Self.members(of: members["values"] ?? .object([:]), "values", allowed: nil)
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            entries[ProfileKey(rawValue: key)] = try Self.entry(value, "values.\(key)")
        }
        self.init(name, of: family, try Self.text(members, "summary", in: "summary", default: ""), entries)
    }

    /// The profile as JSON with line breaks, for a file.
    public var json: [UInt8] {
        let values = entries.map { ($0.key.rawValue, Self.object(of: $0.value)) }
        return JSONValue.object([
            "name": .text(name), "family": .text(family), "summary": .text(summary),
            "values": .object(Dictionary(values) { first, _ in first }),
        ]).encoded(isForPeople: true)
    }

    private static func entry(_ value: JSONValue, _ place: String) throws(ReaderError) -> ProfileEntry {
        let kinds = ProfileValue.Kind.allCases.map(\.rawValue)
        let members = try members(of: value, place, allowed: kinds + ["provenance", "source", "title"])
        let given = ProfileValue.Kind.allCases.filter { members[$0.rawValue] != nil }
        guard let kind = given.first, given.count == 1, let content = members[kind.rawValue] else {
            throw bad(place, .member, "it must have exactly one of \(kinds.joined(separator: ", "))")
        }
        let title = try text(members, "title", in: "\(place).title", default: "")
        let source = try text(members, "source", in: "\(place).source", default: "")
        let word = try text(members, "provenance", in: "\(place).provenance", default: Provenance.unknown.rawValue)
        guard let provenance = Provenance(rawValue: word) else {
            let words = Provenance.allCases.map(\.rawValue).joined(separator: ", ")
            throw bad("\(place).provenance", .choice, "it must be one of \(words)")
        }
        guard content != .null else { return ProfileEntry(title, missing: kind, source) }
        guard let value = profileValue(content, kind) else {
            throw bad("\(place).\(kind.rawValue)", .kind, "it is \(content.kind), not \(words(for: kind))")
        }
        return ProfileEntry(title, value, provenance, source)
    }

    private static func profileValue(_ content: JSONValue, _ kind: ProfileValue.Kind) -> ProfileValue? {
        switch (kind, content) {
        case (.number, .number(let number)): return .number(number)
        case (.text, .text(let text)): return .text(text)
        case (.flag, .flag(let flag)): return .flag(flag)
        case (.bytes, .text(let digits)):
            let characters = Array(digits.utf8.filter { $0 != UInt8(ascii: " ") })
            guard characters.count.isMultiple(of: 2) else { return nil }
            var bytes: [UInt8] = []
            for index in stride(from: 0, to: characters.count, by: 2) {
                guard let byte = characters.span.byte(at: index) else { return nil }
                bytes.append(byte)
            }
            return .bytes(bytes)
        default: return nil
        }
    }

    private static func words(for kind: ProfileValue.Kind) -> String {
        switch kind {
        case .number: "a number"
        case .text: "a text"
        case .bytes: "bytes as hexadecimal digits, two each"
        case .flag: "true or false"
        }
    }

    private static func object(of entry: ProfileEntry) -> JSONValue {
        let value: JSONValue =
            switch entry.value {
            case nil: .null
            case .number(let number): .number(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .text(bytes.span.spacedHexadecimal(first: bytes.count))
            case .flag(let flag): .flag(flag)
            }
        return .object([
            entry.kind.rawValue: value, "provenance": .text(entry.provenance.rawValue), "source": .text(entry.source),
            "title": .text(entry.title),
        ])
    }

    /// Returns the members of an object; throws if there are others than those allowed.
    private static func members(
        of value: JSONValue, _ place: String, allowed: [String]?
    ) throws(ReaderError) -> [String: JSONValue] {
        guard case .object(let members) = value else { throw bad(place, .kind, "it is \(value.kind), not an object") }
        if let allowed, let other = members.keys.sorted().first(where: { !allowed.contains($0) }) {
            throw bad(
                place, .member,
                "it has a member \"\(other.prefix(40))\"; it may have \(allowed.joined(separator: ", "))")
        }
        return members
    }

    private static func text(
        _ members: [String: JSONValue], _ name: String, in place: String, default missing: String? = nil
    ) throws(ReaderError) -> String {
        switch members[name] {
        case .text(let text): return text
        case nil:
            guard let missing else { throw bad(place, .missing, "it is missing") }
            return missing
        case let other?: throw bad(place, .kind, "it is \(other.kind), not a text")
        }
    }

    private static func bad(_ place: String, _ reason: ReaderError.Reason, _ words: String) -> ReaderError {
        let place = String(place.prefix(100))
        return ReaderError(.badProfile, reason, at: place, "\(place): \(words)", remedy: "correct the profile's file")
    }
}
