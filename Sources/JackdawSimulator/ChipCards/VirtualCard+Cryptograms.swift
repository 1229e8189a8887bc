import JackdawBytes
import JackdawEMV

// Signatures and cryptograms of a virtual card: EMV Book 3, sections 6.5.4 to 6.5.9, and Book 2, sections 6 and 8.

extension VirtualCard {
    /// INTERNAL AUTHENTICATE: signs a number of the terminal (DDA).
    mutating func internalAuthenticate(_ command: CardCommand) -> CardResponse {
        guard command.parameter1 == 0, command.parameter2 == 0 else { return .status(.wrongParameters) }
        guard let index = session.application, session.transaction?.stage == .open,
            applications[index].supports(.ddaSupported), let key = applications[index].signatureKey
        else { return .status(.conditionsNotSatisfied) }
        guard command.data.count == applications[index].dynamicCount else { return .status(.wrongLength) }
        let number = newDynamicNumber()
        var data = command.data.octets
        defer { data.wipe() }
        guard let signature = sign([8] + number, over: data, with: key) else { return .status(.failure) }
        session.transaction?.results.isDDAReturned = true
        var builder = TagLengthValueBuilder()
        if applications[index].usesFormat2 {
            builder.append(0x77) { $0.append(.signature, signature) }
        } else {
            builder.append(0x80, signature)
        }
        return CardResponse(data: builder.octets, status: .success)
    }

    /// GENERATE AC, first or second.
    mutating func generateCryptogram(_ command: CardCommand) -> CardResponse {
        guard let requested = CryptogramType(octet: command.parameter1), command.parameter1 & 0x2F == 0,
            command.parameter2 == 0
        else { return .status(.wrongParameters) }
        guard let index = session.application, var transaction = session.transaction, transaction.stage != .over else {
            return .status(.conditionsNotSatisfied)
        }
        let isFirst = transaction.stage == .open
        guard isFirst || requested != .arqc else { return .status(.wrongParameters) }
        let application = applications[index]
        let list = isFirst ? application.firstList : application.secondList
        guard command.data.count == list.valueCount else { return .status(.wrongLength) }
        transaction.add(command.data, of: list)
        let type =
            isFirst
            ? decideFirst(requested, &transaction, index) : decideSecond(requested, &transaction, index)
        let isSigned = command.parameter1 & 0x10 != 0 && type != .aac && application.supports(.cdaSupported)
        transaction.results.isSigned = isSigned
        if isSigned { transaction.dynamicNumber = newDynamicNumber() }
        guard let (issuerData, cryptogram) = cryptogram(type, isFirst: isFirst, transaction, index) else {
            return .status(.failure)
        }
        if isFirst { transaction.first = (type, cryptogram) }
        transaction.stage = isFirst && type == .arqc ? .online : .over
        session.transaction = transaction
        if !isFirst { conclude(index) }
        let answer = CryptogramAnswer(
            type: type, counter: transaction.counter, cryptogram: cryptogram, issuerData: issuerData)
        guard isSigned, let key = application.signatureKey else {
            return CardResponse(data: answer.octets(usesFormat2: application.usesFormat2), status: .success)
        }
        return signed(answer, transaction, key)
    }

    /// The issuer application data of a cryptogram, and the cryptogram over it; nil if it cannot be computed.
    func cryptogram(
        _ type: CryptogramType, isFirst: Bool, _ transaction: CardTransactionState, _ index: Int
    ) -> (issuerData: [UInt8], cryptogram: [UInt8])? {
        let application = applications[index]
        let issuerData = issuerApplicationData(type, isFirst: isFirst, transaction, index)
        guard let covered = application.scheme.covered(issuerData),
            let cryptogram = application.cipher.cryptogram(
                terminalData: transaction.cryptogramData, profile: application.profile, counter: transaction.counter,
                cardData: covered)
        else { return nil }
        return (issuerData, cryptogram)
    }

    func decideFirst(
        _ requested: CryptogramType, _ transaction: inout CardTransactionState, _ index: Int
    ) -> CryptogramType {
        let state = states[index]
        let currency = applications[index].currency
        let situation = CardSituation(
            amount: transaction.amount,
            isOwnCurrency: currency == nil || currency == transaction.values[0x5F2A],
            sinceOnline: Int(transaction.counter) - Int(state.lastOnline), isNew: state.lastOnline == 0,
            isPINBlocked: pin != nil && triesLeft == 0, isBlocked: state.isBlocked || isBlocked)
        let analysis = CardActionAnalysis(situation, applications[index].limits)
        transaction.analysis = analysis
        transaction.results.isVelocityExceeded = analysis.isVelocityExceeded
        return analysis.first(requested)
    }

