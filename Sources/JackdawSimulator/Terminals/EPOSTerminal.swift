package import JackdawEMV
package import JackdawReaders

/// A PosMate with a virtual card and its cardholder: the contact kernel, the PIN pad and the merchant's key for a
/// signature, by the published names and statuses. A machine without I/O that ``SimulatedReader`` runs, with its
/// faults.
///
/// **Invented** are its wire, the form and the order of its messages (`EPOSPaymentMessage`), its limits, and which
/// error follows from which event of the kernel; docs/readers/epos.md lists them. No real terminal does the same.
package struct EPOSTerminal<Primitives: AuthenticationPrimitives>: KernelTerminal {
    package let family = "epos"

    enum State {
        case idle
        /// The till must state the amount.
        case amountAwaited
        /// The cardholder must present the card.
        case cardAwaited
        /// A card is in, and the till must reply to the report.
        case cardReported
        /// A card was swiped, and the till must decide.
        case swiped
        /// The kernel runs up to the first cryptogram.
        case running
        /// The till must ask the issuer.
        case authorising
        /// The merchant must compare the signature.
        case signing(HostAnswer)
        /// The kernel runs up to the second cryptogram.
        case completing

        /// Whether a payment with the chip is under way.
        var isUsingChip: Bool {
            switch self {
            case .cardReported, .running, .authorising, .signing, .completing: true
            case .idle, .amountAwaited, .cardAwaited, .swiped: false
            }
        }
    }

    /// The wait for the card, after which the terminal gives up.
    static var cardLimit: Duration { .seconds(60) }

    /// The card, with its counters and blocks.
    package var card: VirtualCard { slot.card }
    package var reasons: [PaymentReason] { slot.course.all }
    package var candidates: [ApplicationCandidate] { slot.candidates }

    private let values: EPOSPaymentSettings
    private var slot: TerminalSlot<Primitives>
    private var state = State.idle
    /// The objects of `InitTransaction`.
    private var start: [UInt8] = []
    private var transaction: KernelTransaction?
    /// The number of the last status report.
    private var sequence: UInt8 = 0
    /// The time at which the merchant has compared the signature, and whether it is right.
    private var signature: (isRight: Bool, due: Duration)?
    /// The tracks of a swiped card, each after its length.
    private var swipedTracks: [UInt8] = []
    private var isChoosing = false
    /// Whether the chip in the slot, which is not the virtual card, does not answer.
    private var isChipMute = false
    /// The objects of the last decision.
    private var decision = DataObjectStore()
    private var messages: [[UInt8]] = []
    private let base = WireModel("epos")

    /// A terminal in which no card is.
    /// - Parameters:
    ///   - settings: the kernel: applications, the time of an exchange with the card, the seed.
    ///   - values: the wire, and the values of the protocol that may change.
    ///   - card: the card that the cardholder inserts.
    ///   - payer: the cardholder.
    ///   - primitives: RSA and SHA-1 for the kernel.
    ///   - pinCipher: enciphers PINs for the issuer; nil for a terminal without a key for PINs.
    package init(
        _ settings: TillSettings, _ values: EPOSPaymentSettings, card: VirtualCard, payer: SimulatedPayer,
        _ primitives: Primitives, pinCipher: TerminalPINCipher? = nil
    ) {
        self.values = values
        slot = TerminalSlot(settings, card: card, payer: payer, primitives, pinCipher: pinCipher)
    }

    package var commandFormat: any FrameFormat { values.wire.format }

    /// Refuses a request with a general error.
    package func refuse(_ command: Span<UInt8>) -> [UInt8]? {
        guard let message = values.wire.read(command, from: .till) else { return base.refuse(command) }
        guard case .request(let name, _) = message else { return nil }
        return values.wire.frame(.refusal(name, .general))
    }

    /// Answers without a clock: a payment needs one, all other commands do not.
    package mutating func answer(_ command: Span<UInt8>, _ device: inout SimulatedDevice) -> [[UInt8]] {
        answer(command, &device, at: .zero)
    }

    package mutating func answer(
        _ command: Span<UInt8>, _ device: inout SimulatedDevice, at now: Duration
    ) -> [[UInt8]] {
        guard let message = values.wire.read(command, from: .till) else { return base.answer(command, &device) }
        let wasOpen = slot.isOpen
        take(message, device, at: now)
        // A swipe is presented while the payment awaits a card.
        if slot.isOpen != wasOpen { device.isArmed = slot.isOpen }
        return takeMessages()
    }

    /// Reports a swipe during a payment; outside of one as the base does.
    package mutating func tell(_ presentation: Presentation, _ device: inout SimulatedDevice) -> [[UInt8]] {
        guard slot.isOpen else { return base.tell(presentation, &device) }
        guard case .cardAwaited = state else { return [] }
        switch presentation.manner {
        case .swiped:
            state = .swiped
            swipedTracks = presentation.card.countedTracks
            report(.cardSwiped)
        case .swipedInVain: report(.swipeError)
        case .tapped: report(.cardTapped)
        case .unreadable:
            (state, isChipMute) = (.cardReported, true)
            report(.smartcardInserted)
        case .inserted, .removed, .swipedWithChip: break
        }
        return takeMessages()
    }

    package var nextDeadline: Duration? { [slot.nextDeadline, signature?.due].compactMap(\.self).min() }

    package mutating func advance(to now: Duration, _ device: inout SimulatedDevice) -> [[UInt8]] {
        let wasOpen = slot.isOpen
        while let due = nextDeadline, due <= now {
            if let (isRight, time) = signature, time == due {
                signature = nil
                sign(isRight, at: due)
            } else {
                take(slot.advance(), at: due)
            }
        }
        if slot.isOpen != wasOpen { device.isArmed = slot.isOpen }
        return takeMessages()
    }

    private mutating func takeMessages() -> [[UInt8]] {
        defer { messages = [] }
        return messages
    }

    private mutating func send(_ message: EPOSPaymentMessage) { messages.append(values.wire.frame(message)) }

    private mutating func report(_ status: EPOSStatus) {
        sequence &+= 1
        send(.status(sequence: sequence, status))
    }

    // MARK: messages of the till

    private mutating func take(_ message: EPOSPaymentMessage, _ device: SimulatedDevice, at now: Duration) {
        switch message {
        case .request(.initTransaction, _) where !device.hasKeys: send(.refusal(.initTransaction, .dukptKey))
        case .request(let name, let data): execute(name, data, at: now)
        case .answer(.getAmount, let data): takeAmount(data, at: now)
        case .answer(.goOnline, let data): takeHost(data, at: now)
        case .reply(let number, let isCancel): takeReply(number, isCancel, at: now)
        case .refusal(.getAmount, _): if case .amountAwaited = state { end(.terminatedByTill, at: now) }
        case .answer, .refusal, .status: break
        }
    }

    private mutating func execute(_ name: EPOSMessage, _ data: [UInt8], at now: Duration) {
        switch name {
        case .initTransaction:
            guard case .idle = state else { return send(.refusal(name, .general)) }
            start = data
            state = .amountAwaited
            send(.answer(name, []))
            send(.request(.getAmount, []))
        case .terminateTransaction:
            send(.answer(name, []))
            guard case .idle = state else { return finish(at: now) }
        case .getSwipedData:
            guard case .swiped = state else { return send(.refusal(name, .swipeRead)) }
            send(.answer(name, swipedTracks))
        case .processSwipedData:
            guard case .swiped = state, let decision = data.first.flatMap({ EPOSSwipeDecision(rawValue: $0) }) else {
                return send(.refusal(name, .general))
            }
            send(.answer(name, []))
            swipedTracks = []
            if decision == .accepted { finish(at: now) } else { awaitCard(at: now) }
        case .getTransactionData:
            var objects = TagLengthValueBuilder()
            objects.append(result: decision, pinTag: EPOSPayment.pinBlockTag)
            send(.answer(name, objects.octets))
        case .getAmount, .goOnline, .statusReport, .completeTransaction: send(.refusal(name, .general))
        }
    }

    private mutating func takeAmount(_ data: [UInt8], at now: Duration) {
        guard case .amountAwaited = state else { return }
        let objects = start + data
        guard case .success(let transaction)? = TerminalObjects(objects.span)?.transaction else {
            return end(.general, at: now)
        }
        self.transaction = transaction
        awaitCard(at: now)
        // A card that could not be used is taken out first.
        slot.presentCard(at: slot.isCardIn ? now + TerminalSlot<Primitives>.takingCard * 2 : now)
    }

    private mutating func awaitCard(at now: Duration) {
        state = .cardAwaited
        slot.isOpen = true
        report(.cardEntryPrompted)
        slot.limitWait(until: now + Self.cardLimit)
    }

    private mutating func takeReply(_ number: UInt8, _ isCancel: Bool, at now: Duration) {
        // The terminal reads a cancellation in the reply to its last report only.
        guard number == sequence else { return }
        if isCancel, case .idle = state { return }
        guard !isCancel else { return end(.terminatedByTill, at: now) }
        guard case .cardReported = state, let transaction else { return }
        guard !isChipMute else { return end(.noAnswerToReset, at: now) }
        state = .running
        take(slot.start(transaction, at: now), at: now)
    }

    private mutating func takeHost(_ data: [UInt8], at now: Duration) {
        guard case .authorising = state, let outcome = data.first.flatMap({ EPOSHostOutcome(rawValue: $0) }) else {
            return
        }
        let answer: HostAnswer
        switch outcome {
        case .unreachable: answer = .unreachable
        case .unknown: answer = .unknown
        case .answered:
            let objects = Array(data.dropFirst())
            guard case .success(let response)? = TerminalObjects(objects.span)?.hostResponse else {
                return end(.completion, at: now)
            }
            answer = .answered(response)
            if response.isApproved, decision.needsSignature { return askForSignature(answer, at: now) }
        }
        complete(answer, at: now)
    }

    private mutating func complete(_ answer: HostAnswer, at now: Duration) {
        state = .completing
        take(slot.complete(answer, at: now), at: now)
    }

    /// The merchant compares the signature before the second cryptogram.
    private mutating func askForSignature(_ answer: HostAnswer, at now: Duration) {
        state = .signing(answer)
        report(values.signatureStarted)
        signature = slot.sign(at: now).map { ($0.isRight, $0.at) }
    }

    private mutating func sign(_ isRight: Bool, at now: Duration) {
        guard case .signing(let answer) = state else { return }
        report(isRight ? values.signatureAccepted : values.signatureRejected)
        if isRight { complete(answer, at: now) } else { end(.cardholderVerification, at: now) }
    }

    // MARK: card, kernel and cardholder

    private mutating func take(_ notices: [TerminalSlot<Primitives>.Notice], at now: Duration) {
        if isChoosing, !slot.isChoosing {
            isChoosing = false
            report(.applicationSelectionCompleted)
        }
        for notice in notices {
            switch notice {
            case .inserted:
                guard case .cardAwaited = state else { break }
                state = .cardReported
                report(.smartcardInserted)
            case .removed:
                report(.cardRemoved)
                if state.isUsingChip { end(.cardRemoved, at: now) }
            case .event(let event): take(event, at: now)
            case .transactionNeeded, .tapped: break
            case .pinAsked(let request):
                if request.triesLeft == 1 { report(.lastPINEntry) }
                report(.pinEntryStarted)
            case .pinCancelled:
                report(.pinEntryAborted)
                end(.cancelledByUser, at: now)
            case .waitEnded:
                guard case .cardAwaited = state else { break }
                report(.cardEntryTimedOut)
                end(.userTimedOut, at: now)
            }
        }
    }

    private mutating func take(_ event: PaymentEvent, at now: Duration) {
        switch event {
        case .applicationsFound:
            isChoosing = true
            report(.applicationSelectionStarted)
            slot.askForApplication(at: now)
        case .pinEntered, .pinWrong, .pinTriesExceeded: report(.pinEntryCompleted)
        case .pinBypassed: report(.pinEntryBypassed)
        case .noCommonApplication: end(.noSupportedApplications, at: now)
        case .cardBlocked, .applicationBlocked: end(.cardBlocked, at: now)
        case .chipUnreadable: end(.chipRead, at: now)
        case .kernelFailed: end(slot.isCardLost ? .cardRemoved : .general, at: now)
        case .firstARQC:
            state = .authorising
            decision = slot.authorisation(pinTag: EPOSPayment.pinBlockTag)
            send(decision, in: .goOnline)
        case .firstTC, .firstTCWithSignature, .secondTC, .secondTCWithSignature, .firstAAC, .secondAAC:
            decision = slot.outcome?.objects ?? DataObjectStore()
            send(decision, in: .completeTransaction)
            finish(at: now)
        default: break
        }
    }

    private mutating func send(_ objects: DataObjectStore, in message: EPOSMessage) {
        var builder = TagLengthValueBuilder()
        builder.append(result: objects, pinTag: EPOSPayment.pinBlockTag)
        send(.request(message, builder.octets))
    }

    /// Ends the transaction without a result.
    private mutating func end(_ error: EPOSError, at now: Duration) {
        send(.request(.terminateTransaction, [UInt8(error.rawValue)]))
        finish(at: now)
    }

    private mutating func finish(at now: Duration) {
        (state, isChipMute) = (.idle, false)
        (transaction, signature) = (nil, nil)
        swipedTracks = []
        slot.isOpen = false
        slot.endProcess()
        if slot.isCardIn { report(.removePrompted) }
        slot.takeCardOut(after: now)
    }
}
