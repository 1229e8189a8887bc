package import JackdawEMV

// The effects of a payment at the terminal, and the events from its messages.

extension EPOSPayment {
    package mutating func carryOut(
        _ effect: PaymentEffect, host: HostResponse? = nil, isTapAllowed: Bool = false, at now: Duration
    ) -> [Output] {
        switch effect.action {
        case .prepare:
            task = effect.identifier
            stage = .preparing
            // A payment of a program that was killed may still wait at the terminal.
            request(.terminateTransaction, at: now)
        case .acceptCard:
            task = effect.identifier
            acceptCard(at: now)
        case .processCard:
            task = effect.identifier
            stage = .processing
            isPINEntered = false
            release(isCancel: false)
        case .askHost:
            guard stage == .swiped else { break }
            stage = .over
            request(.processSwipedData, [EPOSSwipeDecision.accepted.rawValue], at: now)
        case .completeCard(let knowledge):
            task = effect.identifier
            stage = .completing
            send(.answer(.goOnline, Self.answer(knowledge, host)))
        case .stopReader: stop(at: now)
        case .end: if stage != .over { stop(at: now) }
        case .chooseApplication, .captureSignature, .verifySignature, .storeRecord, .writeJournal, .useNewAmount,
            .reverse, .prompt, .ignore, .reject:
            break
        }
        return takeOutputs()
    }

    private mutating func acceptCard(at now: Duration) {
        let wasSwiped = stage == .swiped
        stage = .accepting
        isEnteringPIN = false
        if !isOpen {
            begin(at: now)
        } else if wasSwiped {
            request(.processSwipedData, [EPOSSwipeDecision.refused.rawValue], at: now)
        } else if heldReport != nil {
            present(.cardInserted)
        }
    }

    private mutating func begin(at now: Duration) {
        isOpen = true
        request(.initTransaction, start, at: now)
    }

    /// Replies to the report of a card, on which the terminal waits.
    private mutating func release(isCancel: Bool) {
        guard let sequence = heldReport else { return }
        heldReport = nil
        send(.reply(sequence: sequence, isCancel: isCancel))
    }

    private mutating func present(_ event: PaymentEvent) {
        stage = .presented
        emit(event)
    }

    /// Ends the transaction, if there is one.
    mutating func stop(at now: Duration) {
        stage = .over
        isEnteringPIN = false
        heldReport = nil
        if isOpen { request(.terminateTransaction, at: now) }
    }

    // MARK: data of the till's messages

    /// The objects of `InitTransaction`.
    private var start: [UInt8] {
        var objects = TagLengthValueBuilder()
        objects.append(0x9C, [transaction.type.rawValue])
        objects.append(0x9A, transaction.date.octets)
        objects.append(0x9F21, transaction.time)
        if let number = try? transaction.sequenceNumber.decimalOctets(4) { objects.append(0x9F41, number) }
        return objects.octets
    }

    /// The objects of the answer to `GetAmount`; nil if an object cannot hold a value.
    private var amount: [UInt8]? {
        guard let amount = try? transaction.amount.decimalOctets(6),
            let other = try? transaction.otherAmount.decimalOctets(6), transaction.currency.count == 2
        else { return nil }
        var objects = TagLengthValueBuilder()
        objects.append(0x9F02, amount)
        if transaction.otherAmount > 0 { objects.append(0x9F03, other) }
        objects.append(0x5F2A, transaction.currency)
        return objects.octets
    }

    private static func answer(_ knowledge: HostKnowledge, _ host: HostResponse?) -> [UInt8] {
        switch knowledge {
        case .approved, .declined:
            guard let host else { return [EPOSHostOutcome.unknown.rawValue] }
            return [EPOSHostOutcome.answered.rawValue] + host.dataObjects
        case .unreachable: return [EPOSHostOutcome.unreachable.rawValue]
        case .notAsked, .asked, .unknown: return [EPOSHostOutcome.unknown.rawValue]
        }
    }

    // MARK: messages of the terminal

    mutating func take(_ message: EPOSPaymentMessage, at now: Duration) {
        switch message {
        case .request(let name, let data): take(name, data, at: now)
        case .answer(let name, let data):
            guard requests.removeValue(forKey: name) != nil else { return note("an answer without a request") }
            takeAnswer(name, data, at: now)
        case .refusal(let name, let error):
            guard requests.removeValue(forKey: name) != nil else { return note("a refusal without a request") }
            takeRefusal(name, error, at: now)
        case .status(let sequence, let status): take(status, sequence, at: now)
        case .reply: note("a message of a till")
        }
    }

    private mutating func takeAnswer(_ name: EPOSMessage, _ data: [UInt8], at now: Duration) {
        switch name {
        case .terminateTransaction:
            isOpen = false
            if stage == .preparing { begin(at: now) }
        case .initTransaction: if stage == .preparing { emit(.prepared) }
        case .getSwipedData:
            guard stage == .presented else { return }
            stage = .swiped
            guard let swipe = ReaderSwipe(tracks: data.span, family: "epos") else { return emit(.swipeUnreadable) }
            self.swipe = swipe
            emit(swipe.paymentEvent)
        case .processSwipedData: if stage == .over { isOpen = false }
        case .getAmount, .getTransactionData, .goOnline, .statusReport, .completeTransaction: break
        }
    }

