// Terminal risk management with the card's counters: EMV Book 3, section 10.6.

extension ContactKernel {
    mutating func beginRiskManagement() throws(KernelTermination) {
        phase = .terminalRiskManagement
        if transaction.isOnlineForced { risk.findings.append(.merchantForcedOnline) }
        let account = objects.card.secret(.accountNumber)
        if configuration.isOnExceptionFile(account) { risk.findings.append(.onExceptionFile) }
        // For every card, whatever the bit of its AIP (10.6).
        tsi.insert(.terminalRiskManagementPerformed)
        let limits = configuration.limits
        let finding = TerminalRiskManagement.floorLimit(
            amount: transaction.amount, account: account, log: configuration.approved, limit: limits.floorLimit)
        if let finding { risk.findings.append(finding) }
        let hasRandomSelection = limits.targetPercentage > 0 || limits.maximumTargetPercentage > 0
        if hasRandomSelection, configuration.type.connection == .onlineCapable, transaction.amount < limits.floorLimit {
            ask(.random(count: 4), .selectionNumber)
        } else {
            try beginVelocityChecking()
        }
    }

    /// Selects the transaction at random. The random octets give a number from 1 to 99.
    mutating func select(by octets: [UInt8]) throws(KernelTermination) {
        let number = UInt8(octets.span.bigEndian % 99) + 1
        let finding = TerminalRiskManagement.randomSelection(
            amount: transaction.amount, limits: configuration.limits, number: number)
        if let finding { risk.findings.append(finding) }
        try beginVelocityChecking()
    }

    private mutating func beginVelocityChecking() throws(KernelTermination) {
        let lower = try limit(.lowerConsecutiveLimit)
        let upper = try limit(.upperConsecutiveLimit)
        if TerminalRiskManagement.asksForVelocityChecking(lower: lower, upper: upper) {
            try requestData(.transactionCounter, .transactionCounter)
        } else {
            try finishRiskManagement()
        }
    }

    mutating func askForLastOnline(_ counter: UInt16?) throws(KernelTermination) {
        try requestData(.lastOnlineCounter, .lastOnlineCounter(counter))
    }

    mutating func takeCounters(_ counter: UInt16?, _ lastOnline: UInt16?) throws(KernelTermination) {
        if let lower = try limit(.lowerConsecutiveLimit), let upper = try limit(.upperConsecutiveLimit) {
            risk.findings += TerminalRiskManagement.velocity(
                counter: counter, lastOnline: lastOnline, lower: lower, upper: upper)
        }
        try finishRiskManagement()
    }

    private func limit(_ tag: Tag) throws(KernelTermination) -> UInt8? {
        try objects.form(tag) { $0.count == 1 ? $0[0] : nil }
    }

    private mutating func finishRiskManagement() throws(KernelTermination) {
        tvr.formUnion(risk.tvr)
        note(.riskManagement(risk))
        phase = .terminalActionAnalysis
        try analyseActions()
    }
}
