import JackdawSystem

/// The kernel's own account of its sound cards, below `/proc/asound`: readable also to a user who may open none of them.
struct KernelSound {
    /// A card by its number, its short name that links use, and its names for people.
    struct Card: Hashable {
        let number: Int
        let id: String
        let name: String
        let longName: String
    }

    /// A device of a card, one way.
    struct Device: Hashable {
        let card: Int
        let number: Int
        let direction: PCMDirection
        let id: String
        let name: String
        let subdevices: Int

        /// The file that a program opens.
        var file: String { "/dev/snd/pcmC\(card)D\(number)\(direction.letter)" }
    }

    private static let root = "/proc/asound"
    let files: any SystemFiles

    /// The cards, in the order of their numbers.
    /// - Throws: ``SystemFailure``: with `ENOENT` where the kernel has no sound.
    func cards() throws(SystemFailure) -> [Card] {
        var cards: [Card] = []
        // " 0 [PCH            ]: HDA-Intel - HDA Intel PCH", and a line with the long name.
        let lines = try files.text(of: "\(Self.root)/cards").split(separator: "\n").map(String.init)
        for (place, line) in lines.enumerated() {
            guard let open = line.firstIndex(of: "["), let close = line[open...].firstIndex(of: "]"),
                let number = Int(line[..<open].trimmed)
            else { continue }
            let id = line[line.index(after: open)..<close].trimmed
            let names = line[close...].drop { $0 == "]" || $0 == ":" || $0 == " " }
            let separator = names.firstRange(of: " - ")
            let name = separator.map { names[$0.upperBound...].trimmed } ?? names.trimmed
            let next = place + 1 < lines.count ? lines[place + 1].trimmed : ""
            cards.append(Card(number: number, id: id, name: name, longName: next.isEmpty ? name : next))
        }
        return cards
    }

    /// The devices of all cards, in the order of their numbers, capture first.
    func devices() -> [Device] {
        guard let text = try? files.text(of: "\(Self.root)/pcm") else { return [] }
        // "00-00: ALC269VC Analog : ALC269VC Analog : playback 1 : capture 1"; a name may have colons of its own.
        return text.split(separator: "\n").flatMap { line -> [Device] in
            let address = line.prefix { $0 != ":" }.split(separator: "-")
            guard address.count == 2, let card = Int(address[0]), let number = Int(address[1]) else { return [] }
            let fields = line.dropFirst(line.prefix { $0 != ":" }.count + 1).split(separator: ":").map(\.trimmed)
            return PCMDirection.allCases.compactMap { direction in
                let prefix = "\(direction.rawValue) "
                guard let field = fields.last(where: { $0.hasPrefix(prefix) }),
                    let subdevices = Int(field.dropFirst(prefix.count))
                else { return nil }
                let info = files.fields(of: "\(folder(card: card, device: number, direction))/info")
                let id = info["id"] ?? fields.first ?? ""
                let name = info["name"].flatMap { $0.isEmpty ? nil : $0 } ?? id
                return Device(
                    card: card, number: number, direction: direction, id: id, name: name, subdevices: subdevices)
            }
        }
    }

    /// Who holds the subdevices of a device that are open, in their order; each process once.
    func holders(of device: Device) -> (subdevicesInUse: Int, processes: [DeviceHolder]) {
        var count = 0
        var holders: [DeviceHolder] = []
        for index in 0..<device.subdevices {
            let folder = folder(card: device.card, device: device.number, device.direction)
            // "closed" alone, or fields.
            let status = files.fields(of: "\(folder)/sub\(index)/status")
            guard status["state"] != nil else { continue }
            count += 1
            guard let thread = status["owner_pid"].flatMap({ Int32($0) }), thread > 0 else { continue }
            let holder = DeviceHolder(thread: thread, files)
            if !holders.contains(holder) { holders.append(holder) }
        }
        return (count, holders)
    }

    private func folder(card: Int, device: Int, _ direction: PCMDirection) -> String {
        "\(Self.root)/card\(card)/pcm\(device)\(direction.letter)"
    }
}
