import JackdawEMV

// Selection, records and data objects of a virtual card: EMV Book 1, section 11, and Book 3, section 6.5.

extension VirtualCard {
    /// SELECT by name, first or next.
    mutating func select(_ command: CardCommand) -> CardResponse {
        guard command.parameter1 == 0x04, [0x00, 0x02].contains(command.parameter2) else {
            return .status(.wrongParameters)
        }
        guard (5...16).contains(command.data.count) else { return .status(.wrongLength) }
        guard !isBlocked else { return .status(.functionNotSupported) }
        let name = command.data.octets
        let isNext = command.parameter2 == 0x02
        guard !isNext, let index = directories.firstIndex(where: { $0.name == name }) else {
            return selectApplication(name, isNext: isNext)
        }
        begin(.directory(index), name)
        return CardResponse(data: directories[index].controlInformation, status: .success)
    }

    private mutating func selectApplication(_ name: [UInt8], isNext: Bool) -> CardResponse {
        let isSameName = session.selectedName == name
        let start = isNext && isSameName ? session.application.map { $0 + 1 } ?? 0 : 0
        let found = applications[start...].firstIndex { $0.name.starts(with: name) }
        // The selection stays if there is no such application.
        guard let found else { return .status(.fileNotFound) }
        begin(.application(found), name)
        guard !states[found].isBlocked else { return .status(.fileInvalidated) }
        return CardResponse(data: applications[found].controlInformation, status: .success)
    }

    private mutating func begin(_ selection: CardSession.Selection, _ name: [UInt8]) {
        session = CardSession()
        session.selection = selection
        session.selectedName = name
    }

    /// READ RECORD by number.
    func readRecord(_ command: CardCommand) -> CardResponse {
        guard command.data.isEmpty else { return .status(.wrongLength) }
        let file = Int(command.parameter2 >> 3)
        let number = Int(command.parameter1)
        guard command.parameter2 & 0x07 == 0x04, (1...30).contains(file), number > 0 else {
            return .status(.wrongParameters)
        }
        switch session.selection {
        case nil: return .status(.conditionsNotSatisfied)
        case .directory(let index):
            let records = directories[index].records
            guard file == 1, !records.isEmpty else { return .status(.fileNotFound) }
            guard number <= records.count else { return .status(.recordNotFound) }
            return CardResponse(data: records[number - 1], status: .success)
        case .application(let index):
            let records = applications[index].records
            if let record = records[CardApplication.RecordPlace(file: file, number: number)] {
                return CardResponse(data: record.octets, status: .success)
            }
            return .status(records.keys.contains { $0.file == file } ? .recordNotFound : .fileNotFound)
        }
    }

    /// GET DATA: counters, the PIN's tries, and the objects of the file.
    func getData(_ command: CardCommand) -> CardResponse {
        guard command.data.isEmpty else { return .status(.wrongLength) }
        guard let index = session.application else { return .status(.conditionsNotSatisfied) }
        guard let tag = command.dataTag, let value = value(tag, of: index) else { return .status(.dataNotFound) }
        return CardResponse(data: TagLengthValueBuilder.encode(tag, value), status: .success)
    }

    private func value(_ tag: Tag, of index: Int) -> [UInt8]? {
        switch tag {
        case .transactionCounter: states[index].counter.octets
        case .lastOnlineCounter: states[index].lastOnline.octets
        case .pinTryCounter: pin == nil ? nil : [triesLeft]
        default: states[index].data[tag]
        }
    }

    /// GET PROCESSING OPTIONS: begins a transaction.
    mutating func getProcessingOptions(_ command: CardCommand) -> CardResponse {
        guard command.parameter1 == 0, command.parameter2 == 0 else { return .status(.wrongParameters) }
        guard !isBlocked, let index = session.application, session.transaction == nil,
            states[index].counter < .max
        else { return .status(.conditionsNotSatisfied) }
        let application = applications[index]
        guard let values = Self.processingValues(command.data) else { return .status(.wrongData) }
        guard values.count == application.processingList?.valueCount ?? 0 else { return .status(.wrongLength) }
        if application.tap?.waitsForCardholder == true {
            // The cardholder confirms each payment on the device, and presents it again.
            states[index].isConfirmed.toggle()
            if states[index].isConfirmed { return .status(.commandNotAllowed) }
        }
        states[index].counter += 1
        var transaction = CardTransactionState(counter: states[index].counter)
        transaction.add(values, of: application.processingList)
        session.transaction = transaction
        if let tap = application.tap { return tapped(tap, index) }
        return CardResponse(data: application.options, status: .success)
    }

    /// The values of the command's template 83; nil if it is not one such template.
    private static func processingValues(_ data: SecretOctets) -> SecretOctets? {
        data.withOctets { octets in
            guard let objects = try? TagLengthValue.list(octets), objects.count == 1, objects[0].tag == 0x83,
                objects[0].start == 0, objects[0].value.upperBound == octets.count
            else { return nil }
            return SecretOctets(copying: octets.extracting(objects[0].value))
        }
    }
}

extension CardTransactionState {
    /// Adds the values of a list that the terminal has sent; a tag that occurs again replaces the earlier value.
    mutating func add(_ values: SecretOctets, of list: DataObjectList?) {
        lists.append(values)
        values.withOctets { octets in
            var next = 0
            for entry in list?.entries ?? [] where next + entry.count <= octets.count {
                self.values.set(entry.tag, octets.extracting(next..<next + entry.count))
                next += entry.count
            }
        }
    }
}

extension CardCommand {
    /// The tag of one or two octets in P1 and P2; nil if there is none.
    var dataTag: Tag? { Tag(rawValue: UInt32(parameter1) << 8 | UInt32(parameter2)) }
}

/// The tags that the card itself reads and writes.
extension Tag {
    static let transactionCounter: Tag = 0x9F36
    static let lastOnlineCounter: Tag = 0x9F13
    static let pinTryCounter: Tag = 0x9F17
    static let unpredictableNumber: Tag = 0x9F37
    static let issuerAuthenticationData: Tag = 0x91
    static let responseCode: Tag = 0x8A
    static let signature: Tag = 0x9F4B
}

extension UInt16 {
    /// The number as two octets, the most significant first.
    var octets: [UInt8] { [UInt8(self >> 8), UInt8(self & 0xFF)] }
}
