// The data objects of a transaction, with or without contacts.

/// The objects of terminal and card, and the static data to be authenticated. Those of the terminal come first: the
/// card cannot replace them.
struct KernelObjects: Sendable {
    /// The objects of terminal and transaction.
    var terminal: DataObjectStore
    /// The objects of the card's application.
    var card = DataObjectStore()
    /// The records of the file locator that are not read yet.
    private(set) var records: ArraySlice<ApplicationFileLocator.Record> = []
    /// The static data to be authenticated.
    private(set) var staticData = StaticAuthenticationData()
    /// The objects that the card may not send again: with contacts those of records, otherwise all.
    private var sent = DataObjectStore()
    /// The number of the contactless kernel, which gives tags their meanings; nil with contacts.
    private let kernel: Int?

    /// The greatest number of records that are read. The books set no limit; an AFL can name 16,065.
    private static var maxRecords: Int { 128 }

    /// The objects that the answer to SELECT may have (Book 1, section 11.3.4). No signature covers them, and all other
    /// objects are those of records. The second line has the issuer's discretionary data (BF0C).
    private static var controlInformationTags: [Tag] {
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

    /// The tags of an online message that a card or the terminal may have.
    static var onlineTags: [Tag] {
        [
            0x9F26, 0x9F27, 0x9F10, 0x9F37, 0x9F36, 0x95, 0x9A, 0x9B, 0x9C, 0x9F02, 0x9F03, 0x5F2A, 0x82, 0x9F1A,
            0x9F33, 0x9F34, 0x9F35, 0x9F1E, 0x9F21, 0x84, 0x9F09, 0x9F41, 0x5F34, 0x57, 0x5A, 0x5F24, 0x9F6E, 0x9F7C,
        ]
    }

    /// - Parameters:
    ///   - terminal: the objects of terminal and transaction.
    ///   - application: the objects of the answer to SELECT, of which the control information is taken.
    ///   - kernel: the number of the contactless kernel; nil with contacts.
    init(terminal: DataObjectStore, application: DataObjectStore, kernel: Int?) {
        self.terminal = terminal
        self.kernel = kernel
        for tag in Self.controlInformationTags where isOfCard(tag) { card.set(tag, application.secret(tag)) }
        if kernel != nil { sent = card }
    }

    // MARK: objects that the card sends

    /// Adds objects that the card sent. Those of the terminal and the issuer are left out, also if the terminal does
    /// not have them (yet), such as 8A, 91, 98, 9F1E or 9F5B.
    /// - Throws: if the card sent one of them before, which the books forbid: Book 3, 10.2 for records, and for all
    ///   answers Book C-3, 5.4.2.2 (other kernels have the same rule for C-2).
    mutating func add(_ answer: DataObjectStore) throws(KernelTermination) {
        for tag in answer.tags {
            guard !sent.contains(tag) else { throw KernelTermination(.repeated, tag) }
            sent.set(tag, answer.secret(tag))
            let isFixed = Self.fixedTags.contains(tag) && card.contains(tag)
            if isOfCard(tag), !isFixed { card.set(tag, answer.secret(tag)) }
        }
    }

    /// Whether the card supplies an object. The two results of offline data authentication come out of its signatures.
    private func isOfCard(_ tag: Tag) -> Bool {
        tag != .dataAuthenticationCode && tag != .dynamicNumber && DataElement.isOfCard(tag, kernel: kernel)
    }

    /// Begins with the records of the file locator.
    mutating func locateRecords() throws(KernelTermination) {
        let locator = try form(.applicationFileLocator) { try? ApplicationFileLocator($0) }
        records = (locator?.records ?? [])[...]
        guard records.count <= Self.maxRecords else { throw KernelTermination(.limitExceeded, .applicationFileLocator) }
    }

    /// The next record to read; nil after the last one.
    mutating func nextRecord() -> ApplicationFileLocator.Record? { records.popFirst() }

    /// Adds the objects of a record.
    mutating func add(_ record: ApplicationFileLocator.Record, _ response: CardResponse) throws(KernelTermination) {
        try response.requireSuccess()
        if record.isAuthenticated { response.data.withOctets { staticData.add($0, file: record.file) } }
        // Records of other files than 1 to 10 are not EMV's (Book 3, 10.2).
        guard record.file <= 10 else { return }
        let answer = try response.objects(in: .recordTemplate)
        guard kernel == nil || answer.count > 0 else { throw KernelTermination(.malformed, .recordTemplate) }
        try add(answer)
    }

    /// Verifies the signature of a cryptogram (CDA), and stores the objects that only the signature has.
    mutating func verifyCryptogram(
        _ response: CardResponse, _ key: RSAPublicKey,
        _ authentication: OfflineAuthentication<some AuthenticationPrimitives>, over values: [SecretOctets]
    ) throws(AuthenticationFailure) {
        let signed = try authentication.cryptogram(
            response.data, signedBy: key, unpredictableNumber: terminal[.unpredictableNumber] ?? [], over: values)
        card[.cryptogram] = signed.cryptogram
        card[.dynamicNumber] = signed.dynamicNumber
    }

    // MARK: values

    /// An object of the terminal, or else of the card.
    subscript(tag: Tag) -> SecretOctets? { terminal.secret(tag) ?? card.secret(tag) }

    /// The objects with these tags.
    func subset(_ tags: [Tag]) -> DataObjectStore {
        var store = DataObjectStore()
        for tag in tags { store.set(tag, self[tag]) }
        return store
    }

    var all: DataObjectStore { subset(card.tags + terminal.tags) }

    /// The values that a list of the card asks for; none without the list.
    func values(of tag: Tag) throws(KernelTermination) -> SecretOctets {
        guard let list = try list(tag) else { return SecretOctets([]) }
        return try values(of: list)
    }

    /// The values that a list asks for.
    /// - Throws: if the list asks for an amount in four octets (81, 9F04), and the amount needs more.
    func values(of list: DataObjectList) throws(KernelTermination) -> SecretOctets {
        let amounts: [Tag] = [.amountAuthorisedBinary, .amountOtherBinary]
        for tag in amounts where list.contains(tag) && !terminal.contains(tag) {
            throw KernelTermination(.amountTooLarge, tag)
        }
        return list.build { self[$0] }
    }

    /// A list of the card; nil if it has none, or an empty one.
    func list(_ tag: Tag) throws(KernelTermination) -> DataObjectList? {
        try isEmpty(tag) ? nil : form(tag) { try? DataObjectList($0) }
    }

    /// A value of the card in a form; nil if the card does not have it.
    func form<Value>(_ tag: Tag, _ parse: (Span<UInt8>) -> Value?) throws(KernelTermination) -> Value? {
        guard let secret = card.secret(tag) else { return nil }
        guard let value = secret.withOctets({ parse($0) }) else { throw KernelTermination(.malformed, tag) }
        return value
    }

    /// A set of bits of the card; nil if the card does not have it.
    func bits<Field: BitField>(_ tag: Tag = Field.tag) throws(KernelTermination) -> Field? {
        try form(tag) { Field($0) }
    }

    /// Whether the card does not have an object, or has it without octets.
    func isEmpty(_ tag: Tag) -> Bool { card.secret(tag)?.isEmpty ?? true }

    /// Terminates if the card does not have one of these objects, or has it without octets.
    func require(_ tags: [Tag]) throws(KernelTermination) {
        for tag in tags where isEmpty(tag) { throw KernelTermination(.missing, tag) }
    }

    // MARK: facts of the rules

    /// Checks the processing restrictions (Book 3, 10.4).
    func restrictions(
        _ configuration: KernelConfiguration, _ transaction: KernelTransaction
    ) throws(KernelTermination) -> ProcessingRestrictionsReport {
        let situation = RestrictionSituation(
            applicationVersion: configuration.applicationVersion,
            isATM: configuration.type.isATM(configuration.additionalCapabilities), country: configuration.country,
            type: transaction.type, otherAmount: transaction.otherAmount, date: transaction.date)
        return try ProcessingRestrictions.check(
            situation, version: card[.applicationVersion], usage: bits(), issuerCountry: card[.issuerCountry],
            effective: form(.applicationEffective) { CardDate($0) },
            expiration: form(.applicationExpiration) { CardDate($0) })
    }

    /// The facts of cardholder verification (Book 3, 10.5).
    func verificationSituation(
        _ configuration: KernelConfiguration, _ transaction: KernelTransaction
    ) -> CardholderVerification.Situation {
        CardholderVerification.Situation(
            capabilities: configuration.capabilities, type: transaction.type, isAttended: configuration.type.isAttended,
            amount: transaction.amount, otherAmount: transaction.otherAmount,
            isInApplicationCurrency: card[.applicationCurrency] == transaction.currency,
            isPINPadWorking: configuration.isPINPadWorking)
    }

    /// The Issuer Action Codes of the card.
    var issuerCodes: ActionCodes {
        get throws(KernelTermination) {
            try ActionCodes(
                issuerDenial: bits(.issuerActionDenial), issuerOnline: bits(.issuerActionOnline),
                issuerDefault: bits(.issuerActionDefault))
        }
    }
}
