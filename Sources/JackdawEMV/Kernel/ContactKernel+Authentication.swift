// Offline data authentication and processing restrictions: EMV Book 3, sections 10.3 and 10.4.

extension ContactKernel {
    mutating func authenticate() throws(KernelTermination) {
        method = AuthenticationMethod(profile, configuration.capabilities)
        switch method {
        case nil: try finishAuthentication(nil)
        case .sda?:
            var failure: AuthenticationFailure?
            do throws(AuthenticationFailure) {
                let code = try authentication.authenticate(objects.card, objects.staticData)
                objects.card[.dataAuthenticationCode] = code
            } catch { failure = error }
            try finishAuthentication(failure)
        case .dda?:
            if let key = try recoverKey() { try sendInternalAuthenticate(key) }
        case .cda?:
            if try recoverKey() != nil { try finishAuthentication(nil) }
        }
    }

    /// Recovers the card's key.
    /// - Returns: the key; nil if that failed, and the transaction has then gone on.
    private mutating func recoverKey() throws(KernelTermination) -> RSAPublicKey? {
        do throws(AuthenticationFailure) {
            cardKey = try authentication.cardKey(of: objects.card, objects.staticData)
            return cardKey
        } catch {
            try finishAuthentication(error)
            return nil
        }
    }

    private mutating func sendInternalAuthenticate(_ key: RSAPublicKey) throws(KernelTermination) {
        // The DDOL must ask for the whole unpredictable number, 4 octets (Book 2, 6.5.1).
        let list = try objects.list(.ddol) ?? (try? DataObjectList(configuration.defaultDDOL.span))
        guard let list, list.entries.contains(where: { $0.tag == .unpredictableNumber && $0.count >= 4 }) else {
            try finishAuthentication(AuthenticationFailure(.dynamicList, in: .ddol))
            return
        }
        lists.ddol = try objects.values(of: list)
        try transmit(try? CardCommand.internalAuthenticate(lists.ddol), of: .ddol, .internalAuthentication(key))
    }

    mutating func takeSignature(_ response: CardResponse, _ key: RSAPublicKey) throws(KernelTermination) {
        try response.requireSuccess()
        var failure: AuthenticationFailure?
        do throws(AuthenticationFailure) {
            objects.card[.dynamicNumber] = try authentication.dynamicNumber(
                response.data, signedBy: key, over: lists.ddol)
        } catch {
            // A template must have the signature (Book 3, 6.5.9.4).
            guard error.code != .missing else { throw KernelTermination(.missing, .signedDynamicApplicationData) }
            failure = error
        }
        try finishAuthentication(failure)
    }

    private mutating func finishAuthentication(_ failure: AuthenticationFailure?) throws(KernelTermination) {
        let report = AuthenticationReport(method: method, failure: failure)
        if failure != nil { cardKey = nil }
        tvr.formUnion(report.tvr)
        // CDA is performed with the cryptogram, unless its keys fail.
        if method != nil, method != .cda || failure != nil { tsi.insert(.odaPerformed) }
        note(.offlineAuthentication(report))
        phase = .processingRestrictions
        try checkRestrictions()
    }

    private mutating func checkRestrictions() throws(KernelTermination) {
        let report = try objects.restrictions(configuration, transaction)
        tvr.formUnion(report.tvr)
        note(.restrictions(report))
        phase = .cardholderVerification
        try beginVerification()
    }
}
