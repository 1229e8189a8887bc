// Initiation of the application and its records: EMV Book 3, sections 10.1 and 10.2.

extension ContactKernel {
    mutating func sendProcessingOptions() throws(KernelTermination) {
        // Without a PDOL, the command has an empty object 83.
        lists.pdol = try objects.values(of: .pdol)
        try transmit(try? CardCommand.getProcessingOptions(lists.pdol), of: .pdol, .processingOptions)
    }

    mutating func takeProcessingOptions(_ response: CardResponse) throws(KernelTermination) {
        guard response.status != .conditionsNotSatisfied else {
            finish(.selectAnother)
            return
        }
        let options = try response.processingOptions()
        // Other objects of format 2 are for contactless transactions; no signature covers them.
        for tag in [ApplicationInterchangeProfile.tag, .applicationFileLocator] {
            guard options.contains(tag) else { throw KernelTermination(.missing, tag) }
            objects.card.set(tag, options.secret(tag))
        }
        profile = try objects.bits() ?? []
        note(.processingOptions(profile))
        phase = .readApplicationData
        try objects.locateRecords()
        try readRecord()
    }

    mutating func finishReading() throws(KernelTermination) {
        // Book 3, 7.2. An object without octets has no value (annex B), so that it is missing, too.
        try objects.require([.applicationExpiration, .accountNumber, .cdol1, .cdol2])
        phase = .offlineDataAuthentication
        try authenticate()
    }
}
