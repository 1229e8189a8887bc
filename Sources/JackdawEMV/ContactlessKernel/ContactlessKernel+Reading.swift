// Processing options and records of a contactless card: Books C-2, states 3 and 4, and C-3, sections 5.2 to 5.4.

extension ContactlessKernel {
    mutating func sendProcessingOptions() throws(KernelTermination) {
        // Without a PDOL, the command has an empty object 83.
        let values = try objects.values(of: .pdol)
        listValues = [values]
        try transmit(try? CardCommand.getProcessingOptions(values), of: .pdol, .processingOptions)
    }

    mutating func takeProcessingOptions(_ response: CardResponse) throws(KernelTermination) {
        guard response.status == .success else { return refuse(response.status) }
        try objects.add(try response.processingOptions())
        guard let profile: ApplicationInterchangeProfile = try objects.bits() else {
            throw KernelTermination(.missing, ApplicationInterchangeProfile.tag)
        }
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
        case (_, .commandNotAllowed) where qualifiers.contains(.cdcvmSupported): seePhone()
        default: endApplication(.refused(status))
        }
    }

    /// Has the cardholder use the device, and present it again. The field is off for 1.3 s.
    private mutating func seePhone() {
        var outcome = ContactlessOutcome(.tryAgain, .deviceInteraction)
        outcome.start = .protocolActivation
        outcome.display = DisplayRequest(.seePhone, .processingError, holdTime: 13)
        outcome.restartDisplay = DisplayRequest(.seePhone, .readyToRead)
        outcome.fieldOffTime = 13
        finish(outcome)
    }

    private mutating func readRecords() throws(KernelTermination) {
        try objects.locateRecords()
        if scheme == .mastercard, profile.mastercard.skipsMagneticStripeRecord,
            objects.card[.applicationFileLocator]?.starts(with: [0x08, 0x01, 0x01, 0x00]) == true
        {
            _ = objects.nextRecord()
        }
        guard scheme == .visa || !objects.records.isEmpty else {
            throw KernelTermination(.malformed, .applicationFileLocator)
        }
        try readRecord()
    }

    mutating func finishReading() throws(KernelTermination) {
        try objects.requireOneAccount()
        switch scheme {
        case .mastercard: try prepareCryptogram()
        case .visa: try decide()
        case .other: break
        }
    }
}

extension ContactlessKernel: RecordReading {}
extension ContactlessKernel.Waiting: RecordCase {}
extension ContactlessStep: RecordCase {}

extension StatusWord {
    /// The command is not allowed: 6986. A device answers it if the cardholder must first use it.
    fileprivate static let commandNotAllowed = StatusWord(rawValue: 0x6986)
}
