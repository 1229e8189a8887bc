package import JackdawEMV

// The course of an attempt: its payment flow, the request to the host, and the end.

/// A step of an attempt's payment flow.
package struct FlowStep: Sendable {
    /// The cause of a step.
    package enum Cause: Sendable {
        /// An event, with the effect that it answers.
        case event(PaymentEvent, answering: Int?)
        /// The program was killed, and goes on with this journal.
        case restart(PaymentJournal)
    }

    /// The attempt that is paid.
    package let attempt: AttemptIdentifier
    /// The cause of the step.
    package let cause: Cause
    /// The flow after the step.
    package let flow: PaymentFlow
    /// The effects of the step.
    package let effects: [PaymentEffect]
}

extension PaymentDesk {
    /// Takes an attempt of the journal into memory, and ends what a crash has broken off.
    mutating func adopt(_ record: AttemptRecord) {
        var course = Course(restoring: record, at: now)
        if let journal = record.flow, journal.outcome == nil {
            let flow = PaymentFlow(restoring: journal, policy: policy)
            course.flow = flow
            flowSteps?.append(FlowStep(attempt: record.identifier, cause: .restart(journal), flow: flow, effects: []))
        }
        courses.append(course)
        let index = courses.count - 1
        if course.flow != nil {
            feed(index, .recovered)
        } else if record.state == .asked {
            doubt(index)
        } else if record.state == .open {
            finish(index, .fail)
        } else {
            courses[index].append(.report(courses[index].report))
        }
    }

    /// Begins an attempt whose identifier is durable.
    mutating func start(_ index: Int) {
        if courses[index].record.request.kind.needsCard {
            courses[index].flow = PaymentFlow(policy: policy)
            feed(index, .start)
        } else {
            courses[index].modify(on: date) { $0.apply(.ask) }
            courses[index].append(.ask(flowEffect: nil))
        }
    }

    mutating func payment(
        _ attempt: AttemptIdentifier, _ event: PaymentEvent, _ answered: Int?, _ sealed: HTTPBody
    ) {
        guard let index = index(of: attempt), let flow = courses[index].flow, event.isOfProgram else { return ignore() }
        // The journal could not keep them.
        guard sealed.count <= Delivery.maxOctets else { return feed(index, .linkLost) }
        if sealed.count > 0, event.isAnswer, answered == nil || answered == flow.awaitedEffect {
            courses[index].toHost = sealed
        }
        feed(index, isOfflineApprovalRefused(index, event) ? event.declined : event, answering: answered)
    }

    /// Whether the event is a card's approval without the host that the limits do not allow.
    private func isOfflineApprovalRefused(_ index: Int, _ event: PaymentEvent) -> Bool {
        switch event {
        case .firstTC, .firstTCWithSignature: break
        case .secondTC, .secondTCWithSignature:
            guard courses[index].flow?.journal.host == .unreachable else { return false }
        default: return false
        }
        return !allowsOffline(courses[index].record.identifier)
    }

    /// Hands an event to the flow, and carries out its effects.
    mutating func feed(_ index: Int, _ event: PaymentEvent, answering identifier: Int? = nil) {
        guard var flow = courses[index].flow else { return ignore() }
        let effects = flow.receive(event, answering: identifier, at: now)
        courses[index].flow = flow
        flowSteps?.append(
            FlowStep(
                attempt: courses[index].record.identifier, cause: .event(event, answering: identifier), flow: flow,
                effects: effects))
        let (old, sealed) = (courses[index].record, courses[index].toHost)
        courses[index].modify(on: date) { record in
            for effect in effects { record.note(effect.action, sealed) }
        }
        for effect in effects { append(effect, index) }
        let new = courses[index].record
        if new.flow?.outcome != nil { courses[index].flow = nil }
        // While an approval is being stored, its end is near, and is reported.
        let isNews = new.state != old.state && ![.open, .asked, .approved].contains(new.state)
        if isNews || new.flow?.outcome != old.flow?.outcome { courses[index].append(.report(courses[index].report)) }
    }

    private mutating func append(_ effect: PaymentEffect, _ index: Int) {
        switch effect.action {
        case .writeJournal, .reverse, .end, .useNewAmount: break
        case .askHost: courses[index].append(.ask(flowEffect: effect.identifier))
        case .storeRecord:
            let output = Course.Output.stored(flowEffect: effect.identifier)
            if !courses[index].outputs.contains(where: { $0.output == output }) { courses[index].append(output) }
        case .completeCard: courses[index].append(.reader(effect, courses[index].toCard))
        default: courses[index].append(.reader(effect, HTTPBody()))
        }
    }