    private mutating func decideSecond(
        _ requested: CryptogramType, _ transaction: inout CardTransactionState, _ index: Int
    ) -> CryptogramType {
        let code = transaction.values[.responseCode] ?? []
        let isOnline = code != Array("Y3".utf8) && code != Array("Z3".utf8)
        transaction.results.isUnableToGoOnline = !isOnline
        let data = transaction.values[.issuerAuthenticationData] ?? []
        // A terminal without the issuer's data fills their place with zeros.
        if isOnline, transaction.results.isIssuerAuthentic == nil, data.contains(where: { $0 != 0 }) {
            authenticateIssuer(data, &transaction, index)
        }
        let isBlocked = states[index].isBlocked || isBlocked
        guard !isBlocked, let analysis = transaction.analysis else { return .aac }
        return analysis.second(
            requested, isOnline: isOnline, isIssuerAuthentic: transaction.results.isIssuerAuthentic,
            isApproved: transaction.statusUpdate.map { $0[1] & 0x80 != 0 })
    }

    /// Sets the counters after the second cryptogram, if the card trusts the issuer's answer.
    private mutating func conclude(_ index: Int) {
        guard let transaction = session.transaction else { return }
        let results = transaction.results
        if !results.isUnableToGoOnline, applications[index].limits.trusts(results.isIssuerAuthentic) {
            states[index].lastOnline = transaction.counter
            // The issuer has received the report of an earlier transaction's commands.
            states[index].scripts = transaction.scripts
        }
    }

    /// EXTERNAL AUTHENTICATE: checks the issuer's cryptogram.
    mutating func externalAuthenticate(_ command: CardCommand) -> CardResponse {
        guard command.parameter1 == 0, command.parameter2 == 0 else { return .status(.wrongParameters) }
        guard (8...16).contains(command.data.count) else { return .status(.wrongLength) }
        guard let index = session.application, var transaction = session.transaction, transaction.stage == .online,
            transaction.results.isIssuerAuthentic == nil,
            applications[index].supports(.issuerAuthenticationSupported)
        else { return .status(.conditionsNotSatisfied) }
        authenticateIssuer(command.data.octets, &transaction, index)
        session.transaction = transaction
        return .status(transaction.results.isIssuerAuthentic == true ? .success : .authenticationFailed)
    }

    /// Checks issuer authentication data, and carries out its card status update (EMV Book 3, annex C10).
    private mutating func authenticateIssuer(
        _ data: [UInt8], _ transaction: inout CardTransactionState, _ index: Int
    ) {
        let application = applications[index]
        guard let identity = transaction.identity, application.cipher.isAuthentic(data, for: identity) else {
            transaction.results.isIssuerAuthentic = false
            return
        }
        transaction.results.isIssuerAuthentic = true
        guard application.scheme.hasStatusUpdate, data.count >= 8 else { return }
        let update = Array(data[4..<8])
        transaction.statusUpdate = update
        if update[1] & 0x40 != 0 { isBlocked = true }
        if update[1] & 0x20 != 0 { states[index].isBlocked = true }
        if update[1] & 0x10 != 0, pin != nil { triesLeft = min(update[0] & 0x0F, tryLimit) }
    }

    /// The issuer application data (9F10), in the layout of the scheme.
    private func issuerApplicationData(
        _ type: CryptogramType, isFirst: Bool, _ transaction: CardTransactionState, _ index: Int
    ) -> [UInt8] {
        let application = applications[index]
        let state = states[index]
        let country = transaction.values[0x9F1A]
        let status = CardResults.CardStatus(
            triesLeft: pin == nil ? nil : triesLeft, isNew: state.lastOnline == 0, scripts: state.scripts,
            isDomestic: country == nil || application.country == nil ? nil : country == application.country)
        let results = transaction.results.octets(
            application.scheme, first: isFirst ? type : transaction.first?.type ?? .arqc, second: isFirst ? nil : type,
            status)
        let version = application.scheme.version ?? 0
        guard application.scheme.isMChip else { return [0x06, application.keyIndex, version] + results }
        let number = transaction.dynamicNumber?.prefix(2) ?? [0, 0]
        let sinceOnline = UInt8(clamping: Int(transaction.counter) - Int(state.lastOnline))
        return [application.keyIndex, version] + results + number
            + [0, 0, 0, 0, 0, 0, sinceOnline, 0xFF]
    }