    private mutating func takeRefusal(_ name: EPOSMessage, _ error: EPOSError, at now: Duration) {
        note("the terminal refuses \(name.rawValue): error \(error.rawValue)")
        switch name {
        // No transaction was under way.
        case .terminateTransaction: takeAnswer(name, [], at: now)
        case .initTransaction:
            isOpen = false
            guard stage == .preparing else { return }
            stage = .over
            emit(.preparationFailed, by: ReaderTrouble(error))
        case .getSwipedData where stage == .presented:
            stage = .swiped
            emit(.swipeUnreadable)
        default: break
        }
    }

    private mutating func take(_ name: EPOSMessage, _ data: [UInt8], at now: Duration) {
        switch name {
        case .getAmount:
            guard let amount else { return send(.refusal(name, .general)) }
            send(.answer(name, amount))
        case .goOnline:
            guard stage == .processing, let store = Self.store(data) else { return note("a request that is not due") }
            finish(store)
            stage = .online
            emit(.firstARQC)
        case .completeTransaction:
            send(.answer(name, []))
            isOpen = false
            complete(data)
        case .terminateTransaction:
            send(.answer(name, []))
            isOpen = false
            heldReport = nil
            fail(data.first.flatMap { EPOSError(rawValue: Int($0)) } ?? .general)
        case .initTransaction, .getSwipedData, .processSwipedData, .getTransactionData, .statusReport:
            send(.refusal(name, .general))
        }
    }

    private static func store(_ data: [UInt8]) -> DataObjectStore? {
        var store = DataObjectStore()
        return (try? store.add(data.span)) == nil ? nil : store
    }

    /// The terminal's result: the type of the cryptogram (9F27) decides.
    private mutating func complete(_ data: [UInt8]) {
        guard stage == .processing || stage == .completing else { return note("a result that is not due") }
        let isSecond = stage == .completing
        stage = .over
        guard let store = Self.store(data), let type = store[0x9F27]?.first else {
            isEnteringPIN = false
            return emit(.kernelFailed)
        }
        finish(store)
        let needsSignature = objects.needsSignature && !isSignatureVerified
        switch type >> 6 {
        case 1 where isSecond: emit(needsSignature ? .secondTCWithSignature : .secondTC)
        case 1: emit(needsSignature ? .firstTCWithSignature : .firstTC)
        case 0: emit(isSecond ? .secondAAC : .firstAAC)
        default: emit(.kernelFailed)
        }
    }

    /// Keeps the objects of a decision, and ends the entry of a PIN.
    private mutating func finish(_ store: DataObjectStore) {
        objects.merge(store)
        endEntry()
    }

    private mutating func endEntry() {
        guard isEnteringPIN else { return }
        isEnteringPIN = false
        emit(objects.pinEnd)
    }

    /// The terminal ended the transaction without a result.
    private mutating func fail(_ error: EPOSError) {
        note("the terminal ends the transaction: error \(error.rawValue)")
        let (before, wasEnteringPIN) = (stage, isEnteringPIN)
        isEnteringPIN = false
        switch before {
        case .idle, .preparing, .swiped, .over: return
        case .accepting: if error == .cancelledByUser { emit(.cancelled) }
        case .presented, .processing, .online, .completing:
            stage = .over
            let isFirst = before == .presented || before == .processing
            emit(event(of: error, wasEnteringPIN: wasEnteringPIN, isFirst: isFirst), by: ReaderTrouble(error))
        }
    }

    private func event(of error: EPOSError, wasEnteringPIN: Bool, isFirst: Bool) -> PaymentEvent {
        switch error {
        case .cardRemoved: .cardRemoved
        case _ where !isFirst: .kernelFailed
        case .cancelledByUser: wasEnteringPIN ? .pinCancelled : .cancelled
        case _ where wasEnteringPIN: .kernelFailed
        case .noAnswerToReset, .chipRead: .chipUnreadable
        case .noSupportedApplications: .noCommonApplication
        // Whether the card or its application is blocked is not known; neither may be swiped instead.
        case .cardBlocked: .cardBlocked
        default: .kernelFailed
        }
    }

    // MARK: status reports of the terminal

    private mutating func take(_ status: EPOSStatus, _ sequence: UInt8, at now: Duration) {
        switch status {
        case .smartcardInserted:
            heldReport = sequence
            if stage == .accepting { present(.cardInserted) }
            return
        case .cardSwiped where stage == .accepting:
            stage = .presented
            send(.reply(sequence: sequence, isCancel: false))
            return request(.getSwipedData, at: now)
        case .swipeError where stage == .accepting: emit(.swipeUnreadable)
        case .cardRemoved:
            heldReport = nil
            if [.presented, .processing, .online, .completing].contains(stage) { emit(.cardRemoved) }
        case .pinEntryStarted where stage == .processing:
            emit(isEnteringPIN && isPINEntered ? .pinWrong : .pinRequested)
            (isEnteringPIN, isPINEntered) = (true, false)
        case .pinEntryCompleted where isEnteringPIN: isPINEntered = true
        case .pinEntryBypassed where isEnteringPIN:
            isEnteringPIN = false
            emit(.pinBypassed)
        case settings.signatureStarted where stage == .completing: emit(.readerSignatureRequested)
        case settings.signatureAccepted where stage == .completing:
            isSignatureVerified = true
            emit(.readerSignatureAccepted)
        case settings.signatureRejected where stage == .completing: emit(.readerSignatureRejected)
        default: break
        }
        send(.reply(sequence: sequence, isCancel: false))
    }
}
