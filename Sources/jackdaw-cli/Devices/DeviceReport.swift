import JackdawALSA
import JackdawTransport

/// What there is to say of a device of a sound card.
struct DeviceReport {
    let card: SoundCard
    let device: PCMDevice

    /// An empty table of devices.
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

    /// Whether it can be opened, and who has it.
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
    /// The usual rates one by one, or from the first to the last where there are many.
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
