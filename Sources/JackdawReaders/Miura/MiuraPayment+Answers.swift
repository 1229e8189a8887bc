import JackdawEMV

// The events of a payment, from the messages of the reader.

extension MiuraPayment {
    mutating func takeAnswer(_ answer: MiuraPaymentAnswer, at now: Duration) {
        defer { sendNext(at: now) }
        // An answer does not name its command. ABORT is answered with success and no data, and a payment never is.
        if conversation.isAborting, case .done = answer { return conversation.closeAbort() }
        guard let purpose = conversation.open else { return note("an answer without a command") }
        switch purpose {
        case .reset: takeReset(answer)
        case .battery: takeBattery(answer)
        case .abort, .display:
            // What a payment that was aborted still sends does not count.
            guard answer.isPlain else { return note("a result without a payment") }
            conversation.close()
        case .contactless, .start, .choice, .completion, .farewell:
            if case .done = answer { return note("an answer to something else") }
            let wasAborted = conversation.isOpenAborted
            conversation.close()
            guard !wasAborted else { return }
            take(answer, of: purpose, at: now)
        }
    }

    private mutating func takeReset(_ answer: MiuraPaymentAnswer) {
        switch answer {
        case .done, .other:
            conversation.close()
            if !conversation.has(.battery) { emit(.prepared) }
        case .refused(let status) where status != .cancelled:
            conversation.close()
            conversation.drop(.battery)
            note("the reader refuses RESET with status \(status)")
            emit(.preparationFailed, by: ReaderTrouble(status))
        case .refused, .choice, .approved, .online, .declined, .unreadable: note("a result without a payment")
        }
    }

    /// A reader without a battery may refuse the question.
    private mutating func takeBattery(_ answer: MiuraPaymentAnswer) {
        guard answer.isPlain else { return note("a result without a payment") }
        conversation.close()
        switch answer {
        case .other(let status):
            // 00 is a battery that is not charged at the moment.
            let isCharging = status[MiuraTag.batteryCharging].map { $0 != [0] } ?? false
            let isEmpty = status[MiuraTag.batteryPercent]?.first.map { Int($0) < settings.leastBattery } ?? false
            guard isEmpty, !isCharging else { return emit(.prepared) }
            emit(.preparationFailed, by: .batteryEmpty)
        default: emit(.prepared)
        }
    }

    /// A command was not answered in time.
    mutating func giveUp(_ purpose: MiuraConversation.Purpose) {
        note("a command that the reader does not answer")
        guard purpose == .reset || purpose == .battery else { return }
        conversation.drop(.battery)
        emit(.preparationFailed, by: .unanswered)
    }

    private mutating func take(
        _ answer: MiuraPaymentAnswer, of purpose: MiuraConversation.Purpose, at now: Duration
    ) {
        switch purpose {
        case .contactless: takeTap(answer, at: now)
        case .start, .choice: take(first: answer)
        case .completion: take(second: answer)
        case .farewell, .reset, .battery, .abort, .display: break
        }
    }

    /// The end of the wait for a tap.
    private mutating func takeTap(_ answer: MiuraPaymentAnswer, at now: Duration) {
        switch answer {
        case .refused(.abortedByInsertion), .refused(.abortedBySwipe):
            // The card report says more.
            return
        case .refused(.cancelled) where stage == .accepting: emit(.cancelled)
        case .refused(.insertOrSwipe), .refused(.useOtherCard), .refused(.insertCard), .approved, .online, .declined:
            guard stage == .accepting else {
                // A card was inserted at the same time, and goes on.
                conversation.appendFirst(.abort, .abort)
                return
            }
            tapResult = answer
            isTap = true
            stage = .presented
            emit(.cardTapped)
        case .refused(let status): note("no tap: status \(status)")
        case .done, .choice, .other, .unreadable: note("a result of a tap that is not known")
        }
    }

    /// The result of the kernel up to the first cryptogram.
    mutating func take(first answer: MiuraPaymentAnswer) {
        switch answer {
        case .online(let store):
            finish(store)
            stage = .online
            emit(.firstARQC)
        case .approved(let store):
            finish(store)
            stage = .over
            emit(objects.needsSignature ? .firstTCWithSignature : .firstTC)
        case .declined(let store):
            finish(store)
            stage = .over
            emit(.firstAAC)
        case .choice(let list):
            applications = list
            stage = .choosing
            emit(.applicationsFound)
        case .refused(let status): fail(status)
        case .done, .other, .unreadable: fail("the reader's result cannot be read")
        }
    }