    private mutating func newDynamicNumber() -> [UInt8] {
        let number = randomOctets(8)
        session.transaction?.dynamicNumber = number
        return number
    }

    /// An answer to GENERATE AC with a signature in place of the cryptogram (CDA; Book 2, 6.6.1).
    private func signed(
        _ answer: CryptogramAnswer, _ transaction: CardTransactionState, _ key: RSAKeyPair
    ) -> CardResponse {
        let (before, after) = answer.signedObjects
        var covered = transaction.lists.flatMap { $0.octets } + before + after
        defer { covered.wipe() }
        let number = transaction.dynamicNumber ?? []
        let dynamic =
            [UInt8(number.count)] + number + [answer.type.rawValue] + answer.cryptogram + cryptography.sha1(covered)
        let challenge = transaction.values[.unpredictableNumber] ?? []
        guard let signature = sign(dynamic, over: challenge, with: key) else { return .status(.failure) }
        let value = before + TagLengthValueBuilder.encode(.signature, signature) + after
        return CardResponse(data: TagLengthValueBuilder.encode(0x77, value), status: .success)
    }

    /// Signed Dynamic Application Data (Book 2, table 17).
    func sign(_ dynamic: [UInt8], over data: [UInt8], with key: RSAKeyPair) -> [UInt8]? {
        let size = key.publicKey.modulus.count
        let padding = size - dynamic.count - 25
        guard padding >= 0 else { return nil }
        let body = [0x05, 0x01, UInt8(dynamic.count)] + dynamic + [UInt8](repeating: 0xBB, count: padding)
        let block = [0x6A] + body + cryptography.sha1(body + data) + [0xBC]
        guard block.count == size else { return nil }
        return cryptography.applyPrivate(key, to: SecretOctets(block))?.octets
    }
}

extension DataObjectStore {
    /// The amount authorised (9F02) in minor units; nil if it is missing, or not a number of 12 digits.
    var authorisedAmount: UInt64? {
        let amount = withValue(0x9F02) { $0.count == 6 ? Amount($0, currencyCode: nil) : nil } ?? nil
        return amount?.minorUnits
    }
}

/// The parts of an answer to GENERATE AC.
private struct CryptogramAnswer {
    let type: CryptogramType
    let counter: UInt16
    let cryptogram: [UInt8]
    let issuerData: [UInt8]

    /// The answer without a signature.
    func octets(usesFormat2: Bool) -> [UInt8] {
        guard usesFormat2 else {
            return TagLengthValueBuilder.encode(0x80, [type.rawValue] + counter.octets + cryptogram + issuerData)
        }
        let (before, after) = signedObjects
        return TagLengthValueBuilder.encode(
            0x77, before + TagLengthValueBuilder.encode(0x9F26, cryptogram) + after)
    }

    /// The objects before and after the cryptogram or the signature, which a signature covers.
    var signedObjects: (before: [UInt8], after: [UInt8]) {
        (
            TagLengthValueBuilder.encode(0x9F27, [type.rawValue])
                + TagLengthValueBuilder.encode(.transactionCounter, counter.octets),
            TagLengthValueBuilder.encode(0x9F10, issuerData)
        )
    }
}

extension CardTransactionState {
    /// The values that a cryptogram covers, with their numbers of octets, in the order of all schemes.
    static let cryptogramTags: [(tag: Tag, count: Int)] = [
        (0x9F02, 6), (0x9F03, 6), (0x9F1A, 2), (0x95, 5), (0x5F2A, 2), (0x9A, 3), (0x9C, 1), (.unpredictableNumber, 4),
    ]

    /// The terminal's data of a cryptogram, 29 octets; zeros for values that the lists do not have.
    var cryptogramData: [UInt8] {
        Self.cryptogramTags.flatMap { tag, count in
            let value = values[tag] ?? []
            return value.count == count ? value : [UInt8](repeating: 0, count: count)
        }
    }

    /// The amount in minor units; nil if it is not a number.
    var amount: UInt64? { values.authorisedAmount }

    /// The transaction as the issuer knows it; nil before the first cryptogram.
    var identity: ChipCardTransaction? {
        guard let first else { return nil }
        let number = values[.unpredictableNumber] ?? []
        return ChipCardTransaction(
            counter: counter, unpredictableNumber: number.count == 4 ? number : [0, 0, 0, 0],
            cryptogram: first.cryptogram)
    }
}
