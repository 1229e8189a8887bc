// Processing options and records of a contactless card: Books C-2, states 3 and 4, and C-3, sections 5.2 to 5.4.

extension ContactlessKernel {
    /// The most records that are read. No card has so many; a file locator could name 16,065.
    static var maxRecords: Int { 128 }

    mutating func sendProcessingOptions() throws(KernelTermination) {
        // Without a PDOL, the command has an empty object 83.
        let values = try objects.list(.pdol).map { objects.values(of: $0) } ?? SecretOctets([])
        listValues = [values]
        guard let command = try? CardCommand.getProcessingOptions(values) else {
            throw KernelTermination(.malformed, .pdol)
        }
        transmit(command, .processingOptions)
    }

    mutating func takeProcessingOptions(_ response: CardResponse) throws(KernelTermination) {
        guard response.status == .success else { return refuse(response.status) }
        let answer = try response.data.withOctets { octets throws(KernelTermination) -> DataObjectStore in
            try ContactKernel<Primitives>.processingOptions(octets)
        }
        try objects.add(answer)
        let profile = try objects.form(ApplicationInterchangeProfile.tag) { ApplicationInterchangeProfile($0) }
        guard let profile else { throw KernelTermination(.missing, ApplicationInterchangeProfile.tag) }
        interchange = profile
        note(.processingOptions(profile))
        if scheme == .mastercard {
            guard try acceptsProfile() else { return }
            try objects.require([.applicationFileLocator])
        }
        try readRecords()
    }

    /// Ends the transaction, as the card refused GET PROCESSING OPTIONS.
    private mutating func refuse(_ status: StatusWord) {
        switch (scheme, status) {
        // Any status word: Book C-2, S3.8.
        case (.mastercard, _): selectNext(.refused(status))
        // Single status words: Book C-3, 5.2.2.2.
        case (_, .conditionsNotSatisfied): selectNext(.refused(status))
        case (_, .referenceDataInvalidated):
            var outcome = ContactlessOutcome(.tryAnotherInterface, .refused(status))
            outcome.alternativeInterface = .contact
            outcome.display = DisplayRequest(.insertCard, .processingError)
            finish(outcome)
        case (_, .commandNotAllowed) where qualifiers.contains(.cdcvmSupported): seePhone(status)
        default: endApplication(.refused(status))
        }
    }

    /// Has the cardholder use the device, and present it again. The field is off for 1.3 s.
    private mutating func seePhone(_ status: StatusWord) {
        var outcome = ContactlessOutcome(.tryAgain, .deviceInteraction)
        outcome.start = .protocolActivation
        outcome.display = DisplayRequest(.seePhone, .processingError, holdTime: 13)
        outcome.restartDisplay = DisplayRequest(.seePhone, .readyToRead)
        outcome.fieldOffTime = 13
        finish(outcome)
    }

    private mutating func readRecords() throws(KernelTermination) {
        let locator = try objects.form(.applicationFileLocator) { try? ApplicationFileLocator($0) }
        records = locator?.records ?? []
        if scheme == .mastercard, self.profile.mastercard.skipsMagneticStripeRecord,
            objects.card[.applicationFileLocator]?.starts(with: [0x08, 0x01, 0x01, 0x00]) == true
        {
            records.removeFirst()
        }
        guard records.count <= Self.maxRecords, scheme == .visa || !records.isEmpty else {
            throw KernelTermination(.malformed, .applicationFileLocator)
        }
        try readRecord(0)
    }

    private mutating func readRecord(_ index: Int) throws(KernelTermination) {
        guard index < records.count else { return try finishReading() }
        guard let command = try? CardCommand.readRecord(records[index].number, file: records[index].file) else {
            throw KernelTermination(.malformed, .applicationFileLocator)
        }
        transmit(command, .record(index))
    }

    mutating func takeRecord(_ response: CardResponse, _ index: Int) throws(KernelTermination) {
        guard response.status == .success else { throw KernelTermination(.status, status: response.status) }
        let record = records[index]
        if record.isAuthenticated { response.data.withOctets { staticData.add($0, file: record.file) } }
        // Records of other files than 1 to 10 are not EMV's (Book 3, 10.2).
        if record.file <= 10 {
            try objects.add(response.objects(in: .recordTemplate))
        }
        note(.record(record))
        try readRecord(index + 1)
    }

    private mutating func finishReading() throws(KernelTermination) {
        try objects.requireOneAccount()
        switch scheme {
        case .mastercard: try prepareCryptogram()
        case .visa: try decide()
        case .other: break
        }
    }
}

extension CardResponse {
    /// The primitive objects of an answer that is one template, and has none twice.
    fileprivate func objects(in template: Tag) throws(KernelTermination) -> DataObjectStore {
        var store = DataObjectStore()
        try data.withOctets { octets throws(KernelTermination) in
            let outer = (try? TagLengthValue.list(octets))?.filter { $0.depth == 0 }
            guard let outer, outer.count == 1, outer[0].tag == template, !outer[0].value.isEmpty else {
                throw KernelTermination(.malformed, template)
            }
            let repeated: [Tag]
            do throws(DataObjectError) { repeated = try store.add(octets) } catch {
                throw KernelTermination(.malformed, template)
            }
            if let tag = repeated.first { throw KernelTermination(.repeated, tag) }
        }
        return store
    }
}

extension StatusWord {
    /// The command is not allowed: 6986. A device answers it if the cardholder must first use it.
    fileprivate static let commandNotAllowed = StatusWord(rawValue: 0x6986)
}
