import JackdawEMV

/// The records of an application's file.
struct CardFileRecords {
    private struct Entry {
        var objects: DataObjectStore
        /// The tags of objects that are made when the card is loaded.
        var made: Set<Tag>
        let isSigned: Bool
        let place: String
    }

    /// The place of the records in the file.
    let place: String
    private var entries: [CardApplication.RecordPlace: Entry] = [:]

    /// The value of an object that is made when the card is loaded.
    private static let madeMark = "made"

    init(_ object: DescriptionObject) throws(SimulationFileError) {
        place = object.place(of: "records")
        var seen: Set<Tag> = []
        for file in try object.objects("records", allowed: ["file", "record", "signed", "objects"]) {
            let (id, number) = (try file.number("file", 1...30), try file.number("record", 1...255))
            let recordPlace = CardApplication.RecordPlace(file: id, number: number)
            guard entries[recordPlace] == nil else {
                throw SimulationFileError(.value, at: file.place, "another record has this file and number")
            }
            let content = try file.object("objects")
            var entry = Entry(
                objects: DataObjectStore(), made: [], isSigned: try file.optionalFlag("signed"), place: file.place)
            for name in content.names {
                let tag = try content.tag(named: name)
                // Records of files from 11 on are not EMV's, and may repeat objects.
                guard id > 10 || seen.insert(tag).inserted else {
                    throw SimulationFileError(.value, at: content.place(of: name), "another record has this object")
                }
                if try content.text(name) == Self.madeMark {
                    guard CardCertificateTags.made.contains(tag) else {
                        throw SimulationFileError(
                            .value, at: content.place(of: name), "only certificates and their parts can be made")
                    }
                    entry.made.insert(tag)
                } else {
                    entry.objects.set(tag, try content.secret(name, 0...252))
                }
            }
            entries[recordPlace] = entry
        }
    }

    private var places: [CardApplication.RecordPlace] { entries.keys.sorted() }

    /// A value of a record; nil if no record has it.
    func secret(_ tag: Tag) -> SecretOctets? {
        for place in places {
            if let value = entries[place]?.objects.secret(tag) { return value }
        }
        return nil
    }

    /// A copy of a value of a record; nil if no record has it.
    func value(_ tag: Tag) -> [UInt8]? { secret(tag)?.octets }

    /// Whether an object must be made.
    func isMade(_ tag: Tag) -> Bool { entries.values.contains { $0.made.contains(tag) } }

    /// The place in the file of an object that must be made; nil if no record has one.
    func madePlace(of tag: Tag) -> String? { madePlace(of: tag) { _ in true } }

    /// The place in the file of an object that must be made in a signed record; nil if there is none.
    func signedPlace(of tag: Tag) -> String? { madePlace(of: tag) { $0.isSigned } }

    private func madePlace(of tag: Tag, _ isWanted: (Entry) -> Bool) -> String? {
        let found = places.lazy.compactMap { entries[$0] }.first { $0.made.contains(tag) && isWanted($0) }
        return found.map { "\($0.place).objects.\(tag)" }
    }

    /// The objects that were made, in ascending order.
    var madeTags: [Tag] {
        let made = entries.values.flatMap { entry in entry.made.filter { entry.objects.contains($0) } }
        return Set(made).sorted()
    }

    /// Sets an object that was made; an empty one is left out.
    mutating func make(_ tag: Tag, _ value: [UInt8]) {
        for place in places where entries[place]?.made.contains(tag) == true {
            if !value.isEmpty { entries[place]?.objects[tag] = value }
        }
    }

    /// The records with their template.
    /// - Throws: ``SimulationFileError`` if a record has more than 254 octets (Book 3, 7.1).
    func encoded() throws(SimulationFileError) -> [CardApplication.RecordPlace: SecretOctets] {
        var encoded: [CardApplication.RecordPlace: SecretOctets] = [:]
        for (place, entry) in entries {
            let octets = TagLengthValueBuilder.encode(0x70, Self.content(entry))
            guard octets.count <= 254 else {
                throw SimulationFileError(
                    .length, at: entry.place, "the record has \(octets.count) octets; at most 254 are allowed")
            }
            encoded[place] = SecretOctets(octets)
        }
        return encoded
    }

    private static func content(_ entry: Entry) -> [UInt8] {
        var builder = TagLengthValueBuilder()
        for tag in entry.objects.tags {
            entry.objects.withValue(tag) { builder.append(tag, $0) }
        }
        return builder.octets
    }

    /// The contents of the signed records of files 1 to 10, in their order.
    var staticData: [UInt8] {
        places.filter { $0.file <= 10 }.flatMap { place in
            guard let entry = entries[place], entry.isSigned else { return [UInt8]() }
            return Self.content(entry)
        }
    }

    /// The application file locator (94): the records of files 1 to 10, in their order.
    var locator: [UInt8] {
        var locator: [UInt8] = []
        var last: CardApplication.RecordPlace?
        for place in places where place.file <= 10 {
            let isSigned = entries[place]?.isSigned == true
            let start = locator.count - 4
            let follows = last.map { $0.file == place.file && $0.number + 1 == place.number } ?? false
            // The signed records of an entry come first.
            let isFull = start >= 0 && isSigned && locator[start + 3] <= locator[start + 2] - locator[start + 1]
            if follows, !isFull {
                locator[start + 2] += 1
                if isSigned { locator[start + 3] += 1 }
            } else {
                locator += [UInt8(place.file << 3), UInt8(place.number), UInt8(place.number), isSigned ? 1 : 0]
            }
            last = place
        }
        return locator
    }
}

/// The lists of values that the card asks for, checked against what its cryptograms cover.
struct CardLists {
    let processing: DataObjectList?
    let first: DataObjectList
    let second: DataObjectList
    /// The number of octets of the DDOL's values.
    let dynamicCount: Int

    init(_ control: DataObjectStore, _ records: CardFileRecords) throws(SimulationFileError) {
        let place = records.place
        func list(_ tag: Tag, _ octets: [UInt8]?) throws(SimulationFileError) -> DataObjectList? {
            guard let octets else { return nil }
            guard let list = try? DataObjectList(octets.span), list.valueCount <= 250 else {
                throw SimulationFileError(.value, at: place, "tag \(tag) is not a list of at most 250 octets")
            }
            for (tag, count) in CardTransactionState.cryptogramTags {
                guard list.entries.allSatisfy({ $0.tag != tag || $0.count == count }) else {
                    throw SimulationFileError(.value, at: place, "a list must ask for \(count) octets of tag \(tag)")
                }
            }
            return list
        }
        processing = try list(0x9F38, control[0x9F38])
        guard let first = try list(0x8C, records.value(0x8C)), let second = try list(0x8D, records.value(0x8D)) else {
            throw SimulationFileError(.member, at: place, "no record has the lists 8C and 8D")
        }
        for (tag, _) in CardTransactionState.cryptogramTags {
            guard first.contains(tag) || processing?.contains(tag) == true else {
                throw SimulationFileError(.value, at: place, "8C must ask for tag \(tag), which cryptograms cover")
            }
        }
        guard second.entries.contains(where: { $0.tag == .responseCode && $0.count == 2 }) else {
            throw SimulationFileError(.value, at: place, "8D must ask for the response code, 8A02")
        }
        self.first = first
        self.second = second
        // Without a DDOL, terminals use the one of Book 2, 6.5.1: the unpredictable number.
        dynamicCount = try list(0x9F49, records.value(0x9F49))?.valueCount ?? 4
    }
}
