// Initiation of the application and its records: EMV Book 3, sections 10.1 and 10.2.

extension ContactKernel {
    /// The objects that the answer to SELECT may have (Book 1, section 11.3.4). No signature covers them, and all other
    /// objects are those of records. The second line has the issuer's discretionary data (BF0C).
    static var controlInformationTags: [Tag] {
        [
            .dedicatedFileName, 0x50, 0x87, .pdol, 0x5F2D, 0x9F11, 0x9F12,
            0x9F4D, 0x9F4F, 0x9F5D, 0x9F6E, 0x9F0A, 0x9F0C, 0x42, 0x5F50, 0x5F53, 0x5F54, 0x5F55, 0x5F56,
        ]
    }

    /// The objects that a record does not replace: the name and the list of the selected application, and those of GET
    /// PROCESSING OPTIONS.
    private static var fixedTags: [Tag] {
        [.dedicatedFileName, .pdol, ApplicationInterchangeProfile.tag, .applicationFileLocator]
    }

    /// The greatest number of records that the kernel reads. The books set no limit; an AFL can name 16,065.
    static var maxRecords: Int { 128 }

    mutating func sendProcessingOptions() throws(KernelTermination) {
        // Without a PDOL, the command has an empty object 83.
        if let list = try list(.pdol) { lists.pdol = values(of: list) }
        let command: CardCommand
        do throws(CardMessageError) { command = try .getProcessingOptions(lists.pdol) } catch {
            throw KernelTermination(.malformed, .pdol)
        }
        transmit(command, .processingOptions)
    }

    mutating func takeProcessingOptions(_ response: CardResponse) throws(KernelTermination) {
        guard response.status != .conditionsNotSatisfied else {
            finish(.selectAnother)
            return
        }
        try requireSuccess(response)
        let options = try response.data.withOctets { octets throws(KernelTermination) -> DataObjectStore in
            try Self.processingOptions(octets)
        }
        // Other objects of format 2 are for contactless transactions; no signature covers them.
        for tag in [ApplicationInterchangeProfile.tag, .applicationFileLocator] { card.set(tag, options.secret(tag)) }
        guard let profile = try value(ApplicationInterchangeProfile.tag, { ApplicationInterchangeProfile($0) }) else {
            throw KernelTermination(.missing, ApplicationInterchangeProfile.tag)
        }
        guard options.contains(.applicationFileLocator) else {
            throw KernelTermination(.missing, .applicationFileLocator)
        }
        self.profile = profile
        note(.processingOptions(profile))
        phase = .readApplicationData
        try readRecords()
    }

    /// The objects of an answer in format 1 (80: AIP, AFL) or 2 (77).
    static func processingOptions(_ octets: Span<UInt8>) throws(KernelTermination) -> DataObjectStore {
        var options = DataObjectStore()
        guard let first = TagLengthValue.single(in: octets) else {
            throw KernelTermination(.malformed, .responseFormat2)
        }
        switch first.tag {
        case .responseFormat1:
            let value = octets.extracting(first.value)
            guard value.count >= 2 else { throw KernelTermination(.missing, ApplicationInterchangeProfile.tag) }
            options.set(ApplicationInterchangeProfile.tag, value.extracting(first: 2))
            if value.count > 2 { options.set(.applicationFileLocator, value.extracting(2..<value.count)) }
        case .responseFormat2:
            let repeated: [Tag]
            do throws(DataObjectError) { repeated = try options.add(octets) } catch {
                throw KernelTermination(.malformed, .responseFormat2)
            }
            if let tag = repeated.first { throw KernelTermination(.repeated, tag) }
        default: throw KernelTermination(.malformed, .responseFormat2)
        }
        return options
    }

    private mutating func readRecords() throws(KernelTermination) {
        let locator = try value(.applicationFileLocator) { try? ApplicationFileLocator($0.span) }
        let count = locator?.entries.reduce(0) { $0 + $1.records.count } ?? 0
        guard count <= Self.maxRecords else { throw KernelTermination(.limitExceeded, .applicationFileLocator) }
        records = locator?.records ?? []
        try readRecord(0)
    }

    private mutating func readRecord(_ index: Int) throws(KernelTermination) {
        guard index < records.count else {
            try finishReading()
            return
        }
        let record = records[index]
        let command: CardCommand
        do throws(CardMessageError) { command = try .readRecord(record.number, file: record.file) } catch {
            throw KernelTermination(.malformed, .applicationFileLocator)
        }
        transmit(command, .record(index))
    }

    mutating func takeRecord(_ response: CardResponse, _ index: Int) throws(KernelTermination) {
        try requireSuccess(response)
        let record = records[index]
        var staticData = staticData
        var objects = recordObjects
        try response.data.withOctets { octets throws(KernelTermination) in
            if record.isAuthenticated { staticData.add(octets, file: record.file) }
            // Records of other files than 1 to 10 are not EMV's (Book 3, 10.2).
            guard record.file <= 10 else { return }
            let outer = (try? TagLengthValue.list(octets))?.filter { $0.depth == 0 }
            guard let outer, outer.count == 1, outer[0].tag == .recordTemplate else {
                throw KernelTermination(.malformed, .recordTemplate)
            }
            let repeated: [Tag]
            do throws(DataObjectError) { repeated = try objects.add(octets) } catch {
                throw KernelTermination(.malformed, .recordTemplate)
            }
            if let tag = repeated.first { throw KernelTermination(.repeated, tag) }
        }
        self.staticData = staticData
        recordObjects = objects
        note(.record(record))
        try readRecord(index + 1)
    }

    private mutating func finishReading() throws(KernelTermination) {
        for tag in recordObjects.tags where isAccepted(tag) { card.set(tag, recordObjects.secret(tag)) }
        for tag in [Tag.applicationExpiration, .accountNumber, .cdol1, .cdol2] where !card.contains(tag) {
            throw KernelTermination(.missing, tag)
        }
        phase = .offlineDataAuthentication
        try authenticate()
    }

    /// Whether an object of the records becomes one of the card. A card supplies no object of the terminal or the issuer,
    /// also not one that the terminal does not have (yet), such as 8A, 91, 98, 9F1E or 9F5B.
    private func isAccepted(_ tag: Tag) -> Bool {
        DataElement.isOfCard(tag) && !(Self.fixedTags.contains(tag) && card.contains(tag))
    }

    /// Terminates if the card did not answer 9000.
    func requireSuccess(_ response: CardResponse) throws(KernelTermination) {
        guard response.status == .success else { throw KernelTermination(.status, status: response.status) }
    }
}
