import JackdawBytes
import JackdawReaders

// Files that change another file: {"base": "visa-dda", "changes": {"pin.tries_left": 0}}.

/// Resolves the bases of a file: the file without base at the end of the chain, with the changes of all others.
struct DerivedFile {
    /// The most bases of a file, one of another.
    static let maxBases = 4
    /// The most changes of a file. Each one can copy the whole base.
    static let maxChanges = 1_000

    /// The file with all changes.
    let value: JSONValue
    /// The file at the end of the chain, without any change.
    let root: JSONValue
    /// The name of that file; nil if the file itself has no base.
    let rootName: String?

    /// - Parameters:
    ///   - file: the content of the file.
    ///   - place: its place in another file that has it; empty if there is none.
    ///   - find: returns the bytes of the base with a name; nil if there is none.
    /// - Throws: ``SimulationFileError`` with code `base` if a base is missing, or the chain is too long or has no end,
    ///   and the error of a file of the chain, whose place begins with its name.
    init(_ file: JSONValue, at place: String = "", _ find: (String) -> [UInt8]?) throws(SimulationFileError) {
        var names: [String] = []
        var layers: [(file: DescriptionObject, changes: [Change])] = []
        var last = file
        while last["base"] != nil {
            let layer = try DescriptionObject(
                file: last, at: names.last ?? place, allowed: ["base", "changes", "ends"])
            let name = try layer.text("base")
            let basePlace = layer.place(of: "base")
            try Self.checkName(name, at: basePlace)
            try Self.check(name, after: names, at: basePlace)
            layers.append((layer, try Self.changes(last["changes"], at: layer.place(of: "changes"))))
            names.append(name)
            guard var bytes = find(name) else {
                throw SimulationFileError(.base, at: basePlace, "there is no file \"\(name)\"")
            }
            defer { bytes.wipe() }
            last = try DescriptionObject.content(of: bytes, at: basePlace)
        }
        root = last
        rootName = names.last
        var value = last
        for layer in layers.reversed() {
            for change in layer.changes {
                guard change.apply(to: &value) else {
                    let place = layer.file.place(of: "changes.\(change.name.prefix(120))")
                    throw SimulationFileError(.base, at: place, "the base has no such place")
                }
            }
        }
        self.value = value
    }

    /// Checks the name of a file, which must not lead out of its folder.
    static func checkName(_ name: String, at place: String) throws(SimulationFileError) {
        let allowed = { (octet: UInt8) in
            octet == UInt8(ascii: "-") || (0x30...0x39).contains(octet) || (0x61...0x7A).contains(octet)
        }
        guard (1...40).contains(name.utf8.count), name.utf8.allSatisfy(allowed) else {
            throw SimulationFileError(
                .value, at: place, "a name has 1 to 40 small letters, digits and hyphens, and no \".json\"")
        }
    }

    private static func check(_ name: String, after names: [String], at place: String) throws(SimulationFileError) {
        guard !names.contains(name) else {
            throw SimulationFileError(.base, at: place, "\"\(name)\" is its own base")
        }
        guard names.count < maxBases else {
            throw SimulationFileError(.base, at: place, "a file has at most \(maxBases) bases, one of another")
        }
    }

    /// The changes of a file: values first, then what is removed, from the last place to the first.
    private static func changes(_ value: JSONValue?, at place: String) throws(SimulationFileError) -> [Change] {
        guard let value else { return [] }
        guard case .object(let members) = value else {
            throw SimulationFileError(.kind, at: place, "it must be an object")
        }
        guard members.count <= maxChanges else {
            throw SimulationFileError(.value, at: place, "it must have at most \(maxChanges) changes")
        }
        var changes: [Change] = []
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let steps = Change.steps(name) else {
                throw SimulationFileError(
                    .value, at: place,
                    "\"\(name.prefix(80))\" is no place, such as applications[0].records[1].objects.8E")
            }
            changes.append(Change(name: name, steps: steps, value: value == .null ? nil : value))
        }
        changes.sort { $0.steps.lexicographicallyPrecedes($1.steps) }
        return changes.filter { $0.value != nil } + changes.filter { $0.value == nil }.reversed()
    }

    /// A change of one value.
    private struct Change {
        /// A step on the way to a place. Indexes are in the order of their numbers: 9 comes before 10.
        enum Step: Comparable {
            case member(String)
            case index(Int)
        }

        /// The place as the file names it.
        let name: String
        let steps: [Step]
        /// The new value; nil to remove the old one.
        let value: JSONValue?

        /// The steps to a place: `applications[0].profile`; nil if the text is no place, or has more than 16 steps.
        /// Each place has one spelling.
        static func steps(_ name: String) -> [Step]? {
            var steps: [Step] = []
            for part in name.split(separator: ".", omittingEmptySubsequences: false) {
                let pieces = part.split(separator: "[", omittingEmptySubsequences: false)
                guard let member = pieces.first, !member.isEmpty else { return nil }
                steps.append(.member(String(member)))
                for piece in pieces.dropFirst() {
                    let digits = piece.dropLast()
                    guard piece.last == "]", let index = Int(digits), (0..<1_000).contains(index),
                        String(index) == digits
                    else { return nil }
                    steps.append(.index(index))
                }
            }
            return steps.count <= 16 ? steps : nil
        }

        /// Sets or removes the value. A member that is new is added, and so is the element after the last of an array.
        /// - Returns: false if there is no such place.
        func apply(to target: inout JSONValue) -> Bool { apply(steps[...], to: &target) }

        private func apply(_ steps: ArraySlice<Step>, to target: inout JSONValue) -> Bool {
            guard let step = steps.first else { return false }
            let rest = steps.dropFirst()
            switch (step, target) {
            case (.member(let name), .object(var members)):
                if rest.isEmpty {
                    guard value != nil || members[name] != nil else { return false }
                    members[name] = value
                } else {
                    guard var inner = members[name], apply(rest, to: &inner) else { return false }
                    members[name] = inner
                }
                target = .object(members)
            case (.index(let index), .array(var elements)):
                guard index < elements.count || index == elements.count && rest.isEmpty && value != nil else {
                    return false
                }
                if !rest.isEmpty {
                    guard apply(rest, to: &elements[index]) else { return false }
                } else if let value {
                    if index < elements.count { elements[index] = value } else { elements.append(value) }
                } else {
                    elements.remove(at: index)
                }
                target = .array(elements)
            default: return false
            }
            return true
        }
    }
}
