import JackdawBytes
import JackdawCards
import JackdawEMV

// The effects of a till's payment on card, cardholder and issuer.

extension SimulatedTill {
    mutating func carryOut(_ effect: PaymentEffect) {
        note(.action(effect.action))
        let identifier = effect.identifier
        switch effect.action {
        case .prepare:
            openTask = identifier
            guard !isSwipeOnly else { return readerTasks.append(.prepare(identifier)) }
            queue.add(.event(.prepared, answering: identifier), at: now + settings.preparation)
        case .acceptCard:
            openTask = identifier
            endProcess()
            takeCardAway()
            if isSwipeOnly { readerTasks.append(.accept(identifier)) }
            while let (way, due) = payer.receive(.presentCard, at: now) {
                guard takes(way) else { continue }
                queue.add(.presentation(way, task: identifier), at: due)
                break
            }
        case .processCard: processCard(identifier)
        case .chooseApplication:
            openTask = identifier
            let candidates = process?.candidates ?? []
            if case (.chooses(let index), let due)? = payer.receive(.chooseApplication(candidates), at: now) {
                queue.add(.choice(index, task: identifier), at: due)
            }
        case .askHost: askIssuer(identifier)
        case .completeCard(let knowledge):
            openTask = identifier
            cardTask = identifier
            let host = answer(knowledge)
            takeOutputs(process?.complete(host) ?? [])
        case .captureSignature: askForSignature(identifier)
        case .verifySignature:
            openTask = identifier
            queue.add(
                .event(isSignatureRight ? .signatureAccepted : .signatureRejected, answering: identifier), at: now)
        case .storeRecord: storeRecord(identifier)
        case .writeJournal(let journal): write(journal)
        case .reverse:
            outbox.append(.reversal, message(.reversal(request)))
            queue.add(.delivery, at: now)
        case .prompt(.removeCard): takeCardAway()
        case .stopReader, .end:
            endProcess()
            if isSwipeOnly { readerTasks.append(.stop) }
        case .useNewAmount, .prompt, .ignore, .reject: break
        }
    }

    private mutating func askForSignature(_ identifier: Int) {
        openTask = identifier
        guard let (answer, due) = payer.receive(.sign, at: now) else { return }
        switch answer {
        case .signs(let isRight):
            isSignatureRight = isRight
            queue.add(.event(.signatureCaptured, answering: identifier), at: due)
        default: queue.add(.event(.signatureRefused, answering: identifier), at: due)
        }
    }

    /// Stores the record and its mark in the journal in one write, and has the issuer take the money.
    private mutating func storeRecord(_ identifier: Int) {
        openTask = identifier
        if !journal.isRecordStored {
            journal.isRecordStored = true
            records += 1
            let isOnline = payment.journal.host == .approved
            outbox.append(
                isOnline ? .confirmation : .advice, message(isOnline ? .confirmation(objects) : .advice(objects)))
            queue.add(.delivery, at: now + settings.storing)
        }
        queue.add(.event(.recordStored, answering: identifier), at: now + settings.storing)
    }

    /// Writes the journal. The mark of a record that is stored stays.
    private mutating func write(_ journal: PaymentJournal) {
        self.journal = journal
        if records > 0 { self.journal.isRecordStored = true }
    }

    func message(_ content: IssuerRequest.Content) -> IssuerRequest {
        IssuerRequest(reference: reference, content)
    }

    // MARK: the card and the cardholder

    /// Whether the cardholder can present the card so. One at a link is in a reader with contacts, or another person
    /// swipes it.
    private func takes(_ way: SimulatedPayer.Answer) -> Bool {
        switch way {
        case .inserts: !isSwipeOnly
        case .swipes: !isCardLinked
        default: !isSwipeOnly && !isCardLinked
        }
    }

    mutating func presentCard(_ way: SimulatedPayer.Answer, _ task: Int) {
        guard payment.phase == .awaitingCard, task == openTask else { return }
        signsWithoutContact = false
        switch way {
        case .taps:
            isCardPresent = true
            card.enterField()
            deliver(.cardTapped, answering: task)
        case .swipes: swipeCard(task)
        default:
            isCardPresent = true
            answerToReset = card.powerOn()
            if isCardLinked {
                if isLinkedCardUsed { linkTasks.append(.resetCard) }
                isLinkedCardUsed = true
            }
            deliver(.cardInserted, answering: task)
        }
    }

    /// Reads the stripe. The issuer is asked without a cryptogram, and the cardholder signs.
    private mutating func swipeCard(_ task: Int) {
        guard !isSwipeOnly else { return readerTasks.append(.swipe) }
        guard let stripe = card.stripe,
            let code = stripe.withOctets({ try? Track2(equivalentData: $0) })?.serviceCode
        else {
            deliver(.swipeUnreadable, answering: task)
            return
        }
        takeSwipe(
            code.hasChip ? .chipCardSwiped : .cardSwiped, transaction.objects(ofStripe: stripe), answering: task)
    }

