// The queue of messages that must reach the host: one at a time, reversals and enquiries first, until each is answered.

/// The message of the queue that is at the host.
package struct Drain: Sendable, Hashable {
    package let effect: Int
    package let attempt: AttemptIdentifier
    package let purpose: Delivery.Purpose
    /// Whether the host was asked for the state of the attempt.
    package let isEnquiry: Bool
    package let sent: Duration
    /// The end of the time limit.
    package let limit: Duration
}

extension PaymentDesk {
    /// The place and the time of the next message; nil if none is queued. A message counts only if the journal has it.
    private var nextMessage: (index: Int, due: Duration)? {
        var best: (index: Int, due: Duration, isUrgent: Bool)?
        for (index, course) in courses.enumerated() where course.isSettled && course.record.isDeliveryQueued {
            guard let delivery = course.record.delivery else { continue }
            let due = max(course.notBefore ?? now, pause ?? now, now)
            let isUrgent = delivery.purpose.isUrgent
            // Of messages that are due, the urgent ones go first, then those of attempts that began first.
            let isFirst = best.map { due < $0.due || (due == $0.due && isUrgent && !$0.isUrgent) } ?? true
            if isFirst { best = (index, due, isUrgent) }
        }
        return best.map { ($0.index, $0.due) }
    }

    var nextDelivery: Duration? { nextMessage?.due }

    /// Sends the next message if it is due and none is at the host.
    mutating func deliverNext() {
        guard drain == nil, let (index, due) = nextMessage, due <= now, let delivery = courses[index].record.delivery
        else { return }
        let record = courses[index].record
        let request: HostRequest
        switch delivery.purpose {
        case .reversal where courses[index].mustEnquire, .enquiry: request = HostRequest(.enquire, record)
        case .reversal(let cause): request = HostRequest(.reverse, record, cause: cause, note: delivery.note)
        case .completion: request = HostRequest(.complete, record, octets: delivery.octets)
        case .advice: request = HostRequest(.advise, record, octets: delivery.octets)
        case .signature: request = HostRequest(.sign, record, octets: delivery.octets)
        }
        if request.operation.canBook { courses[index].lastBookable = now }
        let effect = emit(.ask(request))
        drain = Drain(
            effect: effect, attempt: record.identifier, purpose: delivery.purpose,
            isEnquiry: request.operation == .enquire, sent: now, limit: now + host.answerLimit)
    }

    /// The host has answered something: it can be reached.
    mutating func hostAnswered() {
        unsent = 0
        pause = nil
    }

    /// The unusable answers to a message, one after another, after which a person must look at it: more than two hours by the
    /// waits of the default. It is our choice.
    package static let maxUnusableAnswers = 20

    mutating func drainUnanswered(_ failure: HostFailure) {
        guard !failure.isCertainlyNotSent || failure.code == .notWritable, let drain else {
            return drainUnanswered(isCertainlyNotSent: failure.isCertainlyNotSent)
        }
        self.drain = nil
        guard let index = index(of: drain) else { return }
        switch failure.code {
        case .notWritable where drain.purpose == .signature: return delivered(index)
        // A message that the host's format cannot express would be repeated for ever.
        case .notWritable: return needsAttention(index, ReasonText(failure.message))
        case .conflict:
            courses[index].mustEnquire = true
            courses[index].unusableAnswers += 1
        case .unreadable: courses[index].unusableAnswers += 1
        default: break
        }
        guard courses[index].unusableAnswers < Self.maxUnusableAnswers else {
            if drain.purpose == .signature { return delivered(index) }
            return needsAttention(index, ReasonText(failure.message))
        }
        sendAgain(index)
    }

    mutating func drainUnanswered(isCertainlyNotSent: Bool) {
        guard let drain else { return }
        self.drain = nil
        if isCertainlyNotSent {
            unsent += 1
            pause = now + host.waits.wait(after: unsent)
        } else if let index = index(of: drain) {
            sendAgain(index)
        }
    }

