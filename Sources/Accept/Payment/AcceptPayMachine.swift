import JackdawCards
package import JackdawEMV
package import JackdawPayments

/// An event for the machine of a payment.
package enum AcceptPayEvent: Sendable {
    /// An effect of the payment flow for the reader, the cardholder or the app.
    case task(PaymentEffect, forCard: HTTPBody)
    /// An event of the terminal.
    case terminal(AcceptTerminalEvent)
    /// A durable change of the attempt.
    case report(AttemptReport)
    /// The app's answer to a request for a signature; nil if there is none.
    case signature([UInt8]?, request: Int)
    /// The merchant's decision on a signature.
    case verification(AcceptSignatureVerificationResult, request: Int)
    /// The app's choice of an application; nil if there is none.
    case application(Int?, request: Int)
    /// The merchant cancels the payment.
    case cancel
}

/// An effect of the machine of a payment.
package enum AcceptPayEffect: Sendable {
    /// Show a step to the user.
    case progress(AcceptStateUpdate)
    /// Have the terminal carry out an effect of the payment flow.
    case carryOut(PaymentEffect, forCard: HTTPBody)
    /// Have the terminal take an application of the list, before the effect that goes on with it.
    case choose(Int)
    /// Hand an event to the payment service.
    case send(PaymentEvent, answering: Int?, sealed: HTTPBody)
    /// Have the cardholder sign in the app. The number names the request.
    case askSignature(cardHolder: String, maskedPAN: String, cardType: String, request: Int)
    /// Have the merchant compare the signature.
    case askVerification(request: Int)
    /// Have the app choose an application.
    case askApplication([String], request: Int)
    /// The merchant's cancellation came too late, or ends the payment.
    case cancelled(Bool)
    /// Send the card's answer to the host's decline: its cryptogram and its verification results, sealed for the host.
    case sendDecline(HTTPBody)
    /// The payment has ended. It comes once, last.
    case end(AttemptReport, AcceptError?, signature: [UInt8])
}

extension AcceptPayEffect: RedactedDescription {
    /// The step, the event or the outcome, and no card data.
    package var description: String {
        switch self {
        case .progress(let step): "progress \(step)"
        case .carryOut(let effect, _): "carry out \(effect.identifier)"
        case .choose(let index): "choose \(index)"
        case .send(let event, _, _): "send \(event.rawValue)"
        case .askSignature(_, let masked, _, _): "ask for a signature, card \(masked)"
        case .askVerification: "ask for a comparison"
        case .askApplication(let names, _): "ask for one of \(names.count) applications"
        case .cancelled(let isDone): "cancelled \(isDone)"
        case .sendDecline: "send a decline"
        case .end(let report, _, _): "end, \(report.state.rawValue)"
        }
    }
}

