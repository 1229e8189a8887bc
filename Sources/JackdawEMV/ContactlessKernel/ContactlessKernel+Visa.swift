// A Visa-style card, whose cryptogram comes with its processing options: Book C-3, sections 5.4 to 5.9.

extension ContactlessKernel {
    /// Takes the qualifiers that the card is sent, without the functions that this kernel does not have. If the
    /// merchant wants the issuer to decide, the card is asked for an online cryptogram.
    /// - Returns: false if the reader has no EMV mode.
    mutating func prepareQualifiers(_ found: TerminalTransactionQualifiers?) -> Bool {
        guard let found, found.contains(.emvSupported) else { return false }
        qualifiers = found.subtracting([.msdSupported, .odaForOnlineSupported, .issuerUpdateSupported])
        if transaction.isOnlineForced { qualifiers.insert(.onlineCryptogramRequired) }
        objects.terminal[TerminalTransactionQualifiers.tag] = qualifiers.octets
        return true
    }

    /// Decides on the transaction after all records were read.
    mutating func decide() throws(KernelTermination) {
        try objects.require([
            .cryptogram, .transactionCounter, .dedicatedFileName, .issuerApplicationData, .trackTwo, .pdol,
        ])
        let information = try cryptogramInformation()
        objects.card[.cryptogramInformation] = [information.rawValue]
        note(.cryptogram(information))
        var decision = VisaDecision(of: information.type, try objects.bits())
        if information.type == nil { follow(.unknownCryptogram, &decision) }
        if information.type == .tc, qualifiers.contains(.onlineCryptogramRequired) {
            follow(.onlineRequired, &decision)
        }
        if decision.isOffline { try checkExpiry(&decision) }
        if information.type == .tc, !decision.isDeclined, configuration.isOnExceptionFile(objects.account) {
            follow(.onExceptionFile, &decision)
        }
        if !decision.isDeclined { try checkUsage(&decision) }
        if decision.isOffline { authenticate(&decision) }
        guard !decision.isOver else { return }
        if !decision.isDeclined { selectVerification(&decision) }
        finish(decision)
    }

    /// The Cryptogram Information Data; if the card sends none, the type that its issuer application data state
    /// (5.4.3.1).
    private func cryptogramInformation() throws(KernelTermination) -> CryptogramInformation {
        if objects.card.contains(.cryptogramInformation) {
            let information = try objects.form(.cryptogramInformation) { octets in
                octets.count == 1 ? CryptogramInformation(rawValue: octets[0]) : nil
            }
            if let information { return information }
        }
        let information = try objects.form(.issuerApplicationData) { octets in
            // Octet 5, bits 6 and 5.
            octets.count >= 5 ? CryptogramInformation(rawValue: octets[4] << 2 & 0xC0) : nil
        }
        guard let information else { throw KernelTermination(.missing, .issuerApplicationData) }
        return information
    }

    /// Reports a rule, and applies its consequence.
    private mutating func follow(_ rule: ContactlessRule, _ decision: inout VisaDecision) {
        note(.rule(rule))
        decision.rule = rule
        switch rule.consequence {
        case .online: decision.isOnline = true
        case .decline: decision.isDeclined = true
        case .otherInterface:
            decision.isOver = true
            var outcome = ContactlessOutcome(.tryAnotherInterface, .rule(rule))
            let wantsContact = rule == .notAuthenticated(.otherInterface)
            outcome.alternativeInterface = wantsContact ? .contact : nil
            outcome.display = DisplayRequest(wantsContact ? .insertCard : .insertOrSwipe, .processingError)
            finish(outcome)
        }
    }

    // MARK: processing restrictions (5.5)

    private mutating func checkExpiry(_ decision: inout VisaDecision) throws(KernelTermination) {
        let expiration = try objects.form(.applicationExpiration) { CardDate($0) }
        if let expiration, transaction.date <= expiration { return }
        follow(.expired(decision.asks(.onlineIfExpired) ? .online : .decline), &decision)
    }

