import JackdawEMV

// The decision on an authorisation, and its content for the card.

extension SimulatedIssuer {
    /// A decision with its reason.
    struct Ruling {
        let verdict: IssuerDecision.Verdict
        /// The response code (8A), two octets.
        let code: [UInt8]
        let reason: IssuerReason

        static func declined(_ code: ResponseCode, _ reason: IssuerReason) -> Ruling {
            Ruling(verdict: .declined, code: code.octets, reason: reason)
        }
    }

    /// Decides: the message, the account, the card, the PIN, the rules, the limits, in this order.
    mutating func decide(_ reference: String, _ message: Authorisation, _ check: CryptogramCheck) -> Ruling {
        if let entry = ledger[reference], entry.isReversed || entry.capture != nil {
            return .declined(.doNotHonour, .closedBefore)
        }
        guard let account = message.facts.account, let amount = message.facts.amount else {
            return .declined(.malformed, .malformed)
        }
        guard message.facts.currency == setup.currency else { return .declined(.invalidTransaction, .currency) }
        let index = index(of: account)
        guard index != nil || setup.acceptsUnknownAccounts else { return .declined(.unknownAccount, .unknownAccount) }
        if let index, let code = accounts[index].status.code { return .declined(code, .status) }
        switch check {
        case .absent: break
        case .noKeys: return .declined(.doNotHonour, .noKeys)
        case .wrong: return .declined(.doNotHonour, .cryptogram)
        case .right(let card):
            guard isNew(card.transaction.counter, account, index) else { return .declined(.doNotHonour, .counter) }
        }
        return refusal(ofPIN: message, account, index) ?? ruling(on: amount, message.rule, index)
    }

    /// Whether a counter exceeds that of the card's last authorisation, as far as the issuer compares them.
    private mutating func isNew(_ counter: UInt16, _ account: AccountNumber, _ index: Int?) -> Bool {
        guard let index else { return true }
        let last = accounts[index].counters[account.sequenceNumber]
        accounts[index].counters[account.sequenceNumber] = max(last ?? 0, counter)
        return !setup.checksCounters || last.map { counter > $0 } ?? true
    }

    /// Checks the PIN of a message that has one, or must have one as the account has a PIN and it was entered.
    /// - Returns: nil if the PIN is right, or the issuer checks none.
    private mutating func refusal(
        ofPIN message: Authorisation, _ account: AccountNumber, _ index: Int?
    ) -> Ruling? {
        let results = message.objects[TerminalVerificationResults.tag].flatMap { TerminalVerificationResults($0) }
        let pin = index.flatMap { accounts[$0].pin }
        let isEntered = pin != nil && results?.contains(.onlineCVMCaptured) == true
        guard message.pinBlock != nil || isEntered else { return nil }
        guard let index, let pin, let key = setup.pinKey else { return .declined(.wrongPIN, .pin) }
        guard accounts[index].triesLeft > 0 else { return .declined(.pinTriesExceeded, .pinTries) }
        guard let block = message.pinBlock,
            cryptography.pin(ofBlock: block, key: key, account: account.digits) == pin
        else {
            accounts[index].triesLeft -= 1
            let isLast = accounts[index].triesLeft == 0
            return isLast ? .declined(.pinTriesExceeded, .pinTries) : .declined(.wrongPIN, .pin)
        }
        accounts[index].triesLeft = accounts[index].tryLimit
        return nil
    }

    private func ruling(on amount: UInt64, _ rule: IssuerRule?, _ index: Int?) -> Ruling {
        if let rule, let verdict = rule.verdict {
            return Ruling(verdict: verdict, code: rule.code ?? verdict.usualCode.octets, reason: .rule)
        }
        if let most = setup.maxAmount, amount > most { return .declined(.exceedsLimit, .limit) }
        if let index, let available = accounts[index].available {
            // More may be taken than is available, as cards approve without the issuer.
            guard amount <= available - min(available, accounts[index].taken) else {
                return .declined(.insufficientFunds, .funds)
            }
        }
        if let most = setup.referAbove, amount > most {
            return Ruling(verdict: .referred, code: ResponseCode.refer.octets, reason: .limit)
        }
        return Ruling(verdict: .approved, code: ResponseCode.approved.octets, reason: .inOrder)
    }

    // MARK: the card and its cryptogram

    /// A card whose cryptogram is right.
    struct VerifiedCard {
        let cipher: any IssuerCipher
        let scheme: CryptogramScheme
        let transaction: ChipCardTransaction
        /// The number of octets of a command's authentication code.
        let macLength: Int
    }

    /// The result of the check of a cryptogram.
    enum CryptogramCheck {
        /// The message has none, as that of a swipe.
        case absent
        /// There are no keys for the card, or its scheme is not known.
        case noKeys
        case wrong
        case right(VerifiedCard)

        /// The card; nil unless its cryptogram is right.
        var card: VerifiedCard? { if case .right(let card) = self { card } else { nil } }
    }

