import JackdawEMV
import JackdawPayments
package import JackdawSimulator

/// The recording of a payment, which `jackdaw emv replay` opens.
package struct SoakRecording: Sendable, Hashable {
    /// The identifier of the attempt.
    package let attempt: String
    /// The steps, without card data.
    package let recording: PaymentRecording
}

/// The steps of the payment flows of a run, by attempt.
struct SoakRecordings {
    private var entries: [AttemptIdentifier: (start: Duration, entries: [PaymentEntry])] = [:]

    /// The longest time of a recording.
    private static let latest = Duration.seconds(6 * 86_400)

    mutating func add(_ step: FlowStep, at now: Duration) {
        let start = entries[step.attempt]?.start ?? now
        guard now - start <= Self.latest else { return }
        let cause: PaymentStep.Cause =
            switch step.cause {
            case .event(let event, let answered): .event(event, answering: answered)
            case .restart(let journal): .restart(journal)
            }
        let made = PaymentStep(
            time: now - start, cause: cause, phase: step.flow.phase,
            deadline: step.flow.nextDeadline.map { $0 - start },
            effects: step.effects)
        entries[step.attempt, default: (start, [])].entries.append(.step(made))
    }

    /// The recording of an attempt; nil if it has no steps.
    func recording(of record: AttemptRecord, _ policy: PaymentPolicy) -> SoakRecording? {
        guard let entries = entries[record.identifier]?.entries else { return nil }
        let header = PaymentRecording.Header(
            link: "sim:soak", card: "soak", amount: record.request.amount, policy: policy)
        return SoakRecording(
            attempt: record.identifier.rawValue, recording: PaymentRecording(header: header, entries: entries))
    }
}

extension SoakWorld {
    /// The recordings of the payments, or of those of the violation's sale.
    var keptRecordings: [SoakRecording] {
        var attempts = disk.attempts
        if let attempt = checker.violation?.attempt.flatMap({ AttemptIdentifier(rawValue: $0) }),
            let record = disk[attempt]
        {
            attempts = disk.attempts(of: record.request.sale)
        }
        let policy = newDesk().policy
        return attempts.compactMap { attempt in
            disk[attempt].flatMap { recordings.recording(of: $0, policy) }
        }
    }
}
