package import JackdawEMV

// The effects of a payment at the reader.

extension MiuraPayment {
    /// Carries out an effect of the payment.
    /// - Parameters:
    ///   - effect: any effect; those on host, journal and app are ignored.
    ///   - host: the host's answer, for `PaymentAction.completeCard(_:)`, and for the end of a tap. Default: nil.
    ///   - isTapAllowed: whether the payment may be a tap (`PaymentFlow.isTapAllowed`). Default: false.
    ///   - now: the current time.
    /// - Returns: the outputs.
    package mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse? = nil, isTapAllowed: Bool = false, at now: Duration
    ) -> [Output] {
        switch effect.action {
        case .prepare:
            task = effect.identifier
            // A payment of a program that was killed may still wait at the reader.
            conversation.append(.abort, .abort)
            conversation.append(.reset(), .reset)
            if settings.leastBattery > 0 { conversation.append(.battery(), .battery) }
        case .acceptCard:
            task = effect.identifier
            acceptCard(isTapAllowed: isTapAllowed)
        case .processCard:
            task = effect.identifier
            processCard(at: now)
        case .chooseApplication: task = effect.identifier
        case .completeCard(let knowledge):
            task = effect.identifier
            stage = .completing
            perform(.completion, Result { () throws(FrameFault) in try completion(knowledge, host) })
        case .storeRecord, .verifySignature, .captureSignature: endTap(host)
        case .prompt(let prompt): show(prompt.readerText)
        case .stopReader: stop(at: now)
        case .end:
            endTap(host)
            // A host that approved too late, or a card that is gone: the reader still waits.
            if stage != .over { stop(at: now) }
            reportCards(false)
        case .askHost, .writeJournal, .useNewAmount, .reverse, .ignore, .reject: break
        }
        sendNext(at: now)
        return takeOutputs()
    }

    /// Goes on with the host's choice among ``applications``.
    /// - Parameters:
    ///   - index: the index of the choice.
    ///   - now: the current time.
    /// - Returns: the outputs: the event for the payment.
    package mutating func choose(_ index: Int, at now: Duration) -> [Output] {
        guard stage == .choosing else { return [] }
        chosen = applications.indices.contains(index) ? applications[index].name : nil
        emit(chosen == nil ? .applicationChoiceInvalid : .applicationChosen)
        return takeOutputs()
    }

    private mutating func acceptCard(isTapAllowed: Bool) {
        stage = .accepting
        (isTap, tapResult, chosen) = (false, nil, nil)
        isEnteringPIN = false
        if !isReporting {
            reportCards(true)
        } else if isCardPresent, !isCardUsed {
            present()
        }
        if stage == .accepting, isTapAllowed, settings.takesTaps, !conversation.has(.contactless) {
            perform(.contactless, Result { () throws(FrameFault) in try .startContactless(transaction) })
        }
    }

    /// Switches card status reports. The first report answers the command, and no answer follows if they are switched off.
    private mutating func reportCards(_ isOn: Bool) {
        guard isOn != isReporting else { return }
        isReporting = isOn
        let reports = MiuraCardReports(rawValue: isOn ? settings.reportFlags : 0)
        outputs.append(.send(MiuraCommand.reportCards(reports).frame()))
    }

    /// A card is in the slot that was not used yet.
    mutating func present() {
        stage = .presented
        emit(.cardInserted)
    }

    private mutating func processCard(at now: Duration) {
        stage = .processing
        if let result = tapResult {
            tapResult = nil
            take(first: result)
        } else if let name = chosen {
            chosen = nil
            perform(.choice, Result { () throws(FrameFault) in try .continueTransaction(application: name) })
        } else if isChipCompatible {
            isCardUsed = true
            perform(.start, Result { () throws(FrameFault) in try .startTransaction(transaction, settings.start) })
        } else {
            isCardUsed = true
            emit(.chipUnreadable)
        }
    }

    // MARK: the host's answer

    /// The command for the second cryptogram. The reader has no command for a host that cannot be reached: the response code
    /// says so.
    private func completion(_ knowledge: HostKnowledge, _ host: HostResponse?) throws(FrameFault) -> MiuraCommand {
        switch knowledge {
        case .approved, .declined: return try completion(host)
        case .unreachable: return try .continueTransaction(code: settings.unreachableCode)
        case .notAsked, .asked, .unknown: return try .continueTransaction(code: settings.declineCode)
        }
    }

    /// Ends a tap that the issuer decided: the payment asks for no second cryptogram, but the reader waits for the answer, as
    /// the sample programs of Miura's SDK have it.
    private mutating func endTap(_ host: HostResponse?) {
        guard isTap, stage == .online else { return }
        stage = .over
        perform(.farewell, Result { () throws(FrameFault) in try completion(host) })
    }

    private func completion(_ host: HostResponse?) throws(FrameFault) -> MiuraCommand {
        guard let host else { return try .continueTransaction(code: settings.declineCode) }
        return try .continueTransaction(host)
    }

    /// Appends a command. One that cannot be made fails the payment.
    private mutating func perform(
        _ purpose: MiuraConversation.Purpose, _ command: Result<MiuraCommand, FrameFault>
    ) {
        switch command {
        case .success(let command): conversation.append(command, purpose)
        case .failure(let fault):
            note("a command that cannot be made: \(fault)")
            emit(.kernelFailed)
        }
    }

    private mutating func show(_ text: String) {
        // No text of a payment is too long for the command.
        guard let command = try? MiuraCommand.display(text) else { return }
        conversation.append(command, .display)
    }

    /// Ends the payment at the reader, and has it accept no card.
    private mutating func stop(at now: Duration) {
        let isWaiting = [.online, .choosing].contains(stage)
        stage = .over
        isEnteringPIN = false
        if let bytes = conversation.abort(at: now) {
            outputs.append(.send(bytes))
        } else if isWaiting {
            conversation.append(.abort, .abort)
        }
        reportCards(false)
    }
}

extension PaymentPrompt {
    /// The text on the reader's display, of four rows of 21 characters.
    fileprivate var readerText: String {
        switch self {
        case .useChip: "Insert the card"
        case .swipeCard: "Swipe the card"
        case .tryAgain: "Try again"
        case .useOtherInterface: "Insert or swipe\nthe card"
        case .seePhone: "See your phone"
        case .presentOneCard: "Present one card"
        case .removeCard: "Remove the card"
        }
    }
}
