import JackdawBytes
import JackdawCards
import JackdawEMV
import JackdawReaders

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
            presented.takeAway()
            if isSwipeOnly { readerTasks.append(.accept(identifier)) }
            while let (way, due) = presented.payer.receive(.presentCard, at: now) {
                guard takes(way) else { continue }
                queue.add(.presentation(way, task: identifier), at: due)
                break
            }
        case .processCard: processCard(identifier)
        case .chooseApplication:
            openTask = identifier
            let candidates = process?.candidates ?? []
            if case (.chooses(let index), let due)? = presented.payer.receive(.chooseApplication(candidates), at: now) {
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
        case .writeJournal(let journal): tillPayment.write(journal)
        case .reverse:
            line.reverse(request)
            queue.add(.issuer(.delivery), at: now)
        case .prompt(.removeCard): presented.takeAway()
        case .stopReader, .end:
            endProcess()
            if isSwipeOnly { readerTasks.append(.stop) }
        case .useNewAmount, .prompt, .ignore, .reject: break
        }
    }

    private mutating func askForSignature(_ identifier: Int) {
        openTask = identifier
        guard let (event, isRight, due) = presented.payer.sign(at: now) else { return }
        isSignatureRight = isRight
        queue.add(.event(event, answering: identifier), at: due)
    }

    /// Stores the record, and has the issuer take the money.
    private mutating func storeRecord(_ identifier: Int) {
        openTask = identifier
        if tillPayment.storeRecord() {
            line.complete(isOnline: payment.journal.host == .approved, objects)
            queue.add(.issuer(.delivery), at: now + settings.storing)
        }
        queue.add(.event(.recordStored, answering: identifier), at: now + settings.storing)
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
            presented.tap()
            deliver(.cardTapped, answering: task)
        case .swipes: swipeCard(task)
        default:
            answerToReset = presented.insert()
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
        guard presented.isPresent else { return }
        presented.takeAway()
        deliver(.cardRemoved)
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
        tillPayment.course.requestedType = nil
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
        guard !isCardLinked || !presented.isPresent else {
            let octets = command.octets
            tillPayment.add(octets, isSent: true, at: now)
            awaitedProcesses.append(number)
            linkTasks.append(.send(octets))
            return
        }
        guard let (answer, removal) = presented.transmit(command, at: now) else {
            takeOutputs(process?.loseCard() ?? [])
            return
        }
        recordExchange(command, answer)
        if let removal { queue.add(.removal, at: removal) }
        takeOutputs(process?.receive(answer) ?? [])
    }

    /// Takes the answer of a card at a link.
    mutating func takeAnswer(_ octets: [UInt8]) {
        tillPayment.add(octets, isSent: false, at: now)
        guard !awaitedProcesses.isEmpty, awaitedProcesses.removeFirst() == processNumber else { return }
        if let due = presented.payer.cardAnswered(at: now) { queue.add(.removal, at: due) }
        if let answer = try? CardResponse(octets.span) {
            takeOutputs(process?.receive(answer) ?? [])
        } else {
            takeOutputs(process?.loseCard() ?? [])
        }
    }

    /// The card at a link is lost.
    mutating func loseCard() {
        presented.takeAway()
        awaitedProcesses = []
        takeOutputs(process?.loseCard() ?? [])
    }

    /// Records a command at its time, and the answer that came with it.
    private mutating func recordExchange(_ command: CardCommand, _ answer: CardResponse) {
        guard tillPayment.recorder != nil else { return }
        var (sent, received) = (command.octets, answer.octets)
        tillPayment.add(sent, isSent: true, at: now)
        tillPayment.add(received, isSent: false, at: now)
        sent.wipe()
        received.wipe()
    }

    mutating func takePIN(_ answer: SimulatedPayer.Answer, _ number: Int, _ isOnline: Bool) {
        guard number == processNumber else { return }
        guard let (entry, pin) = answer.pinEntry(isOnline: isOnline) else {
            return deliver(.pinCancelled, answering: openTask)
        }
        if let pin { onlinePIN = pin }
        takeOutputs(process?.enter(entry) ?? [])
    }

    /// Events of the card come after the effects under way.
    private mutating func takeOutputs(_ outputs: [CardProcessOutput]) {
        for output in outputs {
            switch output {
            case .transmit(let command):
                queue.add(.command(command, process: processNumber), at: now + settings.exchange)
            case .enterPIN(let question):
                guard let (answer, due) = presented.payer.receive(.enterPIN(question), at: now) else { continue }
                queue.add(.pin(answer, process: processNumber, isOnline: question.isOnline), at: due)
            case .authorise(let request): self.request = request.objects
            case .event(let event): queue.add(.event(event, answering: cardTask), at: now)
            case .step(let step):
                steps.append(step)
                tillPayment.course.addReasons(of: step)
            case .finished(let outcome):
                kernelOutcome = outcome
                objects = outcome.objects
                tillPayment.course.addReasons(of: outcome)
            case .tapStep(let step):
                tapSteps.append(step)
                tillPayment.course.addReasons(of: step)
            case .tapFinished(let outcome, let record):
                tapOutcome = outcome
                objects = record
                signsWithoutContact = outcome.verification == .signature
                // The card takes no part in the rest.
                presented.takeAway()
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
        add(line.ask(objects, pinBlock: pinBlock, task: identifier, at: now))
    }

    private mutating func add(_ timed: IssuerLine.TimedEvent?) {
        if let (event, due) = timed { queue.add(.issuer(event), at: due) }
    }

    mutating func take(_ event: IssuerLine.Event) {
        switch event {
        case .reply(let reply, let task): takeReply(reply, task)
        case .receipt(let reply, let attempt): takeReceipt(reply, attempt)
        case .delivery:
            guard let (message, receipt) = line.send(at: now) else { return }
            note(.sent(message))
            add(receipt)
        }
    }

    private mutating func takeReply(_ reply: IssuerReply?, _ task: Int) {
        let answer = line.read(reply, isSigned: signsWithoutContact)
        if task == openTask, let decision = answer.decision {
            self.decision = decision
            tillPayment.add(answer.reason)
        }
        deliver(answer.event, answering: task)
    }

    /// The kernel's view of the host's answer.
    private func answer(_ knowledge: HostKnowledge) -> HostAnswer {
        switch knowledge {
        case .approved, .declined: decision.map { .answered($0.response) } ?? .unknown
        case .unknown: settings.policy.approvesOfflineAfterHostTimeout ? .unreachable : .unknown
        case .unreachable, .notAsked, .asked: .unreachable
        }
    }

    private mutating func takeReceipt(_ reply: IssuerReply?, _ attempt: Int) {
        let (answered, wait) = line.take(reply, attempt)
        if let (message, refusal) = answered {
            note(refusal.map { TillEntry.Content.refused(message, $0) } ?? .accepted(message))
            if let refusal { refusals.append(refusal) }
        }
        if let wait { add((.delivery, now + wait)) }
    }
}