    /// Checks whether the card allows cash or cashback.
    private mutating func checkUsage(_ decision: inout VisaDecision) throws(KernelTermination) {
        let usage: ApplicationUsageControl? = try objects.bits()
        let isDomestic = objects.card[.issuerCountry] == configuration.country
        let isKnown = !objects.isEmpty(.issuerCountry)
        func allows(_ domestic: ApplicationUsageControl, _ international: ApplicationUsageControl) -> Bool {
            isKnown && usage?.contains(isDomestic ? domestic : international) == true
        }
        if transaction.type.isCash {
            guard profile.visa.checksCash, !allows(.domesticCash, .internationalCash) else { return }
            follow(.cashNotAllowed(decision.asks(.switchInterfaceForCash) ? .otherInterface : .decline), &decision)
        } else if transaction.type.hasCashback(transaction.otherAmount) {
            guard profile.visa.checksCashback, !allows(.domesticCashback, .internationalCashback) else { return }
            let isSwitching = decision.asks(.switchInterfaceForCashback)
            follow(.cashbackNotAllowed(isSwitching ? .otherInterface : .decline), &decision)
        }
    }

    // MARK: offline data authentication (5.6)

    /// Authenticates a card that is about to be approved offline, which needs fDDA: static data can be copied, and a
    /// card could ask for SDA by sending no signature.
    private mutating func authenticate(_ decision: inout VisaDecision) {
        var failure: AuthenticationFailure?
        do throws(AuthenticationFailure) {
            objects.card[.dynamicNumber] = try dynamicNumber()
        } catch { failure = error }
        note(.offlineAuthentication(AuthenticationReport(method: .dda, failure: failure)))
        decision.isAuthenticated = failure == nil
        guard !decision.isAuthenticated else { return }
        let consequence: ContactlessRule.Consequence =
            if decision.asks(.onlineIfODAFails), !qualifiers.contains(.offlineOnlyReader) {
                .online
            } else if decision.asks(.switchInterfaceIfODAFails), qualifiers.contains(.contactChipSupported) {
                .otherInterface
            } else {
                .decline
            }
        follow(.notAuthenticated(consequence), &decision)
    }

    /// Verifies the signature that came with the processing options: fDDA version 01, over the unpredictable number,
    /// the amount, the currency and the Card Authentication Related Data (annex C).
    private func dynamicNumber() throws(AuthenticationFailure) -> [UInt8] {
        guard let signature = objects.card[.signedDynamicApplicationData] else {
            throw AuthenticationFailure(.missing, in: .signedDynamicApplicationData)
        }
        guard let related = objects.card[.cardAuthenticationData] else {
            throw AuthenticationFailure(.missing, in: .cardAuthenticationData)
        }
        guard related.first == 0x01 else { throw AuthenticationFailure(.algorithm, in: .cardAuthenticationData) }
        let key = try authentication.cardKey(of: objects.card, objects.staticData)
        let dynamicData = [Tag.unpredictableNumber, .amountAuthorised, .currency].flatMap {
            objects.terminal[$0] ?? []
        }
        return try authentication.dynamicNumber(
            SecretOctets(TagLengthValueBuilder.encode(.responseFormat1, signature)), signedBy: key,
            over: SecretOctets(dynamicData + related))
    }

    // MARK: verification of the cardholder (5.7)

    private mutating func selectVerification(_ decision: inout VisaDecision) {
        let (method, rule) = verificationMethod(decision)
        if let rule { follow(rule, &decision) }
        guard !decision.isDeclined else { return }
        verification = method
        note(.verification(method, nil))
    }

    private func verificationMethod(
        _ decision: VisaDecision
    ) -> (ContactlessOutcome.Verification, ContactlessRule?) {
        let isRequired = qualifiers.contains(.cvmRequired)
        guard let card = decision.qualifiers else {
            guard isRequired else { return (.notRequired, nil) }
            if qualifiers.contains(.signatureSupported) { return (.signature, nil) }
            let hasPIN = qualifiers.isSuperset(of: [.onlinePINSupported, .cdcvmSupported])
            return hasPIN ? (.onlinePIN, .onlinePIN) : (.notRequired, .notVerified)
        }
        if card.contains(.onlinePINRequired), qualifiers.contains(.onlinePINSupported) {
            return (.onlinePIN, .onlinePIN)
        }
        if card.contains(.cdcvmPerformed) {
            return isDeviceTrusted(card, decision) ? (.onDevice, nil) : (.notRequired, .deviceNotTrusted)
        }
        if card.contains(.signatureRequired), qualifiers.contains(.signatureSupported) { return (.signature, nil) }
        return (.notRequired, isRequired ? .notVerified : nil)
    }

