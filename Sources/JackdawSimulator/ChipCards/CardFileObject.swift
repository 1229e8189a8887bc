import JackdawBytes
import JackdawEMV
import JackdawReaders

/// An object of a card's file, with its place for errors. Every object may have a member `note`, which is for people.
struct CardFileObject {
    /// The place in the file: `applications[0].limits`.
    let place: String
    private let members: [String: JSONValue]

    /// - Parameters:
    ///   - value: the object.
    ///   - place: its place in the file.
    ///   - allowed: the names of its members; nil if they are not limited.
    /// - Throws: ``VirtualCardError`` if it is no object, or has another member.
    init(_ value: JSONValue, at place: String, allowed: [String]? = nil) throws(VirtualCardError) {
        guard case .object(var members) = value else {
            throw VirtualCardError(.kind, at: place, "it must be an object")
        }
        if let note = members.removeValue(forKey: "note"), note.text == nil {
            throw VirtualCardError(.kind, at: Self.join(place, "note"), "it must be a text")
        }
        if let allowed, let other = members.keys.sorted().first(where: { !allowed.contains($0) }) {
            let names = allowed.joined(separator: ", ")
            throw VirtualCardError(
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

    private func required(_ name: String) throws(VirtualCardError) -> JSONValue {
        guard let value = members[name] else {
            throw VirtualCardError(.member, at: place.isEmpty ? "the file" : place, "it lacks a member \"\(name)\"")
        }
        return value
    }

    /// A member that is an object.
    func object(_ name: String, allowed: [String]? = nil) throws(VirtualCardError) -> CardFileObject {
        try CardFileObject(required(name), at: place(of: name), allowed: allowed)
    }

    /// The objects of a member that is an array.
    func objects(_ name: String, allowed: [String]) throws(VirtualCardError) -> [CardFileObject] {
        guard case .array(let values) = try required(name) else {
            throw VirtualCardError(.kind, at: place(of: name), "it must be an array")
        }
        var objects: [CardFileObject] = []
        for (index, value) in values.enumerated() {
            objects.append(try CardFileObject(value, at: "\(place(of: name))[\(index)]", allowed: allowed))
        }
        return objects
    }

    /// A member that is a text.
    func text(_ name: String) throws(VirtualCardError) -> String {
        guard let text = try required(name).text else {
            throw VirtualCardError(.kind, at: place(of: name), "it must be a text")
        }
        return text
    }

    /// The texts of a member that is an array.
    func texts(_ name: String) throws(VirtualCardError) -> [String] {
        guard case .array(let values) = try required(name), values.allSatisfy({ $0.text != nil }) else {
            throw VirtualCardError(.kind, at: place(of: name), "it must be an array of texts")
        }
        return values.compactMap(\.text)
    }

    /// A member that is a whole number; nil if it is missing.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(VirtualCardError) -> Int? {
        guard let value = members[name] else { return nil }
        guard let number = value.number.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw VirtualCardError(
                .value, at: place(of: name),
                "it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A member that is true or false. Default: false.
    func flag(_ name: String) throws(VirtualCardError) -> Bool {
        guard let value = members[name] else { return false }
        guard case .flag(let flag) = value else {
            throw VirtualCardError(.kind, at: place(of: name), "it must be true or false")
        }
        return flag
    }

    /// The octets of a member that is a text of hexadecimal digits, perhaps with spaces between them.
    func octets(_ name: String, _ counts: ClosedRange<Int>) throws(VirtualCardError) -> [UInt8] {
        try secret(name, counts).octets
    }

    /// The octets of a secret, in wiped memory.
    func secret(_ name: String, _ counts: ClosedRange<Int>) throws(VirtualCardError) -> SecretOctets {
        let digits = try text(name).utf8
        let isSpace = { (character: UInt8) in character == UInt8(ascii: " ") }
        var count = 0
        do throws(HexadecimalError) {
            try digits.span.decodeHexadecimal(skipping: isSpace) { _ in count += 1 }
        } catch {
            throw VirtualCardError(.kind, at: place(of: name), "it must be octets, two hexadecimal digits each")
        }
        guard counts.contains(count) else {
            let right =
                counts.count == 1 ? "\(counts.lowerBound)" : "\(counts.lowerBound) to \(counts.upperBound)"
            throw VirtualCardError(.length, at: place(of: name), "it has \(count) octets; right are \(right)")
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
    func tag(_ name: String) throws(VirtualCardError) -> Tag {
        guard name.utf8.count.isMultiple(of: 2), let number = UInt32(name, radix: 16), name.first != "+",
            let tag = Tag(rawValue: number), tag.count * 2 == name.utf8.count
        else {
            throw VirtualCardError(.value, at: place(of: name), "the name must be a tag, such as 9F02")
        }
        return tag
    }
}
