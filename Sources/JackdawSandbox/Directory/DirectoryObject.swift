import JackdawReaders

/// An object of a directory's file, with its place for errors. Every object may have a `note`, which is for people.
///
/// A method returns the value of a member, or throws ``SandboxFileError`` with the member's place.
struct DirectoryObject {
    let place: String
    private let members: [String: JSONValue]

    init(_ value: JSONValue, at place: String, allowed: [String]) throws(SandboxFileError) {
        guard case .object(var members) = value else {
            throw SandboxFileError(.kind, at: place, "it must be an object")
        }
        members["note"] = nil
        self.place = place
        self.members = members
        guard let other = members.keys.sorted().first(where: { !allowed.contains($0) }) else { return }
        throw SandboxFileError(
            .member, at: place,
            "it has a member \"\(other.prefix(40))\"; its members are \(allowed.joined(separator: ", ")), note")
    }

    func place(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    func has(_ name: String) -> Bool { members[name] != nil }

    private func required(_ name: String) throws(SandboxFileError) -> JSONValue {
        guard let value = members[name] else {
            throw SandboxFileError(.member, at: place, "it lacks a member \"\(name)\"")
        }
        return value
    }

    /// The objects of an array; none if it is missing.
    func objects(_ name: String, most: Int, allowed: [String]) throws(SandboxFileError) -> [DirectoryObject] {
        var objects: [DirectoryObject] = []
        for (index, value) in try array(name, most: most).enumerated() {
            objects.append(try DirectoryObject(value, at: "\(place(of: name))[\(index)]", allowed: allowed))
        }
        return objects
    }

    /// The objects of an array with any members that are texts; none if it is missing.
    func texts(ofObjects name: String, most: Int) throws(SandboxFileError) -> [[(name: String, value: String)]] {
        var all: [[(name: String, value: String)]] = []
        for (index, value) in try array(name, most: most).enumerated() {
            let place = "\(place(of: name))[\(index)]"
            guard case .object(let members) = value, members.count <= 50 else {
                throw SandboxFileError(.kind, at: place, "it must be an object of at most 50 texts")
            }
            var texts: [(name: String, value: String)] = []
            for name in members.keys.sorted() {
                guard let text = members[name]?.text else {
                    throw SandboxFileError(.kind, at: "\(place).\(name.prefix(40))", "it must be a text")
                }
                texts.append((name, text))
            }
            all.append(texts)
        }
        return all
    }

    private func array(_ name: String, most: Int) throws(SandboxFileError) -> [JSONValue] {
        guard has(name) else { return [] }
        guard case .array(let values) = try required(name), values.count <= most else {
            throw SandboxFileError(.kind, at: place(of: name), "it must be an array of at most \(most) elements")
        }
        return values
    }

    /// An object; nil if it is missing.
    func object(_ name: String, allowed: [String]) throws(SandboxFileError) -> DirectoryObject? {
        guard has(name) else { return nil }
        return try DirectoryObject(required(name), at: place(of: name), allowed: allowed)
    }

    /// A text of 1 to 200 characters.
    func text(_ name: String) throws(SandboxFileError) -> String {
        guard let text = try required(name).text, (1...200).contains(text.utf8.count) else {
            throw SandboxFileError(.kind, at: place(of: name), "it must be a text of 1 to 200 bytes")
        }
        return text
    }

    /// The same; another text if it is missing.
    func text(_ name: String, or other: String) throws(SandboxFileError) -> String {
        has(name) ? try text(name) : other
    }

    /// An identifier: printable ASCII without spaces.
    func identifier(_ name: String) throws(SandboxFileError) -> String {
        let text = try text(name)
        guard text.isIdentifier else {
            throw SandboxFileError(.value, at: place(of: name), "it must be 1 to 64 characters of ASCII without spaces")
        }
        return text
    }

    /// The texts of an array, at least one.
    func texts(_ name: String) throws(SandboxFileError) -> [String] {
        let values = try array(name, most: 200).map(\.text)
        let texts = values.compactMap { $0 }
        guard !texts.isEmpty, texts.count == values.count else {
            throw SandboxFileError(.kind, at: place(of: name), "it must be an array of texts")
        }
        return texts
    }

    /// A whole number; nil if it is missing.
    func number(_ name: String, _ range: ClosedRange<Int>) throws(SandboxFileError) -> Int? {
        guard has(name) else { return nil }
        guard let number = try required(name).number.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw SandboxFileError(
                .value, at: place(of: name),
                "it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The whole numbers of an array; none if it is missing.
    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(SandboxFileError) -> [Int] {
        let values = try array(name, most: 200)
        let numbers = values.compactMap { $0.number.flatMap { Int(exactly: $0) } }.filter { range.contains($0) }
        guard numbers.count == values.count else {
            throw SandboxFileError(.value, at: place(of: name), "it must be an array of whole numbers")
        }
        return numbers
    }

    /// True or false. Default: false.
    func flag(_ name: String) throws(SandboxFileError) -> Bool {
        guard has(name) else { return false }
        guard case .flag(let flag) = try required(name) else {
            throw SandboxFileError(.kind, at: place(of: name), "it must be true or false")
        }
        return flag
    }
}