    /// Checks the cryptogram (9F26) of a message, which must have a type.
    func check(
        _ objects: DataObjectStore, _ account: AccountNumber?, _ type: CryptogramType
    ) -> CryptogramCheck {
        guard let cryptogram = objects[0x9F26] else { return .absent }
        guard let account, let data = objects[0x9F10],
            let keys = setup.keys.first(where: { $0.fits(objects[0x84] ?? [], account) }),
            let scheme = keys.scheme ?? CryptogramScheme(issuerApplicationData: data),
            let cipher = try? cryptography.cipher(
                for: keys.keys(scheme, account: account.digits, sequenceNumber: account.sequenceNumber))
        else { return .noKeys }
        guard let covered = scheme.covered(data), let profile = objects[0x82], profile.count == 2,
            let counter = objects.counter, let number = objects[.unpredictableNumber], number.count == 4,
            cryptogram.count == 8,
            objects[0x9F27]?.first.flatMap({ CryptogramType(octet: $0) }) == type,
            let terminalData = Self.terminalData(objects)
        else { return .wrong }
        let transaction = ChipCardTransaction(
            counter: counter, unpredictableNumber: number, cryptogram: cryptogram)
        let expected = cipher.cryptogram(
            terminalData: terminalData, profile: profile, counter: transaction.counter, cardData: covered)
        guard let expected, SecretOctets(expected) == SecretOctets(cryptogram) else { return .wrong }
        return .right(
            VerifiedCard(cipher: cipher, scheme: scheme, transaction: transaction, macLength: keys.macLength))
    }

    /// The terminal's data that a cryptogram covers, 29 octets; nil if an object but the other amount is missing.
    private static func terminalData(_ objects: DataObjectStore) -> [UInt8]? {
        var data: [UInt8] = []
        for (tag, count) in CardTransactionState.cryptogramTags {
            guard let value = objects[tag] ?? (tag == 0x9F03 ? [0, 0, 0, 0, 0, 0] : nil), value.count == count else {
                return nil
            }
            data += value
        }
        return data
    }

    // MARK: the content for the card

    /// The content of a decision for the card.
    func response(_ ruling: Ruling, _ card: VerifiedCard?, _ rule: IssuerRule?) -> HostResponse {
        let isApproved = ruling.verdict == .approved
        guard let code = AuthorisationResponseCode(ruling.code) else { preconditionFailure("a code has two octets") }
        return HostResponse(
            isApproved: isApproved, responseCode: code,
            authenticationData: card.flatMap { authenticationData($0, ruling, rule) },
            scripts: rule.map { scripts($0.scripts, card) } ?? [])
    }

    private func authenticationData(_ card: VerifiedCard, _ ruling: Ruling, _ rule: IssuerRule?) -> [UInt8]? {
        let kind = rule?.authentication ?? .right
        guard kind != .absent else { return nil }
        let usual = card.scheme.answer(isApproved: ruling.verdict == .approved, code: ruling.code)
        var data = card.cipher.authenticationData(for: card.transaction, answer: rule?.answer ?? usual)
        if kind == .wrong { data?[0] ^= 0xFF }
        return data
    }

    /// Scripts in BER-TLV. Commands with an authentication code are left out if the card is not verified.
    private func scripts(_ plans: [IssuerScriptPlan], _ card: VerifiedCard?) -> [UInt8] {
        // The card numbers commands in the order in which it receives them.
        let ordered = IssuerScriptPlan.Template.allCases.flatMap { template in
            plans.filter { $0.template == template }
        }
        var number = 0
        var builder = TagLengthValueBuilder()
        for plan in ordered {
            builder.append(plan.template.tag) { script in
                if let identifier = plan.identifier { script.append(0x9F18, identifier) }
                for command in plan.commands {
                    switch command {
                    case .whole(let octets): octets.withOctets { script.append(0x86, $0) }
                    case .protected(let command):
                        number += 1
                        if let octets = card?.encode(command, number: number) { script.append(0x86, octets) }
                    }
                }
            }
        }
        return builder.octets
    }
}

extension SimulatedIssuer.VerifiedCard {
    /// Encodes a command with its authentication code.
    /// - Parameters:
    ///   - command: the command.
    ///   - number: its place among those with a code in the transaction, from 1.
    /// - Returns: nil if the scheme cannot protect it.
    fileprivate func encode(_ command: IssuerScriptPlan.ProtectedCommand, number: Int) -> [UInt8]? {
        let number = scheme.countsCommands ? number : 1
        let header: [UInt8]
        var data: [UInt8] = []
        switch command {
        case .applicationBlock: header = [0x84, 0x1E, 0, 0]
        case .applicationUnblock: header = [0x84, 0x18, 0, 0]
        case .cardBlock: header = [0x84, 0x16, 0, 0]
        case .pinUnblock: header = [0x84, 0x24, 0, 0]
        case .pinChange(let pin):
            // P2 02: without the current PIN.
            header = [0x84, 0x24, 0, 2]
            guard let block = cipher.newPINData(pin, current: nil, transaction, number: number) else { return nil }
            data = block
        case .putData(let tag, let value):
            header = [0x84, 0xDA] + tag.octets
            data = value
        }
        // A cipher may return data of any length.
        guard data.count + macLength <= 255 else { return nil }
        let start = header + [UInt8(data.count + macLength)]
        guard let code = cipher.commandMAC(header: start, data: data, in: transaction, number: number) else {
            return nil
        }
        return start + data + code.prefix(macLength)
    }
}

extension IssuerKeySet {
    /// Whether the keys are for a card.
    func fits(_ application: [UInt8], _ account: AccountNumber) -> Bool {
        application.starts(with: self.application) && account.hasPrefix(accounts)
    }
}

extension IssuerDecision.Verdict {
    /// The response code of a rule that names none.
    fileprivate var usualCode: ResponseCode {
        switch self {
        case .approved: .approved
        case .declined: .doNotHonour
        case .referred: .refer
        }
    }
}