    /// Takes a card that a reader swiped, for an effect.
    mutating func takeSwipe(_ card: CardEvent, answering task: Int) {
        guard payment.phase == .awaitingCard, task == openTask else { return }
        takeSwipe(card.paymentEvent, card.authorisation(transaction) ?? DataObjectStore(), answering: task)
    }

    private mutating func takeSwipe(_ event: PaymentEvent, _ objects: DataObjectStore, answering task: Int) {
        self.objects = objects
        request = objects
        signsWithoutContact = event != .swipeUnreadable
        deliver(event, answering: task)
    }

    mutating func removeCard() {
        guard isCardPresent else { return }
        takeCardAway()
        deliver(.cardRemoved)
    }

    private mutating func takeCardAway() {
        isCardPresent = false
        card.powerOff()
    }

    mutating func endProcess() {
        process = nil
        processNumber += 1
    }

    /// Begins with the card, or goes on after the choice of an application.
    private mutating func processCard(_ identifier: Int) {
        let chosen = choice
        openTask = identifier
        cardTask = identifier
        choice = nil
        if let chosen, process?.isChoosing == true {
            takeOutputs(process?.choose(chosen) ?? [])
            return
        }
        endProcess()
        course.requestedType = nil
        let seed = SplitMix(seed: random.next())
        if payment.journal.entry == .tap {
            process = TapProcess(settings, transaction, primitives, card.wedge, seed)
        } else if hasAnsweredReset {
            process = ContactProcess(settings, transaction, primitives, card.wedge, seed)
        } else {
            queue.add(.event(.chipUnreadable, answering: identifier), at: now + settings.exchange)
        }
        takeOutputs(process?.start() ?? [])
    }

    /// Whether the card has answered the reset as EMV allows (Contact Interface, 8.3).
    private var hasAnsweredReset: Bool {
        // The reader has checked that of a card at a link.
        guard !isCardLinked else { return true }
        guard let reset = try? AnswerToReset(answerToReset.span) else { return false }
        return reset.rejection() == nil
    }

    mutating func choose(_ index: Int, _ task: Int) {
        guard task == openTask, process?.isChoosing == true else { return }
        let isValid = process?.candidates.indices.contains(index) == true
        choice = isValid ? index : nil
        deliver(isValid ? .applicationChosen : .applicationChoiceInvalid, answering: task)
    }

    mutating func transmit(_ command: CardCommand, _ number: Int) {
        guard number == processNumber else { return }
        guard isCardPresent, isCardLinked || !card.isMute else {
            takeOutputs(process?.loseCard() ?? [])
            return
        }
        var octets = command.octets
        guard !isCardLinked else {
            recorder?.add(octets, isSent: true, at: now)
            awaitedProcesses.append(number)
            linkTasks.append(.send(octets))
            return
        }
        let answer = card.receive(octets.span)
        recordExchange(octets, answer)
        octets.wipe()
        if let due = payer.cardAnswered(at: now) { queue.add(.removal, at: due) }
        takeOutputs(process?.receive(answer) ?? [])
    }

    /// Takes the answer of a card at a link.
    mutating func takeAnswer(_ octets: [UInt8]) {
        recorder?.add(octets, isSent: false, at: now)
        guard !awaitedProcesses.isEmpty, awaitedProcesses.removeFirst() == processNumber else { return }
        if let due = payer.cardAnswered(at: now) { queue.add(.removal, at: due) }
        if let answer = try? CardResponse(octets.span) {
            takeOutputs(process?.receive(answer) ?? [])
        } else {
            takeOutputs(process?.loseCard() ?? [])
        }
    }

    /// The card at a link is lost.
    mutating func loseCard() {
        isCardPresent = false
        awaitedProcesses = []
        takeOutputs(process?.loseCard() ?? [])
    }

    /// Records a command at its time, and the answer that came with it.
    private mutating func recordExchange(_ command: [UInt8], _ answer: CardResponse) {
        guard recorder != nil else { return }
        recorder?.add(command, isSent: true, at: now)
        var octets = answer.octets
        recorder?.add(octets, isSent: false, at: now)
        octets.wipe()
    }

    mutating func takePIN(_ answer: SimulatedPayer.Answer, _ number: Int, _ isOnline: Bool) {
        guard number == processNumber else { return }
        switch answer {
        case .enters(let digits) where isOnline:
            onlinePIN = digits
            takeOutputs(process?.enter(.onlinePINEntered) ?? [])
        case .enters(let digits): takeOutputs(process?.enter(.pin(digits.digitNumbers)) ?? [])
        case .cancels: deliver(.pinCancelled, answering: openTask)
        default: takeOutputs(process?.enter(.pinBypassed) ?? [])
        }
    }

