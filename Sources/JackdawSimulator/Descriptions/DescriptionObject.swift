package import JackdawReaders

/// An object of a file that describes something, such as a card or an issuer, with its place for errors. Every object may have a member `note`,
/// which is for people.
///
/// A method returns the value of a member, or throws ``SimulationFileError`` with the member's place: if the member is
/// missing, unless the method's name begins with `optional`, or if the value is invalid.
package struct DescriptionObject {
    /// The largest size of a file, in bytes.
    package static let maxFileSize = 1 << 18

    /// The place in the file: `applications[0].limits`; empty for the whole file.
    package let place: String
    private let members: [String: JSONValue]

    /// Parses a file.
    /// - Parameters:
    ///   - json: JSON in UTF-8.
    ///   - place: the place for errors; empty for the whole file.
    /// - Returns: its content.
    /// - Throws: ``SimulationFileError`` if the file is too long, or not JSON.
    static func content(of json: [UInt8], at place: String = "") throws(SimulationFileError) -> JSONValue {
        do throws(JSONValue.Fault) { return try JSONValue(json, most: maxFileSize) } catch {
            throw SimulationFileError(.json, at: place, error.message)
        }
    }

    /// The object that a file is. Its member `name` is for people.
    /// - Parameters:
    ///   - json: JSON in UTF-8.
    ///   - allowed: the names of its members but `name`.
    /// - Throws: ``SimulationFileError`` if the file is too long, not JSON or no object, or has another member.
    package init(json: [UInt8], allowed: [String]) throws(SimulationFileError) {
        try self.init(file: Self.content(of: json), allowed: allowed)
    }

    /// The same for the content of a file.
    /// - Parameters:
    ///   - content: the content.
    ///   - place: its place in another file that has it; empty if there is none.
    ///   - allowed: the names of its members but `name`.
    /// - Throws: ``SimulationFileError`` if the content is no object, or has another member.
    init(file content: JSONValue, at place: String = "", allowed: [String]) throws(SimulationFileError) {
        try self.init(content, at: place, allowed: ["name"] + allowed)
        _ = try optionalText("name")
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
        self.place = place
        self.members = members
        if let allowed { try allow(allowed) }
    }

    /// Limits the members.
    /// - Throws: ``SimulationFileError`` if the object has another member but `note`.
    func allow(_ allowed: [String]) throws(SimulationFileError) {
        guard let other = names.first(where: { !allowed.contains($0) }) else { return }
        let known = allowed.joined(separator: ", ")
        throw SimulationFileError(
            .member, at: place, "it has a member \"\(other.prefix(40))\"; its members are \(known), note")
    }

    /// The names of the members but `note`, in ascending order.
    var names: [String] { members.keys.sorted() }

    /// Whether there is a member.
    package func has(_ name: String) -> Bool { members[name] != nil }

    /// The value of a member; nil if it is missing.
    package subscript(name: String) -> JSONValue? { members[name] }

    /// The place of a member.
    package func place(of name: String) -> String { Self.join(place, name) }

    private static func join(_ place: String, _ name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    private func required(_ name: String) throws(SimulationFileError) -> JSONValue {
        guard let value = members[name] else {
            throw SimulationFileError(.member, at: place, "it lacks a member \"\(name)\"")
        }
        return value
    }

    /// An object with these members; nil if they are not limited.
    package func object(_ name: String, allowed: [String]? = nil) throws(SimulationFileError) -> DescriptionObject {
        try DescriptionObject(required(name), at: place(of: name), allowed: allowed)
    }

    /// The same; nil if it is missing.
    package func optionalObject(_ name: String, allowed: [String]? = nil) throws(SimulationFileError)
        -> DescriptionObject?
    {
        has(name) ? try object(name, allowed: allowed) : nil
    }

    /// The objects of an array.
    package func objects(_ name: String, allowed: [String]) throws(SimulationFileError) -> [DescriptionObject] {
        guard case .array(let values) = try required(name) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array")
        }
        var objects: [DescriptionObject] = []
        for (index, value) in values.enumerated() {
            objects.append(try DescriptionObject(value, at: "\(place(of: name))[\(index)]", allowed: allowed))
        }
        return objects
    }

    /// The same; none if the array is missing.
    package func optionalObjects(_ name: String, allowed: [String]) throws(SimulationFileError) -> [DescriptionObject] {
        has(name) ? try objects(name, allowed: allowed) : []
    }

    /// A member that is a text.
    package func text(_ name: String) throws(SimulationFileError) -> String {
        guard let text = try required(name).text else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be a text")
        }
        return text
    }

    /// The same; nil if it is missing.
    package func optionalText(_ name: String) throws(SimulationFileError) -> String? {
        has(name) ? try text(name) : nil
    }

    /// The texts of an array.
    func texts(_ name: String) throws(SimulationFileError) -> [String] {
        guard case .array(let values) = try required(name), values.allSatisfy({ $0.text != nil }) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array of texts")
        }
        return values.compactMap(\.text)
    }

    /// A member that is a whole number.
    package func number(_ name: String, _ range: ClosedRange<Int>) throws(SimulationFileError) -> Int {
        guard let number = try required(name).number.flatMap({ Int(exactly: $0) }), range.contains(number) else {
            throw SimulationFileError(
                .value, at: place(of: name),
                "it must be a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The same; nil if it is missing.
    package func optionalNumber(_ name: String, _ range: ClosedRange<Int>) throws(SimulationFileError) -> Int? {
        has(name) ? try number(name, range) : nil
    }

    /// True or false. Default: false.
    package func optionalFlag(_ name: String) throws(SimulationFileError) -> Bool { has(name) ? try flag(name) : false }

    /// A member that is true or false.
    func flag(_ name: String) throws(SimulationFileError) -> Bool {
        guard case .flag(let flag) = try required(name) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be true or false")
        }
        return flag
    }
}
