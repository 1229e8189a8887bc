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
        object.add("verified", family.verification)
        object.add("unknown", family.unknowns)
        object.add("link", simulation)
        return object
    }

    /// The link to a simulated one.
    private var simulation: String? {
        SimulatedFamily.named(family.name).map { LinkName(.sim, $0.name).description }
    }
}
