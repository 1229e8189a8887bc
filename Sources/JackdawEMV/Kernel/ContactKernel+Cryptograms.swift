// Terminal action analysis and the two cryptograms: EMV Book 3, sections 10.7, 10.8 and 10.11.

extension ContactKernel {
    mutating func analyseActions() throws(KernelTermination) {
        let action = try TerminalActionAnalysis.first(
            tvr: tvr, issuer: objects.issuerCodes, terminal: configuration.actionCodes,
            connection: configuration.type.connection)
        note(.actionAnalysis(action))
        objects.terminal[.authorisationResponseCode] = action.responseCode?.octets
        phase = .cardActionAnalysis
        lists.cdol1 = try sendGenerateCryptogram(action.request, .cdol1, .firstCryptogram)
    }

    /// Sends GENERATE AC. With CDA, every cryptogram but an AAC must be signed (CDA mode 1: Book 2, annex D4).
    /// - Returns: the values of the list.
    private mutating func sendGenerateCryptogram(
        _ type: CryptogramType, _ tag: Tag, _ meaning: Waiting
    ) throws(KernelTermination) -> SecretOctets {
        if try objects.list(tag)?.contains(.transactionCertificateHash) == true { try hashCertificateData() }
        let values = try objects.values(of: tag)
        let isSigned = method == .cda && cardKey != nil && type != .aac
        guard let command = try? CardCommand.generateCryptogram(type.rawValue | (isSigned ? 0x10 : 0), values)
        else { throw KernelTermination(.malformed, tag) }
        request = CryptogramRequest(type: type, isSigned: isSigned)
        note(.cryptogramRequest(type, isSigned: isSigned, tvr, tsi))
        ask(.transmit(command), meaning)
        return values
    }

    /// Computes the TC Hash Value (98) over the values of the TDOL (Book 3, 9.2.2).
    private mutating func hashCertificateData() throws(KernelTermination) {
        var list = try objects.list(.tdol)
        if list == nil, !configuration.defaultTDOL.isEmpty {
            tvr.insert(.defaultTDOLUsed)
            list = try? DataObjectList(configuration.defaultTDOL.span)
        }
        let values = if let list { try objects.values(of: list) } else { SecretOctets([]) }
        objects.terminal[.transactionCertificateHash] = authentication.primitives.sha1(covering: [values])
    }

    // MARK: the first cryptogram

    mutating func takeFirstCryptogram(_ response: CardResponse) throws(KernelTermination) {
        let information = try takeCryptogram(response)
        tsi.insert(.cardRiskManagementPerformed)
        let decision = CryptogramDecision.first(requested: request.type, information: information)
        guard decision.action != .terminate else {
            note(.firstCryptogram(information, decision))
            throw KernelTermination(.unexpectedCryptogram, .cryptogramInformation)
        }
        let isValid = try isSignatureValid(response, information, over: [lists.pdol, lists.cdol1])
        let declined = FirstCryptogramDecision(
            action: .declineOffline(isServiceNotAllowed: false), isAdviceRequested: decision.isAdviceRequested)
        note(.firstCryptogram(information, isValid ? decision : declined))
        guard isValid else {
            // A wrong signature declines: a TC at once, an ARQC by a second cryptogram (Book 4, 6.3.2.1).
            if information.type == .arqc {
                try complete(.aac, responseCode: .offlineDeclined)
            } else {
                objects.terminal[.authorisationResponseCode] = AuthorisationResponseCode.offlineDeclined.octets
                finish(.declined, isAdviceRequested: decision.isAdviceRequested)
            }
            return
        }
        switch decision.action {
        case .approveOffline:
            objects.terminal[.authorisationResponseCode] = AuthorisationResponseCode.offlineApproved.octets
            finish(.approved, isAdviceRequested: decision.isAdviceRequested)
        case .declineOffline(let isServiceNotAllowed):
            objects.terminal[.authorisationResponseCode] = AuthorisationResponseCode.offlineDeclined.octets
            finish(isServiceNotAllowed ? .notAccepted : .declined, isAdviceRequested: decision.isAdviceRequested)
        case .goOnline:
            objects.terminal[.authorisationResponseCode] = nil
            try goOnline()
        case .terminate: break
        }
    }

