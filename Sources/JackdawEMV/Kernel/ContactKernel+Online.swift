// Online processing, issuer authentication and scripts: EMV Book 3, sections 10.9 and 10.10.

extension ContactKernel {
    mutating func goOnline() throws(KernelTermination) {
        phase = .onlineProcessing
        guard configuration.type.connection != .offlineOnly else {
            try takeHost(.unreachable)
            return
        }
        let message = objects.subset(KernelObjects.onlineTags)
        ask(.authorise(OnlineRequest(objects: message, hasOnlinePIN: isOnlinePINCaptured)), .host)
    }

    mutating func takeHost(_ answer: HostAnswer) throws(KernelTermination) {
        switch answer {
        case .unreachable:
            host = .unreachable
            note(.host(.unreachable))
            try completeWithoutIssuer()
        case .unknown:
            host = .unknown
            mayBeApproved = true
            note(.host(.unknown))
            try complete(.aac, responseCode: .unableToGoOnlineDeclined)
        case .answered(let response):
            let decision: HostDecision = response.isApproved ? .approved : .declined
            host = decision
            mayBeApproved = response.isApproved
            note(.host(decision))
            scripts = response.scripts.withOctets { IssuerScript.scripts(in: $0) }
            objects.terminal[.authorisationResponseCode] = response.responseCode.octets
            objects.terminal[.issuerAuthenticationData] = response.authenticationData
            try authenticateIssuer()
        }
    }

    /// Has the card check the issuer's cryptogram, if the AIP asks for EXTERNAL AUTHENTICATE. Otherwise the CDOL2 may
    /// have it.
    private mutating func authenticateIssuer() throws(KernelTermination) {
        phase = .issuerAuthentication
        guard profile.contains(.issuerAuthenticationSupported), let data = objects.terminal[.issuerAuthenticationData]
        else { return try runFirstScripts() }
        guard let command = try? CardCommand.externalAuthenticate(data) else {
            note(.issuerAuthentication(nil))
            tvr.insert(.issuerAuthenticationFailed)
            try runFirstScripts()
            return
        }
        tsi.insert(.issuerAuthenticationPerformed)
        ask(.transmit(command), .externalAuthentication)
    }

    mutating func takeIssuerAuthentication(_ response: CardResponse) throws(KernelTermination) {
        note(.issuerAuthentication(response.status))
        if response.status != .success { tvr.insert(.issuerAuthenticationFailed) }
        try runFirstScripts()
    }

    private mutating func runFirstScripts() throws(KernelTermination) {
        phase = .scriptsBeforeCompletion
        try runScripts(.beforeFinalCryptogram)
    }

    // MARK: scripts of both phases

    mutating func runScripts(_ phase: IssuerScript.Phase) throws(KernelTermination) {
        scriptRun = IssuerScriptRun(scripts, phase)
        scripts.removeAll { $0.phase == phase }
        if scriptRun.hasScripts { tsi.insert(.scriptProcessingPerformed) }
        try sendScriptCommand(phase)
    }

    private mutating func sendScriptCommand(_ phase: IssuerScript.Phase) throws(KernelTermination) {
        while let octets = scriptRun.next() {
            let command = octets.withOctets { try? CardCommand($0) }
            if let command {
                ask(.transmit(command), .script)
                return
            }
            // A command whose length is not that of its data cannot be sent; a card would refuse it with 6700.
            scriptRun.receive(StatusWord(rawValue: 0x6700))
        }
        storeResults(of: scriptRun)
        try finishScripts(phase)
    }

    /// Ends the open scripts without the card's answer.
    mutating func abandonScripts() {
        scriptRun.abandon(isOpen: true)
        storeResults(of: scriptRun)
    }

    /// Gives a result to the scripts that the end of the transaction leaves out.
    mutating func closeScripts() {
        for phase in [IssuerScript.Phase.beforeFinalCryptogram, .afterFinalCryptogram] {
            var run = IssuerScriptRun(scripts, phase)
            run.abandon(isOpen: false)
            storeResults(of: run)
        }
        scripts = []
    }

    private mutating func storeResults(of run: IssuerScriptRun) {
        for result in run.results { note(.script(result)) }
        scriptResults += run.results
        tvr.formUnion(run.tvr)
        if !scriptResults.isEmpty { objects.terminal[.issuerScriptResults] = scriptResults.flatMap { $0.octets } }
    }

    private mutating func finishScripts(_ phase: IssuerScript.Phase) throws(KernelTermination) {
        switch phase {
        case .beforeFinalCryptogram:
            let isApproved = host == .approved
            let code = objects.terminal[.authorisationResponseCode].flatMap { AuthorisationResponseCode($0) }
            try complete(isApproved ? .tc : .aac, responseCode: code ?? .unableToGoOnlineDeclined)
        case .afterFinalCryptogram: finishCompletion()
        }
    }

    mutating func takeScript(_ response: CardResponse) throws(KernelTermination) {
        scriptRun.receive(response.status)
        try sendScriptCommand(phase == .scriptsBeforeCompletion ? .beforeFinalCryptogram : .afterFinalCryptogram)
    }
}