    /// Whether the card's qualifiers are those of octets 6 and 7 of the Card Authentication Related Data, and fDDA has
    /// proved these or the issuer decides; without these data, whether the issuer decides.
    private func isDeviceTrusted(_ card: CardTransactionQualifiers, _ decision: VisaDecision) -> Bool {
        guard let related = objects.card[.cardAuthenticationData] else { return decision.type == .arqc }
        guard related.dropFirst(5).prefix(2).elementsEqual(card.octets) else { return false }
        return decision.isAuthenticated || decision.type == .arqc
    }

    // MARK: the outcome (5.8 and 5.9)

    private mutating func finish(_ decision: VisaDecision) {
        let reason = decision.rule.map { ContactlessReason.rule($0) }
        var outcome: ContactlessOutcome
        if decision.isDeclined {
            outcome = ContactlessOutcome(.declined, reason)
            outcome.verification = .notRequired
            outcome.display = DisplayRequest(.notAuthorised)
        } else {
            maskFormFactor()
            outcome = ContactlessOutcome(decision.isOnline ? .onlineRequest : .approved, reason)
            outcome.verification = verification
            outcome.dataRecord = objects.subset(visaRecordTags)
            if decision.isOnline {
                outcome.online = onlineRequest(visaRecordTags)
                outcome.display = DisplayRequest(.authorising)
            } else {
                outcome.display = DisplayRequest(verification == .signature ? .approvedPleaseSign : .approved)
            }
        }
        outcome.discretionaryData = objects.subset([.capabilitiesOrAvailableAmount])
        if profile.visa.showsAvailableAmount {
            outcome.display?.balance =
                objects.card.withValue(.capabilitiesOrAvailableAmount) { $0.packedDecimal } ?? nil
        }
        finish(outcome)
    }

    /// Sets bits 4 to 1 of octet 4 of the Form Factor Indicator to 0: ISO/IEC 14443 was used (4.1.1.1).
    private mutating func maskFormFactor() {
        guard var indicator = objects.card[.formFactorOrThirdParty], indicator.count >= 4 else { return }
        indicator[3] &= 0xF0
        objects.card[.formFactorOrThirdParty] = indicator
    }

    /// The objects of the data record.
    private var visaRecordTags: [Tag] {
        let tags: [Tag] = [
            0x9F02, 0x9F26, 0x82, 0x9F36, 0x5F34, 0x9F7C, 0x9F10, 0x9F39, 0x9F1A, 0x9F33, 0x57, 0x5F2A, 0x9A, 0x9C,
            0x9F37, 0x95, 0x9F6E, 0x9F24,
        ]
        return transaction.type.hasCashback(transaction.otherAmount) ? tags + [.amountOther] : tags
    }
}

/// The decision on a Visa-style card so far.
struct VisaDecision {
    var isDeclined: Bool
    var isOnline: Bool
    /// Whether the transaction has ended with another interface.
    var isOver = false
    /// Whether fDDA has proved the card, and its Card Authentication Related Data.
    var isAuthenticated = false
    /// The rule that decided last; nil if the card did.
    var rule: ContactlessRule?
    /// The type of the cryptogram; nil if it is the reserved one.
    let type: CryptogramType?
    /// The qualifiers of the card; nil if it sent none.
    let qualifiers: CardTransactionQualifiers?

    init(of type: CryptogramType?, _ qualifiers: CardTransactionQualifiers?) {
        isDeclined = type == .aac
        isOnline = type == .arqc
        self.type = type
        self.qualifiers = qualifiers
    }

    /// Whether the transaction is about to be approved offline.
    var isOffline: Bool { !isDeclined && !isOnline && !isOver }

    /// Whether the card asks for something.
    func asks(_ bit: CardTransactionQualifiers) -> Bool { qualifiers?.contains(bit) ?? false }
}
