import JackdawBytes
import JackdawEMV
import JackdawReaders

// Card, kernel and cardholder in a simulated Miura reader.

extension MiuraTerminal {
    /// Asks the cardholder for the card until they insert it: taps and swipes have no effect.
    mutating func presentCard(at now: Duration) {
        while let (way, due) = payer.receive(.presentCard, at: now) {
            if case .inserts = way { return queue.add(.insertion, at: due) }
        }
    }

    mutating func happen(_ happening: Happening, at now: Duration) {
        switch happening {
        case .insertion: insert(at: now)
        case .removal: remove(at: now)
        case .command(let command, let number): transmit(command, number, at: now)
        case .pin(let answer, let number): takePIN(answer, number, at: now)
        case .choice(let index, let number):
            guard number == processNumber, process?.isChoosing == true else { return }
            guard process?.candidates.indices.contains(index) == true else { return askForApplication(at: now) }
            take(process?.choose(index) ?? [], at: now)
        case .tapEnds(let number):
            guard number == processNumber, state == .tapping else { return }
            end(.tapTimedOut, at: nil)
        }
    }

    private mutating func insert(at now: Duration) {
        guard !isCardIn, isReporting else { return }
        isCardIn = true
        _ = card.powerOn()
        if state == .tapping { end(.abortedByInsertion, at: nil) }
        reportCard()
    }

    private mutating func remove(at now: Duration) {
        guard isCardIn else { return }
        isCardIn = false
        card.powerOff()
        if isReporting { reportCard() }
        if state == .running { end(.noCard, at: now) }
    }

    private mutating func transmit(_ command: CardCommand, _ number: Int, at now: Duration) {
        guard number == processNumber, isCardIn else { return }
        guard !card.isMute else { return take(process?.loseCard() ?? [], at: now) }
        var octets = command.octets
        let answer = card.receive(octets.span)
        octets.wipe()
        if let due = payer.cardAnswered(at: now) { queue.add(.removal, at: due) }
        take(process?.receive(answer) ?? [], at: now)
    }

    private mutating func takePIN(_ answer: SimulatedPayer.Answer, _ number: Int, at now: Duration) {
        guard number == processNumber else { return }
        switch answer {
        case .enters(let digits) where pinRequest?.isOnline == true:
            onlinePIN = digits
            take(process?.enter(.onlinePINEntered) ?? [], at: now)
        case .enters(let digits): take(process?.enter(.pin(digits.digitNumbers)) ?? [], at: now)
        case .cancels: end(.cancelled, at: now)
        default: take(process?.enter(.pinBypassed) ?? [], at: now)
        }
    }

    private mutating func askForApplication(at now: Duration) {
        let question = SimulatedPayer.Question.chooseApplication(process?.candidates ?? [])
        guard case (.chooses(let index), let due)? = payer.receive(question, at: now) else { return }
        queue.add(.choice(index, process: processNumber), at: due)
    }

    mutating func take(_ outputs: [CardProcessOutput], at now: Duration) {
        for output in outputs {
            switch output {
            case .transmit(let command):
                queue.add(.command(command, process: processNumber), at: now + settings.exchange)
            case .enterPIN(let question): enterPIN(question, at: now)
            case .authorise(let request): self.request = request
            case .finished(let outcome):
                self.outcome = outcome
                course.addReasons(of: outcome)
            case .event(let event): take(event, at: now)
            case .step(let step): course.addReasons(of: step)
            case .tapStep, .tapFinished: break
            }
        }
    }

    private mutating func take(_ event: PaymentEvent, at now: Duration) {
        switch event {
        case .applicationsFound where asksCardholder:
            report(code: 3, "Select", nil)
            askForApplication(at: now)
        case .applicationsFound:
            state = .choosing
            messages += Self.answer(choice)
        case .noCommonApplication: end(.unsupportedCard, at: now)
        case .cardBlocked, .applicationBlocked: end(.invalidCard, at: now)
        case .chipUnreadable: end(.chipUnreadable, at: now)
        case .kernelFailed: end(outcome?.isCardLost == true ? .noCard : .invalidCard, at: now)
        case .firstARQC:
            state = .authorising
            messages += Self.answer(result(MiuraTag.onlineRequired, authorisation))
        case .firstTC, .firstTCWithSignature, .secondTC, .secondTCWithSignature: finish(MiuraTag.approved, at: now)
        case .firstAAC, .secondAAC: finish(MiuraTag.declined, at: now)
        case .pinEntered where pinRequest?.isOnline == false:
            report(code: 2, "PIN OK", (MiuraTag.pinStatus, values.pinAccepted))
        case .pinWrong: report(code: 2, "INCORRECT PIN", (MiuraTag.pinStatus, values.pinWrong))
        default: break
        }
    }

    private mutating func enterPIN(_ question: PINRequest, at now: Duration) {
        pinRequest = question
        guard !question.isOnline || pinCipher != nil else {
            return take(process?.enter(.pinPadFailed) ?? [], at: now)
        }
        report(code: 2, "Enter PIN", (MiuraTag.enteredDigits, 0))
        guard let (answer, due) = payer.receive(.enterPIN(question), at: now) else { return }
        queue.add(.pin(answer, process: processNumber), at: due)
    }

    // MARK: the end of a payment

    private mutating func finish(_ template: Tag, at now: Duration) {
        messages += Self.answer(result(template, outcome?.objects ?? DataObjectStore()))
        endProcess()
        queue.add(.removal, at: now + Self.takingCard)
    }

    /// Ends a payment without a result.
    /// - Parameters:
    ///   - status: the reason.
    ///   - now: the time from which the cardholder takes the card out, and inserts it again if the reader could not use
    ///     it; nil if no card of a payment is in the reader.
    mutating func end(_ status: MiuraStatus, at now: Duration?) {
        messages += Self.status(status)
        endProcess()
        guard let now else { return }
        if isCardIn { queue.add(.removal, at: now + Self.takingCard) }
        if [.chipUnreadable, .unsupportedCard].contains(status) { presentCard(at: now + Self.takingCard * 2) }
    }

    mutating func endProcess() {
        state = .idle
        process = nil
        processNumber += 1
        (request, outcome, pinRequest, onlinePIN) = (nil, nil, nil, nil)
    }

    mutating func reportCard() {
        let status = TagLengthValueBuilder.encode(MiuraTag.cardStatus, [isCardIn ? 3 : 0, 0])
        messages += Self.answer(TagLengthValueBuilder.encode(MiuraTag.response, status), isUnsolicited: true)
    }

    private mutating func report(code: UInt8, _ text: String, _ object: (tag: Tag, value: UInt8)?) {
        var objects = TagLengthValueBuilder()
        objects.append(MiuraTag.deviceStatus, [code])
        objects.append(MiuraTag.statusText, Array(text.utf8))
        if let object { objects.append(object.tag, [object.value]) }
        let body = TagLengthValueBuilder.encode(MiuraTag.statusChange, objects.octets)
        messages += Self.answer(body, isUnsolicited: true)
    }
}

extension KernelOutcome {
    fileprivate var isCardLost: Bool {
        if case .terminated(let reason) = disposition { reason.code == .cardLost } else { false }
    }
}
