import JackdawBytes
import JackdawEMV
import JackdawReaders

/// An object of the file of a card, an issuer or a payer, with its place for errors. Every object may have a member `note`,
/// which is for people.
struct DescriptionObject {
    /// The largest size of a file, in bytes.
    static let maxFileSize = 1 << 18

    /// The place in the file: `applications[0].limits`; empty for the whole file.
    let place: String
    private let members: [String: JSONValue]

    /// The object that a file is. Its member `name` is for people.
    /// - Parameters:
    ///   - json: JSON in UTF-8.
    ///   - allowed: the names of its members but `name`.
    /// - Throws: ``SimulationFileError`` if the file is too long, not JSON or no object, or has another member.
    init(json: [UInt8], allowed: [String]) throws(SimulationFileError) {
        let root: JSONValue
        do throws(JSONValue.Fault) {
            root = try JSONValue(json, most: Self.maxFileSize)
        } catch {
            throw SimulationFileError(.json, at: "", error.message)
        }
        try self.init(root, at: "", allowed: ["name"] + allowed)
        if has("name") { _ = try text("name") }
    }

    /// - Parameters:
    ///   - value: the object.
    ///   - place: its place in the file.
    ///   - allowed: the names of its members; nil if they are not limited.
    /// - Throws: ``SimulationFileError`` if it is no object, or has another member.
    init(_ value: JSONValue, at place: String, allowed: [String]? = nil) throws(SimulationFileError) {
        guard case .object(var members) = value else {
            throw SimulationFileError(.kind, at: place, "it must be an object")
        }
        if let note = members.removeValue(forKey: "note"), note.text == nil {
            throw SimulationFileError(.kind, at: Self.join(place, "note"), "it must be a text")
        }
        if let allowed, let other = members.keys.sorted().first(where: { !allowed.contains($0) }) {
            let names = allowed.joined(separator: ", ")
            throw SimulationFileError(
                .member, at: place, "it has a member \"\(other.prefix(40))\"; its members are \(names), note")
        }
        self.place = place
        self.members = members
    }

    /// The names of the members but `note`, in ascending order.
    var names: [String] { members.keys.sorted() }

    /// Whether there is a member.
    func has(_ name: String) -> Bool { members[name] != nil }

    /// The place of a member.
    func place(of name: String) -> String { Self.join(place, name) }

    private static func join(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    private func required(_ name: String) throws(SimulationFileError) -> JSONValue {
        guard let value = members[name] else {
            throw SimulationFileError(.member, at: place, "it lacks a member \"\(name)\"")
        }
        return value
    }

    /// A member that is an object.
    func object(_ name: String, allowed: [String]? = nil) throws(SimulationFileError) -> DescriptionObject {
        try DescriptionObject(required(name), at: place(of: name), allowed: allowed)
    }

    /// The objects of a member that is an array.
    func objects(_ name: String, allowed: [String]) throws(SimulationFileError) -> [DescriptionObject] {
        guard case .array(let values) = try required(name) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array")
        }
        var objects: [DescriptionObject] = []
        for (index, value) in values.enumerated() {
            objects.append(try DescriptionObject(value, at: "\(place(of: name))[\(index)]", allowed: allowed))
        }
        return objects
    }

    /// A member that is a text.
    func text(_ name: String) throws(SimulationFileError) -> String {
        guard let text = try required(name).text else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be a text")
        }
        return text
    }

    /// The texts of a member that is an array.
    func texts(_ name: String) throws(SimulationFileError) -> [String] {
        guard case .array(let values) = try required(name), values.allSatisfy({ $0.text != nil }) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array of texts")
        }
        return values.compactMap(\.text)
    }

    /// A member that is a whole number; nil if it is missing.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(SimulationFileError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.number.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw SimulationFileError(
                .value, at: place(of: name),
                "it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A member that is true or false. Default: false.
    func flag(_ name: String) throws(SimulationFileError) -> Bool {
        guard let value = members[name] else { return false }
        guard case .flag(let flag) = value else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be true or false")
        }
        return flag
    }

    /// The octets of a member that is a text of hexadecimal digits, perhaps with spaces between them.
    func octets(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> [UInt8] {
        try secret(name, counts).octets
    }

    /// The octets of a secret, in wiped memory.
    func secret(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> SecretOctets {
        let digits = try text(name).utf8
        let isSpace = { (character: UInt8) in character == UInt8(ascii: " ") }
        var count = 0
        do throws(HexadecimalError) {
            try digits.span.decodeHexadecimal(skipping: isSpace) { _ in count += 1 }
        } catch {
            throw SimulationFileError(.kind, at: place(of: name), "it must be octets, two hexadecimal digits each")
        }
        guard counts.contains(count) else {
            let right =
                counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
            throw SimulationFileError(.length, at: place(of: name), "it has \(count) octets; right are \(right)")
        }
        return SecretOctets(count: count) { octets in
            var next = 0
            // The digits were checked.
            try? digits.span.decodeHexadecimal(skipping: isSpace) {
                octets[next] = $0
                next += 1
            }
        }
    }

    /// The tag that a member's name is.
    func tag(_ name: String) throws(SimulationFileError) -> Tag {
        guard name.utf8.count.isMultiple(of: 2), let number = UInt32(name, radix: 16), name.first != "+",
            let tag = Tag(rawValue: number), tag.count * 2 == name.utf8.count
        else {
            throw SimulationFileError(.value, at: place(of: name), "the name must be a tag, such as 9F02")
        }
        return tag
    }

    /// A time in whole milliseconds, at most an hour; nil if it is missing.
    func milliseconds(_ name: String) throws(SimulationFileError) -> Duration? {
        try number(name, 0...3_600_000).map { .milliseconds($0) }
    }

    /// One of several texts; nil if it is missing.
    func choice(_ name: String, _ texts: [String]) throws(SimulationFileError) -> String? {
        guard has(name) else { return nil }
        let text = try text(name)
        guard texts.contains(text) else {
            throw SimulationFileError(
                .value, at: place(of: name), "it must be one of \(texts.joined(separator: ", "))")
        }
        return text
    }

    /// A text of decimal digits, in ASCII; nil if it is missing.
    func digits(_ name: String, _ counts: ClosedRange<Int>) throws(SimulationFileError) -> SecretOctets? {
        guard has(name) else { return nil }
        var digits = Array(try text(name).utf8)
        defer { digits.wipe() }
        guard counts.contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw SimulationFileError(
                .value, at: place(of: name), "it must have \(counts.lowerBound) to \(counts.upperBound) digits")
        }
        return SecretOctets(digits)
    }
}
