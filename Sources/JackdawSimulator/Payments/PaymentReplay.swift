package import JackdawEMV

/// A recorded payment, stepped again: its events are fed into a fresh `PaymentFlow`, and the states and effects of each must
/// be those of the recording.
package struct PaymentReplay: Sendable {
    /// The recording that is replayed.
    package let recording: PaymentRecording
    /// The steps as they were recorded.
    package let steps: [PaymentStep]
    /// The messages after each step and before the next one.
    package let messages: [[PaymentMessage]]
    /// The first step that differs; nil if all are equal.
    package let difference: Difference?

    /// The payment after each step.
    private let flows: [PaymentFlow]

    /// A step that was recorded otherwise.
    package struct Difference: Sendable, Hashable, CustomStringConvertible {
        /// The index of the step, from 0.
        package let index: Int
        /// The step of the recording.
        package let recorded: PaymentStep
        /// The step that the payment makes.
        package let made: PaymentStep

        /// The facts that differ, without the number of the step.
        package var description: String {
            var facts: [String] = []
            if recorded.phase != made.phase {
                facts.append("the phase is \(made.phase.rawValue), recorded \(recorded.phase.rawValue)")
            }
            if recorded.deadline != made.deadline {
                let ends = [made, recorded].map { $0.deadline?.recorded ?? "no time" }
                facts.append("the time limit ends at \(ends[0]), recorded \(ends[1])")
            }
            if recorded.effects != made.effects {
                let lists = [made, recorded].map { $0.effects.map(\.recorded).joined(separator: ", ") }
                facts.append("the effects are [\(lists[0])], recorded [\(lists[1])]")
            }
            return facts.joined(separator: "; ")
        }
    }

    /// The rules of the payment.
    private let policy: PaymentPolicy

    /// Replays a recording as a whole.
    package init(_ recording: PaymentRecording) {
        self.recording = recording
        var steps: [PaymentStep] = []
        var messages: [[PaymentMessage]] = []
        for entry in recording.entries {
            switch entry {
            case .step(let step):
                steps.append(step)
                messages.append([])
            // A message before the first event belongs to no step.
            case .message(let message): if !messages.isEmpty { messages[messages.count - 1].append(message) }
            }
        }
        self.steps = steps
        self.messages = messages
        // Files of earlier programs do not have the rules: those of the link.
        policy = recording.header.policy ?? Self.policy(recording.header.link)
        var flow = PaymentFlow(policy: policy)
        var flows: [PaymentFlow] = []
        var difference: Difference?
        for (index, step) in steps.enumerated() {
            let made = Self.make(step.cause, &flow, policy, at: step.time)
            flows.append(flow)
            if difference == nil, made != step {
                difference = Difference(index: index, recorded: step, made: made)
            }
        }
        self.flows = flows
        self.difference = difference
    }

    /// The rules of payments at a reader, by the name of its link in a recording.
    private static func policy(_ link: String) -> PaymentPolicy {
        if let link = PaymentLink(recordedAs: link) { return link.policy }
        return SwipeLink(recordedAs: link) == nil ? PaymentPolicy() : SwipeLink.policy()
    }

    private static func make(
        _ cause: PaymentStep.Cause, _ flow: inout PaymentFlow, _ policy: PaymentPolicy, at time: Duration
    ) -> PaymentStep {
        var effects: [PaymentEffect] = []
        switch cause {
        case .event(let event, let identifier): effects = flow.receive(event, answering: identifier, at: time)
        case .restart(let journal): flow = PaymentFlow(restoring: journal, policy: policy)
        }
        return PaymentStep(cause, flow, effects, at: time)
    }

    /// The journal after a step.
    /// - Parameter index: an index of ``steps``.
    /// - Returns: the journal of the payment at that step, as this program has it.
    package func journal(after index: Int) -> PaymentJournal { flows[index].journal }

    // MARK: going on with another answer

    /// The rest of a payment that went on otherwise.
    package struct Continuation: Sendable, Hashable {
        /// The steps, the answers first.
        package let steps: [PaymentStep]
        /// The end of the payment; nil if it has none.
        package let outcome: PaymentOutcome?
        /// The journal at the end.
        package let journal: PaymentJournal
    }

    /// The most answers of a continuation.
    package static let maxAnswers = 100
    /// The most steps after the answers. From every state, fewer time-outs lead to the end.
    private static let maxFurther = 100

    /// Goes on from a step with other events than the recorded ones: first the given ones, then nothing comes any more. A
    /// time-out follows each time limit, a record is stored when that is asked for, and a program that was killed
    /// is started again.
    /// - Parameters:
    ///   - index: an index of ``steps``.
    ///   - answers: the events, at most ``maxAnswers``; each comes at once. `timer` comes when the time limit ends, and an
    ///     event that answers an effect answers the one that is open.
    /// - Returns: the steps and the end.
    package func continuation(after index: Int, with answers: [PaymentEvent]) -> Continuation {
        var flow = flows[index]
        var now = steps[index].time
        var made: [PaymentStep] = []
        func make(_ cause: PaymentStep.Cause) { made.append(Self.make(cause, &flow, policy, at: now)) }
        func take(_ event: PaymentEvent) {
            if event == .timer, let deadline = flow.nextDeadline { now = max(now, deadline) }
            make(.event(event, answering: event.isAnswer ? flow.awaitedEffect : nil))
        }
        for answer in answers.prefix(Self.maxAnswers) { take(answer) }
        for _ in 0..<Self.maxFurther {
            switch flow.phase {
            case .finalising: take(.recordStored)
            case .crashed:
                make(.restart(flow.journal))
                take(.recovered)
            case _ where flow.nextDeadline != nil: take(.timer)
            default: return Continuation(steps: made, outcome: flow.outcome, journal: flow.journal)
            }
        }
        return Continuation(steps: made, outcome: flow.outcome, journal: flow.journal)
    }
}

extension PaymentEffect {
    /// The identifier and the name of the effect, with the content of a journal.
    package var recorded: String {
        guard case .writeJournal(let journal) = action else { return "\(identifier) \(action.name)" }
        return "\(identifier) \(action.name): \(journal.recorded)"
    }
}

extension PaymentJournal {
    /// The content in one line: `card entry chip, host approved, record stored`.
    package var recorded: String {
        var facts = entry.map { ["card entry \($0.rawValue)"] } ?? []
        facts.append("host \(host.rawValue)")
        if isReversalQueued { facts.append("reversal queued") }
        if isRecordStored { facts.append("record stored") }
        if let outcome { facts.append("end \(outcome.rawValue)") }
        return facts.joined(separator: ", ")
    }
}
