// A Mastercard-style card before its cryptogram: Book C-2, states 3 to 6 and sections 7.5 to 7.8.

extension ContactlessKernel {
    /// Sets the methods of verification in the Terminal Capabilities; none before the records were read (Book C-2,
    /// S1.9).
    mutating func setMethods(_ methods: TerminalCapabilities) {
        let others = configuration.capabilities.rawValue & 0xFF_00FF
        let capabilities = TerminalCapabilities(rawValue: others | methods.rawValue & 0x00_FF00)
        objects.terminal[TerminalCapabilities.tag] = capabilities.octets
    }

    /// Whether the card verifies the cardholder itself, and the reader lets it.
    private var isOnDevice: Bool {
        interchange.contains(.onDeviceCVMSupported) && profile.mastercard.allowsOnDeviceVerification
    }

    /// Checks the functions of the card. Ends the transaction if it needs one that the kernel does not have.
    /// - Returns: whether the transaction goes on.
    mutating func acceptsProfile() throws(KernelTermination) -> Bool {
        guard interchange.contains(.contactlessEmvMode) else {
            tryAnotherInterface(.magneticStripeMode)
            return false
        }
        guard !interchange.contains(.relayResistance) || !profile.refused.contains(.relayResistance) else {
            tryAnotherInterface(.relayResistance)
            return false
        }
        // Octet 5, bits 2 and 1 are 01: the relay resistance protocol was not performed (S3.65).
        tvr.insert(.reservedContactless2)
        return true
    }

    /// Everything between the last record and GENERATE AC.
    mutating func prepareCryptogram() throws(KernelTermination) {
        let reader = profile.mastercard
        let limit = isOnDevice ? reader.onDeviceTransactionLimit : reader.transactionLimit
        if let limit, transaction.amount > limit { return selectNext(.transactionLimit) }
        try objects.require([.applicationExpiration, .accountNumber, .cdol1])
        let isSigning = try checkAuthenticationData()
        let isVerificationRequired = transaction.amount > reader.verificationLimit
        isReceiptRequired = isVerificationRequired
        let methods = isVerificationRequired ? reader.requiredMethods : reader.ordinaryMethods
        setMethods(methods ?? configuration.capabilities)
        try checkRestrictions()
        try selectVerification(methods ?? configuration.capabilities, isRequired: isVerificationRequired)
        if transaction.amount > reader.floorLimit { tvr.insert(.floorLimitExceeded) }
        if transaction.isOnlineForced { tvr.insert(.merchantForcedOnline) }
        if configuration.isOnExceptionFile(objects.account) { tvr.insert(.cardOnExceptionFile) }
        let action = TerminalActionAnalysis.first(
            tvr: tvr, issuer: try objects.issuerCodes, terminal: actionCodes,
            connection: configuration.type.connection)
        note(.actionAnalysis(action))
        try sendGenerateCryptogram(action.request, isSigning: isSigning)
    }

    /// The Terminal Action Codes, with the bits that no code can leave out: a card is not approved offline without its
    /// signature, with a PIN for the issuer, on the exception file, or against the merchant's wish.
    private var actionCodes: ActionCodes {
        let required: TerminalVerificationResults = [
            .odaNotPerformed, .cdaFailed, .onlineCVMCaptured, .cardOnExceptionFile, .merchantForcedOnline,
        ]
        var codes = configuration.actionCodes
        codes.online.formUnion(required)
        codes.default.formUnion(required)
        return codes
    }

    /// Looks for the objects of CDA, which are verified with the cryptogram (S456.24 to S456.27).
    /// - Returns: whether the card can be asked for a signature.
    private mutating func checkAuthenticationData() throws(KernelTermination) -> Bool {
        guard interchange.contains(.cdaSupported), configuration.capabilities.contains(.cda) else {
            tvr.insert(.odaNotPerformed)
            note(.offlineAuthentication(AuthenticationReport(method: nil, failure: nil)))
            return false
        }
        var failure: AuthenticationFailure?
        let tags: [Tag] = [
            .authorityKeyIndex, .issuerCertificate, .issuerExponent, .cardCertificate, .cardExponent,
            .staticDataTagList,
        ]
        if let missing = tags.first(where: { objects.isEmpty($0) }) {
            failure = AuthenticationFailure(.missing, in: missing)
        } else if let index = objects.card[.authorityKeyIndex]?.first, !hasAuthorityKey(index) {
            failure = AuthenticationFailure(.authorityKeyMissing, in: .authorityKeyIndex)
        }
        let report = AuthenticationReport(method: .cda, failure: failure)
        tvr.formUnion(report.tvr)
        note(.offlineAuthentication(report))
        guard objects.card[.staticDataTagList] == ApplicationInterchangeProfile.tag.octets else {
            throw KernelTermination(.malformed, .staticDataTagList)
        }
        return failure == nil
    }