    /// The result of the kernel up to the second cryptogram.
    private mutating func take(second answer: MiuraPaymentAnswer) {
        switch answer {
        case .approved(let store):
            finish(store)
            stage = .over
            emit(objects.needsSignature ? .secondTCWithSignature : .secondTC)
        case .declined(let store):
            finish(store)
            stage = .over
            emit(.secondAAC)
        case .refused(.noCard):
            stage = .over
            emit(.cardRemoved)
        case .refused(let status):
            stage = .over
            note("the reader breaks the payment off with status \(status)")
            emit(.kernelFailed, by: ReaderTrouble(status))
        case .done, .choice, .online, .other, .unreadable: fail("the reader's result cannot be read")
        }
    }

    /// Keeps the objects of a decision; those of an earlier one stay unless they are there again. Ends the entry of a
    /// PIN.
    private mutating func finish(_ store: DataObjectStore) {
        objects.merge(store)
        guard isEnteringPIN else { return }
        isEnteringPIN = false
        emit(objects.pinEnd)
    }

    private mutating func fail(_ text: String) {
        stage = .over
        note(text)
        emit(.kernelFailed)
    }

    /// The reader broke the payment off before the first cryptogram.
    private mutating func fail(_ status: MiuraStatus) {
        stage = .over
        let wasEnteringPIN = isEnteringPIN
        isEnteringPIN = false
        note("the reader breaks the payment off with status \(status)")
        switch status {
        case .cancelled: emit(wasEnteringPIN ? .pinCancelled : .cancelled)
        case .noCard: emit(.cardRemoved)
        case .insertOrSwipe, .useOtherCard, .insertCard: emit(.tapOtherInterface)
        // A payment whose PIN is being entered has begun: the card is not tried again.
        case _ where wasEnteringPIN: emit(.kernelFailed, by: ReaderTrouble(status))
        case .chipUnreadable: emit(.chipUnreadable)
        case .unsupportedCard: emit(.noCommonApplication)
        // The reader does not say whether the card or its application is blocked; neither may be swiped instead.
        case .invalidCard: emit(.cardBlocked)
        default: emit(.kernelFailed, by: ReaderTrouble(status))
        }
    }

    mutating func takeReport(_ report: MiuraReport) {
        switch report {
        case .card(let card): take(card)
        case .device(let code, let pin): takeDevice(code, pin)
        case .other: break
        case .unreadable: note("a report that is not BER-TLV")
        }
    }

    private mutating func take(_ card: MiuraCardReport) {
        guard !card.isSwipe else { return takeSwipe(card) }
        let wasPresent = isCardPresent
        isCardPresent = card.isPresent
        guard card.isPresent else {
            isCardUsed = false
            // Before the kernel starts, a card that goes is not an event of the payment.
            if wasPresent, !isTap, [.presented, .processing, .choosing, .online, .completing].contains(stage) {
                emit(.cardRemoved)
            }
            return
        }
        isChipCompatible = card.isCompatible
        if stage == .accepting, !isCardUsed { present() }
    }

    private mutating func takeSwipe(_ card: MiuraCardReport) {
        guard stage == .accepting else { return note("a swipe outside of the wait for a card") }
        // The payment asks again if the swipe is of no use.
        stage = .presented
        guard let swipe = card.swipe else { return emit(.swipeUnreadable) }
        self.swipe = swipe
        emit(swipe.paymentEvent)
    }

    private mutating func takeDevice(_ code: UInt8, _ pin: MiuraReport.PINProgress?) {
        switch code {
        case Self.pinReport: takePIN(pin)
        case Self.poweredOn where ![.idle, .accepting].contains(stage), 0x0A, 0x0B, 0x0C:
            // The reader restarts: it has forgotten the payment.
            guard stage != .over else { return }
            note("the reader restarts")
            stage = .over
            emit(.linkLost)
        default: break
        }
    }

    private static var poweredOn: UInt8 { 0x01 }
    private static var pinReport: UInt8 { 0x02 }

    private mutating func takePIN(_ progress: MiuraReport.PINProgress?) {
        guard stage == .processing else { return }
        if !isEnteringPIN {
            isEnteringPIN = true
            emit(.pinRequested)
        }
        switch progress {
        case .status(let status)? where status == settings.pinAccepted:
            isEnteringPIN = false
            emit(.pinEntered)
        case .status(let status)? where status == settings.pinWrong: emit(.pinWrong)
        case .status, .digits, nil: break
        }
    }
}

extension MiuraPaymentAnswer {
    /// Whether the answer is not the result of a payment: success, other data, or a refusal that no payment sends.
    fileprivate var isPlain: Bool {
        switch self {
        case .done, .other: true
        case .refused(let status): status != .cancelled
        case .choice, .approved, .online, .declined, .unreadable: false
        }
    }
}