/// A payment of the SDK between the payment service, a terminal and the app: progress, signature, choice of an application,
/// excluded cards, cancellation and the end.
///
/// It is a machine without I/O and without a clock: all time limits are those of the payment flow.
package struct AcceptPayMachine: Sendable {
    private let exclusion: AcceptPaymentMethods.Terminal?
    private let entries: Set<CardEntry>
    private let hasOwnHost: Bool
    private var trace = PaymentTrace()
    private var applications: [String] = []
    /// Whether the terminal has shown the number of the card whose data come next.
    private var isNumberShown = false
    private var card: (name: String, masked: String, brand: String) = ("", "", "")
    private var signature: [UInt8] = []
    /// The card's sealed answer to the host's decline; empty before it.
    private var decline = HTTPBody()
    private var shown: AcceptStateUpdate?
    /// The identifier of the effect that the app must answer; nil without one.
    private var asked: Int?
    private var invalidChoices = 0
    private var isCancelling = false
    /// Whether the card was swiped, and not inserted or tapped after that.
    private var isSwiped = false
    private var isOver = false
    private var effects: [AcceptPayEffect] = []

    /// The invalid choices of an application after which the payment is cancelled. It is our choice.
    static let maxInvalidChoices = 3

    /// A payment that has not begun.
    /// - Parameters:
    ///   - exclusion: the terminal in `paymentmethods.xml`, whose excluded cards are refused; nil without the file.
    ///   - entries: the ways in which the terminal reads cards.
    ///   - hasOwnHost: whether the terminal asks a host of its own, while it waits for the card, too. Default: false.
    package init(exclusion: AcceptPaymentMethods.Terminal?, entries: Set<CardEntry>, hasOwnHost: Bool = false) {
        self.exclusion = exclusion
        self.entries = entries
        self.hasOwnHost = hasOwnHost
    }

    package mutating func receive(_ event: AcceptPayEvent) -> [AcceptPayEffect] {
        effects = []
        guard !isOver else { return [] }
        switch event {
        case .task(let effect, let forCard): take(effect, forCard)
        case .terminal(let event): take(event)
        case .report(let report): take(report)
        case .signature(let image, let request): answerSignature(image, request)
        case .verification(let result, let request): answerVerification(result, request)
        case .application(let index, let request): answerApplication(index, request)
        case .cancel:
            isCancelling = true
            send(.cancelled)
        }
        return effects
    }

    private mutating func show(_ state: AcceptStateUpdate) {
        guard shown != state else { return }
        shown = state
        effects.append(.progress(state))
    }

    private mutating func send(_ event: PaymentEvent, answering effect: Int? = nil, sealed: HTTPBody = HTTPBody()) {
        effects.append(.send(event, answering: effect, sealed: sealed))
    }

    // MARK: effects of the payment flow

    private mutating func take(_ effect: PaymentEffect, _ forCard: HTTPBody) {
        switch effect.action {
        case .prepare:
            trace.task = effect.action
            show(.initialize)
        case .acceptCard:
            trace.task = effect.action
            // A terminal with its own host waits for the card after that, and reports it.
            if !hasOwnHost { show(waiting) }
        case .processCard:
            trace.task = effect.action
            show(.checkingCard)
        case .completeCard:
            trace.task = effect.action
            show(.processingData)
        case .chooseApplication:
            trace.task = effect.action
            show(.applicationSelectionStarted)
            asked = effect.identifier
            effects.append(.askApplication(applications, request: effect.identifier))
            return
        case .captureSignature:
            trace.task = effect.action
            asked = effect.identifier
            effects.append(
                .askSignature(
                    cardHolder: card.name, maskedPAN: card.masked, cardType: card.brand, request: effect.identifier))
            return
        case .verifySignature:
            trace.task = effect.action
            show(.cardholderSignatureCheck)
            asked = effect.identifier
            effects.append(.askVerification(request: effect.identifier))
            return
        case .prompt(let prompt): if let step = step(of: prompt) { show(step) }
        case .reject(.cancelled):
            isCancelling = false
            effects.append(.cancelled(false))
            // The terminal may still abort the payment.
            guard hasOwnHost else { return }
        case .stopReader: break
        case .askHost, .storeRecord, .writeJournal, .useNewAmount, .reverse, .end, .ignore, .reject: return
        }
        effects.append(.carryOut(effect, forCard: forCard))
    }

    /// The step at which the terminal waits for a card.
    private var waiting: AcceptStateUpdate {
        switch (entries.contains(.tap), entries.contains(.chip), entries.contains(.swipe)) {
        case (true, _, _): .tapOrInsertOrSwipeCard
        case (false, true, true): .insertOrSwipeCard
        case (false, true, false): .waitingForInsertCard
        case (false, false, _): .waitingForSwipe
        }
    }

    private func step(of prompt: PaymentPrompt) -> AcceptStateUpdate? {
        switch prompt {
        // Another card is asked for if the terminal has no slot.
        case .useChip: entries.contains(.chip) ? .waitingForInsertCard : .waitingForSwipe
        case .swipeCard: .damagedChipAndWaitingForSwipe
        case .useOtherInterface: .insertOrSwipeCard
        case .seePhone: .followInstructionsOnConsumerDevice
        // A swiped card is in the cardholder's hand.
        case .removeCard: isSwiped ? nil : .removeCard
        case .tryAgain, .presentOneCard: .followTerminalInstructions
        }
    }

    // MARK: events of the terminal

    private mutating func take(_ event: AcceptTerminalEvent) {
        switch event {
        case .state(let state): show(state)
        case .reason(let code): trace.reason = code
        case .linkLost(let error): trace.link = error
        case .applications(let names): applications = names
        case .card(let number, let name):
            card = (name, number.masked, number.brand.rawValue)
            isNumberShown = true
            guard exclusion?.excludes(number) ?? false, !trace.isExcluded else { return }
            // Nothing has been sent: the host is asked after the event of the cryptogram or the swipe.
            trace.isExcluded = true
            send(.cancelled)
        case .payment(let event, let effect, let sealed):
            guard !isOfHiddenCard(event) else {
                (trace.isExcluded, trace.isNumberHidden) = (true, true)
                return send(.cancelled)
            }
            note(event)
            // The event of an excluded card's data must not reach the service.
            if trace.isExcluded, sealed.count > 0 { return }
            guard event != .secondAAC else {
                // The payment service has no use for the data of a decline.
                decline = sealed
                return send(event, answering: effect)
            }
            send(event, answering: effect, sealed: sealed)
        }
    }

    /// Whether an event has the data of a card that may be excluded, because the terminal has not shown its number.
    private mutating func isOfHiddenCard(_ event: PaymentEvent) -> Bool {
        switch event {
        case .firstARQC, .firstTC, .firstTCWithSignature, .cardSwiped, .chipCardSwiped:
            defer { isNumberShown = false }
            return !isNumberShown && !hasOwnHost && !trace.isExcluded && exclusion?.excludesCards ?? false
        case .firstAAC, .cardRemoved:
            isNumberShown = false
            return false
        default: return false
        }
    }

    private mutating func note(_ event: PaymentEvent) {
        switch event {
        case .cardRemoved: show(.cardRemoved)
        case .pinRequested: show(.askingForPIN)
        case .pinEntered: show(.pinEntered)
        case .pinWrong: show(.pinEntryWrong)
        case .cardBlocked, .applicationBlocked: trace.isBlocked = true
        case .swipeUnreadable: trace.isSwipeUnreadable = true
        case .readerSignatureRequested: show(.cardholderSignatureCheck)
        case .readerSignatureRejected: trace.isSignatureRefused = true
        case .cardSwiped where hasOwnHost: break
        case .cardSwiped:
            isSwiped = true
            show(.onlineProcessingData)
        case .firstARQC: show(.onlineProcessingData)
        case .cardInserted, .cardTapped:
            isSwiped = false
            trace.isSwipeUnreadable = false
        default: break
        }
    }

    // MARK: answers of the app

    private mutating func answerSignature(_ image: [UInt8]?, _ request: Int) {
        guard asked == request else { return }
        asked = nil
        if let image, (1...Delivery.maxSignatureBytes).contains(image.count) {
            signature = image
            send(.signatureCaptured, answering: request)
        } else {
            trace.isSignatureRefused = true
            send(.signatureRefused, answering: request)
        }
    }

    private mutating func answerVerification(_ result: AcceptSignatureVerificationResult, _ request: Int) {
        guard asked == request, result != .notDefined else { return }
        asked = nil
        if result == .approved {
            send(.signatureAccepted, answering: request)
        } else {
            trace.isSignatureRefused = true
            send(.signatureRejected, answering: request)
        }
    }

    private mutating func answerApplication(_ index: Int?, _ request: Int) {
        guard asked == request else { return }
        asked = nil
        guard let index, applications.indices.contains(index) else {
            // The flow asks again; a program that has no choice must not be asked without end.
            invalidChoices += 1
            if invalidChoices < Self.maxInvalidChoices {
                send(.applicationChoiceInvalid, answering: request)
            } else {
                trace.reason = .terminalFailedToGetICCApplicationsList
                send(.cancelled)
            }
            return
        }
        show(.applicationSelectionFinished)
        effects.append(.choose(index))
        send(.applicationChosen, answering: request)
    }

    // MARK: the end of the payment

    private mutating func take(_ report: AttemptReport) {
        guard let outcome = report.outcome else { return }
        isOver = true
        if isCancelling { effects.append(.cancelled([.cancelled, .declinedSignature].contains(outcome))) }
        if outcome == .declinedOnline, decline.count > 0 { effects.append(.sendDecline(decline)) }
        // The terminal returns to its idle state, and ends a tap with the decision.
        effects.append(
            .carryOut(PaymentEffect(identifier: 0, action: .end(outcome)), forCard: HTTPBody()))
        effects.append(.end(report, AcceptError(report, trace), signature: signature))
    }
}