    private func hasAuthorityKey(_ index: UInt8) -> Bool {
        let name = objects.card[.dedicatedFileName] ?? []
        return configuration.keys.key(of: Array(name.prefix(5)), index: index) != nil
    }

    private mutating func checkRestrictions() throws(KernelTermination) {
        let report = try objects.restrictions(configuration, transaction)
        tvr.formUnion(report.tvr)
        note(.restrictions(report))
    }

    /// Selects the verification of the cardholder (Book C-2, section 7.5).
    private mutating func selectVerification(
        _ methods: TerminalCapabilities, isRequired: Bool
    ) throws(KernelTermination) {
        var report: CardholderVerificationReport?
        let results: CardholderVerificationResults
        if isOnDevice {
            verification = isRequired ? .onDevice : .notRequired
            results =
                isRequired
                ? CardholderVerificationResults(
                    method: .init(rawValue: 0x01), condition: .init(rawValue: 0x00), outcome: .successful)
                : .none(.successful)
        } else if interchange.contains(.cardholderVerificationSupported) {
            let evaluated = try evaluateList(methods)
            report = evaluated
            // A contactless reader has no PIN pad for the card (7.5): only the bits of the list's result count.
            tvr.formUnion(evaluated.tvr.subtracting(.pinPadNotPresentOrNotWorking))
            verification =
                evaluated.isOnlinePINCaptured ? .onlinePIN : evaluated.isSignatureRequired ? .signature : .notRequired
            results = evaluated.results ?? .none(.unknown)
        } else {
            verification = .notRequired
            results = .none(.unknown)
        }
        if verification == .signature { isReceiptRequired = true }
        var octets = results.octets
        if profile.mastercard.sendsMethodAlone { octets[0] &= 0x3F }
        objects.terminal[.cvmResults] = octets
        note(.verification(verification ?? .notRequired, report))
    }

    /// Evaluates the card's CVM list. A PIN for the issuer is entered after the outcome.
    private func evaluateList(
        _ methods: TerminalCapabilities
    ) throws(KernelTermination) -> CardholderVerificationReport {
        let list =
            objects.isEmpty(.cvmList)
            ? nil : try objects.form(.cvmList) { try? CardholderVerificationList($0) }
        var situation = objects.verificationSituation(configuration, transaction)
        situation.capabilities = methods.intersection([.encipheredPINOnline, .signature, .noCVM])
        situation.isPINPadWorking = true
        var evaluation = CardholderVerification(list, situation)
        var step = evaluation.start()
        while true {
            switch step {
            case .finished(let report): return report
            case .request(.onlinePIN): step = evaluation.receive(.entered)
            // The reader has none of the methods that ask for something else.
            case .request: throw KernelTermination(.malformed, .cvmList)
            }
        }
    }

    /// Sends GENERATE AC (Book C-2, section 7.6).
    private mutating func sendGenerateCryptogram(
        _ decided: CryptogramType, isSigning: Bool
    ) throws(KernelTermination) {
        // A device that verifies the cardholder must sign (GAC.22 and 23).
        let type: CryptogramType = !isSigning && isOnDevice ? .aac : decided
        let isSigned = isSigning && (type != .aac || signsRefusals)
        let values = try objects.values(of: .cdol1)
        guard let command = try? CardCommand.generateCryptogram(type.rawValue | (isSigned ? 0x10 : 0), values)
        else { throw KernelTermination(.malformed, .cdol1) }
        listValues.append(values)
        request = (type, isSigned)
        note(.cryptogramRequest(type, isSigned: isSigned, tvr))
        ask(.transmit(command), .cryptogram)
    }

    /// Whether the card signs an AAC, too (Application Capabilities Information, octet 2, bit 1).
    private var signsRefusals: Bool {
        guard let capabilities = objects.card[.capabilitiesOrAvailableAmount], capabilities.count >= 2 else {
            return false
        }
        return capabilities[1] & 0x01 != 0
    }
}
