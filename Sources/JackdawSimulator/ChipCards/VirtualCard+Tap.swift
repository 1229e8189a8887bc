import JackdawEMV

// A Visa-style card that is tapped: its cryptogram comes with the processing options (EMV Book C-3).

/// The answers of an application to a tap.
struct TapApplication: Sendable {
    /// The Card Transaction Qualifiers (9F6C), two octets.
    let qualifiers: [UInt8]
    /// Whether the cardholder must first confirm on the device, which then is presented again.
    let waitsForCardholder: Bool

    /// Reads the member `tap` of an application; nil if there is none.
    /// - Parameters:
    ///   - application: the application.
    ///   - processingList: its PDOL.
    ///   - scheme: its scheme, which must be one of Visa.
    /// - Throws: ``SimulationFileError`` with the place and the reason.
    init?(
        _ application: DescriptionObject, _ processingList: DataObjectList?, _ scheme: CryptogramScheme
    ) throws(SimulationFileError) {
        let members = ["qualifiers", "waits_for_cardholder"]
        guard let file = try application.optionalObject("tap", allowed: members) else { return nil }
        guard !scheme.isMChip else {
            throw SimulationFileError(.value, at: file.place, "the scheme must be visa-10 or visa-18")
        }
        guard processingList?.entries.contains(where: { $0.tag == .readerQualifiers && $0.count == 4 }) == true else {
            throw SimulationFileError(
                .value, at: file.place, "the PDOL (9F38) must ask for the reader's qualifiers, 9F6604")
        }
        qualifiers = try file.octets("qualifiers", 2...2)
        waitsForCardholder = try file.optionalFlag("waits_for_cardholder")
    }
}

extension VirtualCard {
    /// Completes GET PROCESSING OPTIONS with a cryptogram: an ARQC if the reader requires one, else the card decides. A
    /// card with a key sends its authentication related data (9F69), and signs them with a TC (fDDA, annex C).
    mutating func tapped(_ tap: TapApplication, _ index: Int) -> CardResponse {
        guard var transaction = session.transaction else { return .status(.conditionsNotSatisfied) }
        let application = applications[index]
        let reader = transaction.values[.readerQualifiers].flatMap { TerminalTransactionQualifiers($0) }
        let requested: CryptogramType = reader?.contains(.onlineCryptogramRequired) == true ? .arqc : .tc
        let type = decideFirst(requested, &transaction, index)
        var related: [UInt8]?
        var signature: [UInt8]?
        if let key = application.signatureKey {
            let data = [0x01] + randomOctets(4) + tap.qualifiers
            related = data
            if type == .tc {
                let number = randomOctets(8)
                transaction.dynamicNumber = number
                let values = [Tag.unpredictableNumber, 0x9F02, 0x5F2A].flatMap { transaction.values[$0] ?? [] }
                signature = sign([8] + number, over: values + data, with: key)
                guard signature != nil else { return .status(.failure) }
                transaction.results.isDDAReturned = true
            }
        }
        guard let (issuerData, cryptogram) = cryptogram(type, isFirst: true, transaction, index) else {
            return .status(.failure)
        }
        transaction.first = (type, cryptogram)
        transaction.stage = .over
        session.transaction = transaction
        var objects: [(tag: Tag, value: [UInt8])] = [
            (ApplicationInterchangeProfile.tag, application.profile), (0x94, application.locator),
            (0x9F27, [type.rawValue]), (.transactionCounter, transaction.counter.octets), (0x9F26, cryptogram),
            (0x9F10, issuerData), (CardTransactionQualifiers.tag, tap.qualifiers),
        ]
        if let related { objects.append((.cardAuthenticationData, related)) }
        if let signature { objects.append((.signature, signature)) }
        var builder = TagLengthValueBuilder()
        builder.append(0x77) { options in
            for object in objects { options.append(object.tag, object.value) }
        }
        return CardResponse(data: builder.octets, status: .success)
    }
}

extension Tag {
    /// The reader's Terminal Transaction Qualifiers.
    fileprivate static let readerQualifiers = TerminalTransactionQualifiers.tag
    /// Card Authentication Related Data (Book C-3): version, number of the card, qualifiers.
    fileprivate static let cardAuthenticationData: Tag = 0x9F69
}
