import JackdawReaders
import JackdawSimulator

/// Values of a directory's file, beside those of every description.
extension DescriptionObject {
    /// The objects of an array; none if it is missing.
    func objects(_ name: String, most: Int, allowed: [String]) throws(SimulationFileError) -> [DescriptionObject] {
        _ = try values(name, most: most)
        return try optionalObjects(name, allowed: allowed)
    }

    /// The objects of an array with any members that are texts; none if it is missing.
    func texts(ofObjects name: String, most: Int) throws(SimulationFileError) -> [[(name: String, value: String)]] {
        var all: [[(name: String, value: String)]] = []
        for (index, value) in try values(name, most: most).enumerated() {
            let place = "\(place(of: name))[\(index)]"
            guard case .object(let members) = value, members.count <= 50 else {
                throw SimulationFileError(.kind, at: place, "it must be an object of at most 50 texts")
            }
            var texts: [(name: String, value: String)] = []
            for name in members.keys.sorted() {
                guard let text = members[name]?.text else {
                    throw SimulationFileError(.kind, at: "\(place).\(name.prefix(40))", "it must be a text")
                }
                texts.append((name, text))
            }
            all.append(texts)
        }
        return all
    }

    private func values(_ name: String, most: Int) throws(SimulationFileError) -> [JSONValue] {
        guard let value = self[name] else { return [] }
        guard case .array(let values) = value, values.count <= most else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array of at most \(most) elements")
        }
        return values
    }

    /// A text of 1 to 200 bytes.
    func shortText(_ name: String) throws(SimulationFileError) -> String {
        let text = try text(name)
        guard (1...200).contains(text.utf8.count) else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be a text of 1 to 200 bytes")
        }
        return text
    }

    /// The same; another text if it is missing.
    func shortText(_ name: String, or other: String) throws(SimulationFileError) -> String {
        has(name) ? try shortText(name) : other
    }

    /// An identifier: printable ASCII without spaces.
    func identifier(_ name: String) throws(SimulationFileError) -> String {
        let text = try shortText(name)
        guard text.isIdentifier else {
            throw SimulationFileError(
                .value, at: place(of: name), "it must be 1 to 64 characters of ASCII without spaces")
        }
        return text
    }

    /// The texts of an array, 1 to 200.
    func shortTexts(_ name: String) throws(SimulationFileError) -> [String] {
        let values = try values(name, most: 200).map(\.text)
        let texts = values.compactMap { $0 }
        guard !texts.isEmpty, texts.count == values.count else {
            throw SimulationFileError(.kind, at: place(of: name), "it must be an array of texts")
        }
        return texts
    }

    /// The whole numbers of an array; none if it is missing.
    func numbers(_ name: String, _ range: ClosedRange<Int>) throws(SimulationFileError) -> [Int] {
        let values = try values(name, most: 200)
        let numbers = values.compactMap { $0.number.flatMap { Int(exactly: $0) } }.filter { range.contains($0) }
        guard numbers.count == values.count else {
            throw SimulationFileError(.value, at: place(of: name), "it must be an array of whole numbers")
        }
        return numbers
    }
}
