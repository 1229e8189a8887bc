// A Mastercard-style card's cryptogram and the outcome: Book C-2, states 9 and 10.

extension ContactlessKernel {
    mutating func takeCryptogram(_ response: CardResponse) throws(KernelTermination) {
        guard let request else { return }
        let (answer, information) = try response.cryptogram(isSigned: true)
        try objects.add(answer)
        note(.cryptogram(information))
        let decision = CryptogramDecision.first(requested: request.type, information: information)
        guard decision.action != .terminate else {
            throw KernelTermination(.unexpectedCryptogram, .cryptogramInformation)
        }
        if answer.contains(.signedDynamicApplicationData) {
            guard verifySignature(response) else { return }
        } else {
            // Only an AAC that was not itself requested with a signature comes without one (S910.32 to S910.37).
            guard !request.isSigned || (information.type == .aac && request.type != .aac) else {
                throw KernelTermination(.missing, .signedDynamicApplicationData)
            }
        }
        finish(information)
    }

    /// Verifies the signature of the cryptogram, and takes the cryptogram out of it. Ends the application if it is
    /// wrong.
    private mutating func verifySignature(_ response: CardResponse) -> Bool {
        var failure: AuthenticationFailure?
        do throws(AuthenticationFailure) {
            let key = try authentication.cardKey(of: objects.card, objects.staticData)
            try objects.verifyCryptogram(response, key, authentication, over: listValues)
        } catch { failure = error }
        let report = AuthenticationReport(method: .cda, failure: failure)
        note(.offlineAuthentication(report))
        guard let failure else { return true }
        tvr.formUnion(report.tvr)
        endApplication(.authentication(failure))
        return false
    }

    /// The outcome of a valid answer (S910.70 to S910.81).
    private mutating func finish(_ information: CryptogramInformation) {
        var outcome: ContactlessOutcome
        if let message = deviceMessage {
            // The cardholder must use the device, and present it again.
            outcome = ContactlessOutcome(.endApplication, .deviceInteraction)
            outcome.start = .protocolActivation
            outcome.display = DisplayRequest(message, .notReady, holdTime: profile.mastercard.holdTime)
            outcome.restartDisplay = DisplayRequest(message, .readyToRead)
        } else {
            switch information.type {
            case .tc:
                outcome = ContactlessOutcome(.approved)
                let message: DisplayRequest.Message = verification == .signature ? .approvedPleaseSign : .approved
                outcome.display = DisplayRequest(message, .notReady, holdTime: profile.mastercard.holdTime)
            case .arqc:
                outcome = ContactlessOutcome(.onlineRequest)
                outcome.display = DisplayRequest(.authorising, .notReady)
                outcome.online = onlineRequest(Self.mastercardRecordTags)
            case .aac, nil: outcome = declined()
            }
        }
        outcome.verification = verification
        outcome.isReceiptRequired = isReceiptRequired
        outcome.dataRecord = objects.subset(Self.mastercardRecordTags)
        outcome.discretionaryData = objects.subset([
            .capabilitiesOrAvailableAmount, .applicationCurrency, .formFactorOrThirdParty,
        ])
        finish(outcome)
    }

    /// The outcome of an AAC: a purchase or cash may succeed with contacts, unless reader or device have none
    /// (S910.74).
    private func declined() -> ContactlessOutcome {
        guard transaction.type.isCash || [.purchase, .cashback].contains(transaction.type) else {
            var outcome = ContactlessOutcome(.endApplication)
            outcome.display = DisplayRequest(.noMessage, .notReady)
            return outcome
        }
        let hasContacts = configuration.capabilities.contains(.icWithContacts) && !isOtherDevice
        var outcome = ContactlessOutcome(hasContacts ? .tryAnotherInterface : .declined)
        outcome.display = DisplayRequest(
            hasContacts ? .insertCard : .notAuthorised, .notReady, holdTime: profile.mastercard.holdTime)
        return outcome
    }

    /// Whether the Third Party Data say that the device is no card: octet 3, bit 8 is 0, and octets 5 and 6 are not
    /// "00".
    private var isOtherDevice: Bool {
        guard let data = objects.card[.formFactorOrThirdParty], data.count >= 6, data[2] & 0x80 == 0 else {
            return false
        }
        return data[4] != 0x30 || data[5] != 0x30
    }

    /// The message of a device that must be presented again, by the phone message table of Book C-2; nil if the
    /// transaction is done.
    private var deviceMessage: DisplayRequest.Message? {
        guard let interaction = objects.card[.cardholderInteraction], interaction.count == 3,
            interaction[1] & 0x03 != 0 || interaction[2] & 0x0F != 0
        else { return nil }
        return interaction[1] & 0x0F != 0 || interaction[2] & 0x01 != 0 ? .seePhone : .notAuthorised
    }

    /// The data of the message to the issuer.
    func onlineRequest(_ tags: [Tag]) -> OnlineRequest {
        OnlineRequest(
            objects: objects.subset(KernelObjects.onlineTags + tags),
            hasOnlinePIN: verification == .onlinePIN)
    }

    /// The objects of the data record (Book C-2, table 4.7).
    private static var mastercardRecordTags: [Tag] {
        [
            0x9F02, 0x9F03, 0x9F26, 0x5F24, 0x82, 0x50, 0x5A, 0x5F34, 0x9F12, 0x9F36, 0x9F07, 0x9F09, 0x9F27, 0x9F34,
            0x84, 0x9F1E, 0x9F10, 0x9F11, 0x9F33, 0x9F1A, 0x9F35, 0x95, 0x57, 0x9F53, 0x5F2A, 0x9A, 0x9C, 0x9F37,
        ]
    }
}