    /// Stores the objects of an answer to GENERATE AC.
    private mutating func takeCryptogram(_ response: CardResponse) throws(KernelTermination) -> CryptogramInformation {
        let (answer, information) = try response.cryptogram(isSigned: request.isSigned)
        // An object that this answer lacks is removed, so that none of an earlier answer remains.
        let tags: [Tag] = [
            .cryptogramInformation, .transactionCounter, .cryptogram, .issuerApplicationData,
            .signedDynamicApplicationData,
        ]
        for tag in tags { objects.card.set(tag, answer.secret(tag)) }
        return information
    }

    /// Checks the signature of a cryptogram that must have one, and takes the cryptogram out of it. Sets the TVR on a
    /// failure.
    private mutating func isSignatureValid(
        _ response: CardResponse, _ information: CryptogramInformation, over values: [SecretOctets]
    ) throws(KernelTermination) -> Bool {
        guard request.isSigned, information.type != .aac, let cardKey else { return true }
        tsi.insert(.odaPerformed)
        var failure: AuthenticationFailure?
        do throws(AuthenticationFailure) {
            try objects.verifyCryptogram(response, cardKey, authentication, over: values)
        } catch { failure = error }
        let report = AuthenticationReport(method: .cda, failure: failure)
        note(.offlineAuthentication(report))
        tvr.formUnion(report.tvr)
        if failure != nil { self.cardKey = nil }
        return failure == nil
    }

    // MARK: the second cryptogram

    /// Asks for the second cryptogram.
    mutating func complete(
        _ type: CryptogramType, responseCode: AuthorisationResponseCode
    ) throws(KernelTermination) {
        phase = .completion
        objects.terminal[.authorisationResponseCode] = responseCode.octets
        lists.cdol2 = try sendGenerateCryptogram(type, .cdol2, .secondCryptogram)
    }

    /// Asks for the second cryptogram without the issuer's decision.
    mutating func completeWithoutIssuer() throws(KernelTermination) {
        let action = try TerminalActionAnalysis.unableToGoOnline(
            tvr: tvr, issuer: objects.issuerCodes, terminal: configuration.actionCodes,
            connection: configuration.type.connection, skipsDefault: configuration.skipsDefaultCodes)
        note(.actionAnalysis(action))
        try complete(action.request, responseCode: action.responseCode ?? .unableToGoOnlineDeclined)
    }

    mutating func takeSecondCryptogram(_ response: CardResponse) throws(KernelTermination) {
        var information = try takeCryptogram(response)
        let isValid = try isSignatureValid(response, information, over: [lists.pdol, lists.cdol1, lists.cdol2])
        // A cryptogram with a wrong signature counts as AAC.
        if !isValid { information = CryptogramInformation(rawValue: information.rawValue & 0x3F) }
        let decision = CryptogramDecision.second(
            requested: request.type, information: information, host: host ?? .unreachable)
        if host == .unreachable, !decision.isApproved {
            // The terminal asked for a TC with Y3, and the card declined.
            objects.terminal[.authorisationResponseCode] = AuthorisationResponseCode.unableToGoOnlineDeclined.octets
        }
        note(.secondCryptogram(information, decision))
        completion = decision
        phase = .scriptsAfterCompletion
        try runScripts(.afterFinalCryptogram)
    }

    /// Ends the transaction after the last scripts. Without a decision on the second cryptogram, it is declined.
    mutating func finishCompletion() {
        let isAdviceRequested = completion?.isAdviceRequested == true
        finish(completion?.isApproved == true ? .approved : .declined, isAdviceRequested: isAdviceRequested)
    }
}