    // MARK: the request to the host

    /// Sends the request, which the journal has.
    mutating func ask(_ index: Int, _ flowEffect: Int?) {
        let course = courses[index]
        // The flow has given it up while it waited for the write.
        if let flowEffect, course.flow?.awaitedEffect != flowEffect { return }
        let operation: HostRequest.Operation =
            switch course.record.request.kind {
            case .purchase, .authorisation, .cash: .authorise
            case .capture: .capture
            case .refund: .refund
            }
        let effect = emit(.ask(HostRequest(operation, course.record, octets: course.toHost)))
        courses[index].toHost = HTTPBody()
        courses[index].lastBookable = now
        courses[index].asking = Course.Asking(
            effect: effect, flowEffect: flowEffect, limit: flowEffect == nil ? now + host.answerLimit : nil)
    }

    /// Goes on after a request that was certainly not sent.
    mutating func notSent(_ index: Int, _ flowEffect: Int?) {
        courses[index].toHost = HTTPBody()
        courses[index].modify(on: date) { $0.apply(.notSent) }
        if let flowEffect {
            feed(index, .hostUnreachable, answering: flowEffect)
        } else {
            finish(index, .fail)
        }
    }

    mutating func answered(_ answer: HostReply, _ effect: Int) {
        if effect == drain?.effect { return drainAnswered(answer) }
        guard let index = courses.firstIndex(where: { $0.asking?.effect == effect }),
            let asking = courses[index].asking
        else { return ignore() }
        hostAnswered()
        courses[index].asking = nil
        guard let flowEffect = asking.flowEffect else { return answered(answer, index, isLate: asking.isLate) }
        guard courses[index].flow?.awaitedEffect == flowEffect else { return answeredLate(answer, index) }
        switch answer {
        case .approved(let approval):
            courses[index].toCard = approval.forCard
            courses[index].modify(on: date) { $0.reference = approval.reference }
            feed(
                index, approval.needsSignature ? .hostApprovedWithSignature : .hostApproved, answering: flowEffect)
        case .declined(let decline):
            courses[index].toCard = decline.forCard
            courses[index].modify(on: date) { $0.refusal = decline.reason }
            feed(index, decline.isReferral ? .hostReferred : .hostDeclined, answering: flowEffect)
        case .refused(let reason):
            courses[index].trouble = .refused
            courses[index].modify(on: date) { $0.refusal = reason }
            feed(index, .hostDeclined, answering: flowEffect)
        case .acknowledged, .notFound, .status:
            courses[index].trouble = .unreadable
            feed(index, .hostAnswerUnreadable, answering: flowEffect)
        }
    }

    /// A late answer to an authorisation. An explicit decline is not reversed; after any other answer the reversal goes on.
    private mutating func answeredLate(_ answer: HostReply, _ index: Int) {
        switch answer {
        case .declined(let decline) where courses[index].record.state == .unknown:
            finish(index, .decline, refusal: decline.reason)
        case .refused(let reason) where courses[index].record.state == .unknown:
            finish(index, .decline, refusal: reason)
        default: ignore()
        }
    }

    mutating func unanswered(_ failure: HostFailure, _ effect: Int) {
        if effect == drain?.effect { return drainUnanswered(failure) }
        guard let index = courses.firstIndex(where: { $0.asking?.effect == effect }),
            let asking = courses[index].asking
        else { return ignore() }
        courses[index].asking = nil
        // The identifier may be that of another payment, which must not be reversed.
        if failure.code == .conflict { courses[index].mustEnquire = true }
        let isAwaited = asking.flowEffect.map { courses[index].flow?.awaitedEffect == $0 } ?? !asking.isLate
        guard isAwaited else { return ignore() }
        if failure.code == .unreadable { courses[index].trouble = .unreadable }
        if failure.code == .notWritable {
            // Without the host it could not be delivered either, so the card must not approve it offline.
            let reason = ReasonText(failure.message)
            courses[index].modify(on: date) { $0.refusal = reason }
            if let flowEffect = asking.flowEffect {
                feed(index, .hostDeclined, answering: flowEffect)
            } else {
                finish(index, .decline, refusal: reason)
            }
        } else if failure.isCertainlyNotSent {
            notSent(index, asking.flowEffect)
        } else if let flowEffect = asking.flowEffect {
            feed(index, .hostAnswerUnreadable, answering: flowEffect)
        } else {
            doubt(index)
        }
    }

