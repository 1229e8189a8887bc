import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// What there is to say of a family of readers.
struct FamilyReport {
    let family: ReaderFamily

    /// An empty table of families.
    static var table: Table {
        Table(.text("family"), .text("over"), .text("protocol"), .text("link"), .text("readers"))
    }

    func add(to table: inout Table) {
        table.add(
            family.name, family.carriers.map(\.rawValue).joined(separator: ", "), family.provenance.rawValue,
            simulation ?? "", family.title)
        if let recognition = family.recognition { table.add("", "", "", "", "known by: \(recognition)") }
        table.add("", "", "", "", "tried with: \(family.verification)")
        for unknown in family.unknowns { table.add("", "", "", "", "not known: \(unknown)") }
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "family")
        object.add("name", family.name)
        object.add("title", family.title)
        object.add("carriers", family.carriers.map(\.rawValue))
        object.add("protocol", family.provenance.rawValue)
        object.add("recognition", family.recognition)
        object.add("verified", family.verification)
        object.add("unknown", family.unknowns)
        let entries = family.profile.entries.sorted { $0.key.rawValue < $1.key.rawValue }
        object.add("values", entries.map { key, entry in Self.json(key, entry) })
        object.add("link", simulation)
        return object
    }

    /// A value of the family's profile.
    private static func json(_ key: ProfileKey, _ entry: ProfileEntry) -> JSONObject {
        var object = JSONObject()
        object.add("name", key.rawValue)
        object.add("title", entry.title)
        object.add("kind", entry.kind.rawValue)
        object.add("value", entry.value.map { "\($0)" })
        object.add("provenance", entry.provenance.rawValue)
        object.add("source", entry.source)
        return object
    }

    /// The link to a simulated one.
    private var simulation: String? {
        SimulatedFamily.named(family.name).map { LinkName(.sim, $0.name).description }
    }
}
