import JackdawALSA
import JackdawCryptography
import JackdawReaders
import JackdawSimulator
import JackdawTransport

/// A device of a sound card, as it is printed.
struct DeviceReport {
    let card: SoundCard
    let device: PCMDevice

    /// An empty table with the columns of a device.
    static var table: Table {
        Table(
            .text("link"), .text("direction"), .text("name"), .text("state"), .text("kHz"), .text("channels"),
            .text("formats"))
    }

    func add(to table: inout Table) {
        table.add(
            device.link.description, device.direction.rawValue, device.name, state,
            device.abilities?.rateText ?? "", device.abilities?.channelText ?? "",
            device.abilities?.formats.joined(separator: " ") ?? "")
    }

    /// Whether the device can be opened, and which processes use it.
    private var state: String {
        var parts: [String] = []
        switch device.access {
        case .allowed: break
        case .denied: parts.append("not permitted")
        case .missing: parts.append("no device file")
        }
        let holders = device.holders.map(\.description).joined(separator: ", ")
        let owners = holders.isEmpty ? "" : " by \(holders)"
        if device.isBusy {
            parts.append("in use\(owners)")
        } else if device.subdevicesInUse > 0 {
            parts.append("\(device.subdevicesInUse) of \(device.subdevices) in use\(owners)")
        }
        return parts.isEmpty ? "free" : parts.joined(separator: ", ")
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "pcm")
        object.add("link", device.link.description)
        object.add("card", card.number)
        object.add("card_id", card.id)
        object.add("card_name", card.name)
        object.add("device", device.number)
        object.add("direction", device.direction.rawValue)
        object.add("name", device.name)
        object.add("access", device.access.rawValue)
        object.add("subdevices", device.subdevices)
        object.add("in_use", device.subdevicesInUse)
        object.add(
            "holders",
            device.holders.map { holder in
                var object = JSONObject()
                object.add("pid", Int(holder.process))
                object.add("name", holder.name)
                return object
            })
        object.add("rates", device.abilities?.usualRates ?? [])
        object.add("rate_min", device.abilities?.rates.lowerBound)
        object.add("rate_max", device.abilities?.rates.upperBound)
        object.add("channels_min", device.abilities?.channels.lowerBound)
        object.add("channels_max", device.abilities?.channels.upperBound)
        object.add("formats", device.abilities?.formats ?? [])
        return object
    }
}

extension NamedPCM {
    func add(to table: inout Table) {
        for direction in directions { table.add(link.description, direction.rawValue, meaning, "", "", "", "") }
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "name")
        object.add("link", link.description)
        object.add("directions", directions.map(\.rawValue))
        object.add("name", meaning)
        return object
    }
}

extension PCMAbilities {
    /// The usual rates one by one, or the first and the last if there are more than four.
    fileprivate var rateText: String {
        func text(_ rate: Int) -> String { rate % 1000 == 0 ? "\(rate / 1000)" : "\(Double(rate) / 1000)" }
        guard let first = usualRates.first, let last = usualRates.last else {
            return "\(text(rates.lowerBound)) to \(text(rates.upperBound))"
        }
        guard usualRates.count > 4 else { return usualRates.map(text).joined(separator: " ") }
        return "\(text(first)) to \(text(last))"
    }

    fileprivate var channelText: String {
        channels.count == 1 ? "\(channels.lowerBound)" : "\(channels.lowerBound) to \(channels.upperBound)"
    }
}

/// A reader family, as it is printed.
struct FamilyReport {
    let family: ReaderFamily

    /// An empty table with the columns of a family.
    static var table: Table {
        Table(.text("family"), .text("over"), .text("protocol"), .text("link"), .text("readers"))
    }

    func add(to table: inout Table) {
        table.add(
            family.name, family.carriers.map(Self.name).joined(separator: ", "), Self.name(family.provenance),
            simulation ?? "", family.title)
        if let recognition = family.recognition { table.add("", "", "", "", "known by: \(recognition)") }
        table.add("", "", "", "", "tested with: \(family.verification)")
        for unknown in family.unknowns { table.add("", "", "", "", "not known: \(unknown)") }
    }

    /// A carrier in words.
    private static func name(_ carrier: ReaderFamily.Carrier) -> String {
        carrier == .audio ? "audio jack" : carrier.rawValue
    }

    /// How much of a protocol is published, in words.
    private static func name(_ provenance: Provenance) -> String {
        provenance == .unknown ? "not published" : provenance.rawValue
    }

    var json: JSONObject {
        var object = JSONObject()
        object.add("kind", "family")
        object.add("name", family.name)
        object.add("title", family.title)
        object.add("carriers", family.carriers.map(\.rawValue))
        object.add("protocol", family.provenance.rawValue)
        object.add("key_scheme", KeyScheme.published(for: family.name)?.rawValue)
        object.add("recognition", family.recognition)
        object.add("verified", family.verification)
        object.add("unknown", family.unknowns)
        let entries = family.profile.entries.sorted { $0.key.rawValue < $1.key.rawValue }
        object.add("values", entries.map { key, entry in Self.json(key, entry) })
        object.add("link", simulation)
        return object
    }

    /// The object of one value of the family's profile.
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

    /// The name of the link to a simulated reader of the family; nil if the family has none.
    private var simulation: String? {
        SimulatedFamily.named(family.name).map { LinkName(.sim, $0.name).description }
    }
}