    // MARK: the course of captures and refunds

    /// An answer to a capture or a refund.
    private mutating func answered(_ answer: HostReply, _ index: Int, isLate: Bool) {
        switch answer {
        case .approved(let approval):
            courses[index].modify(on: date) { $0.reference = approval.reference }
            finish(index, isLate ? .confirm : .approve)
        case .declined(let decline): finish(index, .decline, refusal: decline.reason)
        case .refused(let reason): finish(index, .decline, refusal: reason)
        case .notFound: finish(index, .decline, refusal: ReasonText("The host does not find the original."))
        case .acknowledged, .status: if isLate { ignore() } else { doubt(index) }
        }
    }

    /// The time limit of a capture or a refund has passed.
    mutating func answerLate(_ index: Int) {
        courses[index].asking?.limit = nil
        courses[index].asking?.isLate = true
        doubt(index)
    }

    /// The outcome of a capture or a refund is not known: the host is asked for it.
    private mutating func doubt(_ index: Int) {
        courses[index].modify(on: date) { record in
            if record.apply(.doubt) { record.delivery = Delivery(.enquiry) }
        }
        courses[index].append(.report(courses[index].report))
    }

    /// Changes the state, removes the delivery, and reports.
    mutating func finish(_ index: Int, _ change: AttemptChange, refusal: ReasonText? = nil) {
        guard AttemptTable.next(courses[index].record.state, change) != nil else { return ignore() }
        courses[index].modify(on: date) { record in
            record.apply(change)
            record.delivery = nil
            if let refusal { record.refusal = refusal }
        }
        courses[index].append(.report(courses[index].report))
    }
}

extension Course {
    /// Whether the card has approved without the host, and the host does not have the payment yet.
    var isOfflineApproval: Bool {
        if record.delivery?.purpose == .advice { return true }
        guard let flow, flow.outcome == nil, flow.cryptogram == .tc else { return false }
        return flow.journal.host == .notAsked || flow.journal.host == .unreachable
    }
}

extension AttemptRecord {
    /// Notes an effect of the flow.
    fileprivate mutating func note(_ action: PaymentAction, _ sealed: HTTPBody) {
        switch action {
        case .writeJournal(let journal): flow = journal
        case .askHost: apply(.ask)
        case .reverse(let cause):
            if apply(flow?.host == .approved ? .reverse : .doubt) { delivery = Delivery(.reversal(cause)) }
        case .storeRecord:
            guard apply(.approve) else { break }
            // The record for settlement is this record; both are one write.
            flow?.isRecordStored = true
            if flow?.host != .approved {
                delivery = Delivery(.advice, octets: sealed)
            } else if sealed.count > 0 {
                delivery = Delivery(.completion, octets: sealed)
            }
        case .end(let outcome): end(outcome)
        default: break
        }
    }

    /// Ends an attempt that no reversal and no approval has brought to its state.
    private mutating func end(_ outcome: PaymentOutcome) {
        switch outcome {
        case .approved, .approvedOffline: break
        case .cancelled: apply(.cancel)
        case .declinedByCard, .declinedOffline, .declinedOnline, .declinedSignature, .notAccepted: apply(.decline)
        case .failedPreparation, .failedLink, .failedCardRemoved, .failedTimeout, .failedKernel, .failedUnableOnline,
            .failedHostTimeout, .failedAutoReversed, .failedRecovered:
            // The host has declined, and the flow was broken off before it ended.
            apply(state == .asked && flow?.host == .declined ? .decline : .fail)
        }
    }
}

extension PaymentEvent {
    /// Whether the program may hand it in. The others are the desk's own; the amount is bound to the identifier.
    fileprivate var isOfProgram: Bool {
        switch self {
        case .start, .amountChanged, .timer, .crash, .recovered, .recordStored, .hostApproved,
            .hostApprovedWithSignature, .hostDeclined, .hostReferred, .hostUnreachable, .hostAnswerUnreadable,
            .hostAnsweredLate, .answeredLate:
            false
        default: true
        }
    }

    /// The cryptogram that counts for a TC that is not allowed.
    fileprivate var declined: PaymentEvent {
        switch self {
        case .firstTC, .firstTCWithSignature: .firstAAC
        case .secondTC, .secondTCWithSignature: .secondAAC
        default: self
        }
    }
}
