// Online processing, issuer authentication and scripts: EMV Book 3, sections 10.9 and 10.10.

extension ContactKernel {
    /// The tags of an online message that a card or the terminal may have.
    static var onlineTags: [Tag] {
        [
            0x9F26, 0x9F27, 0x9F10, 0x9F37, 0x9F36, 0x95, 0x9A, 0x9B, 0x9C, 0x9F02, 0x9F03, 0x5F2A, 0x82, 0x9F1A,
            0x9F33,
            0x9F34, 0x9F35, 0x9F1E, 0x9F21, 0x84, 0x9F09, 0x9F41, 0x5F34, 0x57, 0x5A, 0x5F24, 0x9F6E, 0x9F7C,
        ]
    }

    mutating func goOnline() throws(KernelTermination) {
        phase = .onlineProcessing
        guard configuration.type.connection != .offlineOnly else {
            try takeHost(.unreachable)
            return
        }
        publishResults()
        var objects = DataObjectStore()
        for tag in Self.onlineTags { objects.set(tag, terminal.secret(tag) ?? card.secret(tag)) }
        ask(.authorise(OnlineRequest(objects: objects, hasOnlinePIN: isOnlinePINCaptured)), .host)
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
            terminal[.authorisationResponseCode] = response.responseCode.octets
            terminal[.issuerAuthenticationData] = response.authenticationData
            try authenticateIssuer()
        }
    }

    /// Has the card check the issuer's cryptogram, if the AIP asks for EXTERNAL AUTHENTICATE. Otherwise the CDOL2 may
    /// have it.
    private mutating func authenticateIssuer() throws(KernelTermination) {
        phase = .issuerAuthentication
        guard profile.contains(.issuerAuthenticationSupported), let data = terminal[.issuerAuthenticationData] else {
            try runFirstScripts()
            return
        }
        guard let command = try? CardCommand.externalAuthenticate(data) else {
            note(.issuerAuthentication(nil))
            tvr.insert(.issuerAuthenticationFailed)
            try runFirstScripts()
            return
        }
        tsi.insert(.issuerAuthenticationPerformed)
        transmit(command, .externalAuthentication)
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
                transmit(command, .script)
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
        if !scriptResults.isEmpty { terminal[.issuerScriptResults] = scriptResults.flatMap { $0.octets } }
    }

    private mutating func finishScripts(_ phase: IssuerScript.Phase) throws(KernelTermination) {
        switch phase {
        case .beforeFinalCryptogram:
            let isApproved = host == .approved
            let code = terminal[.authorisationResponseCode].flatMap { AuthorisationResponseCode($0) }
            try complete(isApproved ? .tc : .aac, responseCode: code ?? .unableToGoOnlineDeclined)
        case .afterFinalCryptogram: finishCompletion()
        }
    }

    mutating func takeScript(_ response: CardResponse) throws(KernelTermination) {
        scriptRun.receive(response.status)
        try sendScriptCommand(phase == .scriptsBeforeCompletion ? .beforeFinalCryptogram : .afterFinalCryptogram)
    }
}