    /// Events of the card come after the effects under way.
    private mutating func takeOutputs(_ outputs: [CardProcessOutput]) {
        for output in outputs {
            switch output {
            case .transmit(let command):
                queue.add(.command(command, process: processNumber), at: now + settings.exchange)
            case .enterPIN(let question):
                guard let (answer, due) = payer.receive(.enterPIN(question), at: now) else { continue }
                queue.add(.pin(answer, process: processNumber, isOnline: question.isOnline), at: due)
            case .authorise(let request): self.request = request.objects
            case .event(let event): queue.add(.event(event, answering: cardTask), at: now)
            case .step(let step):
                steps.append(step)
                course.addReasons(of: step)
            case .finished(let outcome):
                kernelOutcome = outcome
                objects = outcome.objects
                course.addReasons(of: outcome)
            case .tapStep(let step):
                tapSteps.append(step)
                course.addReasons(of: step)
            case .tapFinished(let outcome, let record):
                tapOutcome = outcome
                objects = record
                signsWithoutContact = outcome.verification == .signature
                // The card takes no part in the rest.
                takeCardAway()
            // The till has it from the start.
            case .transactionNeeded: break
            }
        }
    }

    // MARK: messages to the issuer

    private mutating func askIssuer(_ identifier: Int) {
        openTask = identifier
        let objects = request ?? DataObjectStore()
        let pinBlock = onlinePIN.flatMap { issuer.pinBlock(of: $0, for: objects) }
        switch issuer.receive(message(.authorisation(objects, pinBlock: pinBlock)), at: now) {
        case .replies(let reply, let due): queue.add(.reply(reply, task: identifier), at: due)
        case .isUnreachable(let due): queue.add(.reply(nil, task: identifier), at: due)
        case .staysSilent: break
        }
    }

    mutating func takeReply(_ reply: IssuerReply?, _ task: Int) {
        let event: PaymentEvent
        switch reply {
        case .decision(let issued)?:
            let decision = card.wedge?.alter(issued) ?? issued
            if task == openTask {
                self.decision = decision
                if issued.verdict != .approved, let reason = issuer.ledger[reference]?.reason {
                    course.add(PaymentReason(reason))
                }
            }
            event = decision.verdict.event(isSigned: signsWithoutContact)
        case .accepted?, .refused?, .unreadable?: event = .hostAnswerUnreadable
        case nil: event = .hostUnreachable
        }
        deliver(event, answering: task)
    }

    /// The kernel's view of the host's answer.
    private func answer(_ knowledge: HostKnowledge) -> HostAnswer {
        switch knowledge {
        case .approved, .declined: decision.map { .answered($0.response) } ?? .unknown
        case .unknown: settings.policy.approvesOfflineAfterHostTimeout ? .unreachable : .unknown
        case .unreachable, .notAsked, .asked: .unreachable
        }
    }

    mutating func sendMessage() {
        guard let (item, attempt) = outbox.begin() else { return }
        note(.sent(item.message))
        switch issuer.receive(item.request, at: now) {
        case .replies(let reply, let due): queue.add(.receipt(reply, attempt: attempt), at: due)
        case .isUnreachable(let due): queue.add(.receipt(nil, attempt: attempt), at: due)
        case .staysSilent: queue.add(.receipt(nil, attempt: attempt), at: now + settings.replyLimit)
        }
    }

    mutating func takeReceipt(_ reply: IssuerReply?, _ attempt: Int) {
        guard let message = outbox.items.first?.message else { return }
        let isAnswered: Bool
        switch reply {
        case .accepted?:
            isAnswered = true
            note(.accepted(message))
        case .refused(let refusal)?:
            isAnswered = true
            refusals.append(refusal)
            note(.refused(message, refusal))
        case .decision?, .unreadable?, nil: isAnswered = false
        }
        guard let wait = outbox.end(attempt, isAnswered: isAnswered) else { return }
        queue.add(.delivery, at: now + wait)
    }
}

extension IssuerDecision.Verdict {
    /// The event of a payment whose issuer decides so.
    /// - Parameter isSigned: whether the cardholder must sign although no contact kernel has asked for it.
    /// - Returns: an answer of the host.
    func event(isSigned: Bool) -> PaymentEvent {
        switch self {
        case .approved: isSigned ? .hostApprovedWithSignature : .hostApproved
        case .declined: .hostDeclined
        case .referred: .hostReferred
        }
    }
}
