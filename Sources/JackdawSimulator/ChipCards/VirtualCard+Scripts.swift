import JackdawEMV

// Commands of the issuer with secure messaging: EMV Book 3, section 6.5, and Book 2, section 9.

extension VirtualCard {
    /// Carries out a command of the issuer if its authentication code is right. The card takes such commands after its
    /// first cryptogram, to which the session keys are bound.
    mutating func performScript(_ instruction: CardInstruction, _ command: CardCommand) -> CardResponse {
        guard let index = session.application, let transaction = session.transaction,
            let identity = transaction.identity
        else { return .status(.conditionsNotSatisfied) }
        session.transaction?.commandCount += 1
        let number = applications[index].scheme.countsCommands ? transaction.commandCount + 1 : 1
        let status = scriptStatus(instruction, command, index, identity, number)
        session.transaction?.scripts.note(isDone: status == .success)
        if let scripts = session.transaction?.scripts { states[index].scripts = scripts }
        return .status(status)
    }

    private mutating func scriptStatus(
        _ instruction: CardInstruction, _ command: CardCommand, _ index: Int, _ identity: ChipCardTransaction,
        _ number: Int
    ) -> StatusWord {
        let application = applications[index]
        guard hasValidParameters(command, for: instruction) else { return .wrongParameters }
        let count = command.data.count - application.macLength
        let isWholeCommand = instruction != .changePIN && instruction != .putData
        guard count >= 0, !isWholeCommand || count == 0 else { return .wrongLength }
        let octets = command.data.octets
        let header = [
            command.classOctet, command.instruction, command.parameter1, command.parameter2, UInt8(octets.count),
        ]
        let data = Array(octets[..<count])
        guard let code = application.cipher.commandMAC(header: header, data: data, in: identity, number: number),
            SecretOctets(Array(code.prefix(application.macLength))) == SecretOctets(Array(octets[count...]))
        else { return .wrongMAC }
        switch instruction {
        case .applicationBlock: states[index].isBlocked = true
        case .applicationUnblock: states[index].isBlocked = false
        case .cardBlock: isBlocked = true
        case .changePIN: return changePIN(data, command.parameter2, index, identity, number)
        case .putData: return putData(data, command, index)
        default: return .unknownInstruction
        }
        return .success
    }

    private func hasValidParameters(_ command: CardCommand, for instruction: CardInstruction) -> Bool {
        switch instruction {
        case .putData: true
        case .changePIN: command.parameter1 == 0 && command.parameter2 <= 2
        default: command.parameter1 == 0 && command.parameter2 == 0
        }
    }

    /// PIN CHANGE/UNBLOCK: P2 00 gives the PIN its tries again, 01 and 02 also change it; 01 has the current PIN in it.
    private mutating func changePIN(
        _ data: [UInt8], _ kind: UInt8, _ index: Int, _ identity: ChipCardTransaction, _ number: Int
    ) -> StatusWord {
        guard let current = pin else { return .dataNotFound }
        if kind == 0 {
            guard data.isEmpty else { return .wrongLength }
        } else {
            guard !data.isEmpty, data.count.isMultiple(of: 8) else { return .wrongLength }
            let known = kind == 1 ? current : nil
            let cipher = applications[index].cipher
            guard let new = cipher.newPIN(in: data, current: known, identity, number: number) else { return .wrongData }
            pin = new
        }
        triesLeft = tryLimit
        return .success
    }

    /// PUT DATA: replaces an object of GET DATA by one of the same length.
    private mutating func putData(_ data: [UInt8], _ command: CardCommand, _ index: Int) -> StatusWord {
        guard let tag = command.dataTag, let old = states[index].data[tag] else { return .dataNotFound }
        guard data.count == old.count else { return .wrongLength }
        states[index].data[tag] = data
        return .success
    }
}

extension ApplicationState.ScriptRecord {
    /// Counts a command of the issuer.
    mutating func note(isDone: Bool) {
        if isDone { count = min(count + 1, 15) } else { hasFailed = true }
    }
}