    mutating func drainAnswered(_ answer: HostReply) {
        guard let drain else { return }
        self.drain = nil
        hostAnswered()
        // The attempt may have ended in that time, by a late decline.
        guard let index = index(of: drain) else { return ignore() }
        // An approval that an enquiry found does not show that the host takes the reversal.
        var isFoundApproved = false
        if drain.isEnquiry, case .status(.approved) = answer { isFoundApproved = true }
        if !isFoundApproved { courses[index].unusableAnswers = 0 }
        switch (drain.purpose, answer) {
        // No money depends on the image, so that no person is needed if the host does not take it.
        case (.signature, .acknowledged), (.signature, .refused), (.signature, .notFound), (.signature, .status):
            delivered(index)
        case (.reversal, .status(let status)), (.enquiry, .status(let status)): found(status, index, drain)
        case (_, .refused(let reason)): needsAttention(index, reason)
        case (.reversal, .notFound) where !drain.isEnquiry: notFound(index)
        case (.reversal, .notFound), (.enquiry, .notFound): found(.nothingBooked, index, drain)
        case (.reversal, .acknowledged) where !drain.isEnquiry: finish(index, .acknowledge)
        case (.completion, .acknowledged), (.advice, .acknowledged): delivered(index)
        case (.advice, .approved(let approval)):
            courses[index].modify(on: date) { $0.reference = approval.reference ?? $0.reference }
            delivered(index)
        // The host has it: an answer was lost, and its state has changed since.
        case (.advice, .status(.approved(let reference))):
            courses[index].modify(on: date) { $0.reference = reference ?? $0.reference }
            delivered(index)
        case (.advice, .declined(let decline)): needsAttention(index, decline.reason)
        case (.advice, .status(.declined(let reason))), (.completion, .status(.declined(let reason))):
            needsAttention(index, reason)
        case (.advice, .status(.reversed)), (.completion, .status(.reversed)):
            needsAttention(index, ReasonText("The host has reversed the payment."))
        case (.completion, .notFound), (.advice, .notFound):
            needsAttention(index, ReasonText("The host does not find the payment."))
        // Answers that do not belong to the request.
        case (_, .approved), (_, .declined), (_, .acknowledged), (_, .status): sendAgain(index)
        }
    }

    /// The place of the attempt of a message, if the message is still queued.
    private func index(of drain: Drain) -> Int? {
        guard let index = index(of: drain.attempt), courses[index].record.delivery?.purpose == drain.purpose else {
            return nil
        }
        return index
    }

    /// The host does not know what it shall reverse: it is asked for the state.
    private mutating func notFound(_ index: Int) {
        if courses[index].isFoundApproved { courses[index].contradictions += 1 }
        guard courses[index].contradictions < 2 else {
            return needsAttention(
                index, ReasonText("The host reports the payment approved, and does not find it to reverse it."))
        }
        courses[index].mustEnquire = true
        courses[index].notBefore = nil
    }

    /// The answer to an enquiry.
    private mutating func found(_ status: HostStatus, _ index: Int, _ drain: Drain) {
        let isReversal = drain.purpose != .enquiry
        let state = courses[index].record.state
        switch status {
        case .approved(let reference):
            courses[index].modify(on: date) { $0.reference = reference ?? $0.reference }
            guard isReversal else { return finish(index, .confirm) }
            courses[index].mustEnquire = false
            if drain.isEnquiry { courses[index].isFoundApproved = true } else { sendAgain(index) }
            guard state == .unknown else { return }
            courses[index].modify(on: date) { $0.apply(.findBooked) }
            courses[index].append(.report(courses[index].report))
        case .declined(let reason): finish(index, state == .unknown ? .decline : .findNothing, refusal: reason)
        case .reversed: finish(index, .acknowledge)
        case .nothingBooked:
            if isCurrent(drain, index) { finish(index, .findNothing) } else { sendAgain(index) }
        case .pending: sendAgain(index)
        case .otherPayment:
            courses[index].mustEnquire = true
            courses[index].otherPayments += 1
            guard courses[index].otherPayments > 1 else { return sendAgain(index) }
            needsAttention(index, ReasonText("The host has another payment with this identifier."))
        }
    }

    /// Whether "nothing booked" proves that nothing will be: no request that was sent before can still arrive.
    private func isCurrent(_ drain: Drain, _ index: Int) -> Bool {
        guard !host.closesUnknownIdentifiers, let last = courses[index].lastBookable else { return true }
        return drain.sent - last >= host.requestLifetime
    }

    /// The host has the message of an approved attempt. The image of its signature follows.
    private mutating func delivered(_ index: Int) {
        courses[index].modify(on: date) { record in
            record.delivery = record.signature.count > 0 ? Delivery(.signature, octets: record.signature) : nil
            record.signature = HTTPBody()
        }
        courses[index].resumeDelivery()
        courses[index].append(.report(courses[index].report))
    }

    private mutating func needsAttention(_ index: Int, _ reason: ReasonText) {
        let date = date
        courses[index].modify(on: date) { record in
            // The delivery is kept: only a person can decide that the host will never have it.
            guard record.apply(.refuse) else { return }
            record.attention = Attention(reason, since: date)
        }
        courses[index].append(.report(courses[index].report))
    }

    /// Counts an attempt without a usable answer, and waits.
    private mutating func sendAgain(_ index: Int) {
        let date = date
        courses[index].modify(on: date) { record in
            guard let delivery = record.delivery else { return }
            record.delivery?.tries = min(delivery.tries + 1, Delivery.maxAttempts)
        }
        courses[index].notBefore = now + host.waits.wait(after: courses[index].record.delivery?.tries ?? 1)
    }
}
