import JackdawEMV
import JackdawSimulator

/// The steps of a recorded payment, as text and as JSON.
enum PaymentStepReport {
    /// The lines of a step: event, state, effects, and the messages until the next step.
    /// - Parameters:
    ///   - step: the step.
    ///   - title: its place: `step 3 of 14`.
    ///   - journal: the journal after it; nil to leave it out.
    ///   - messages: the messages that follow.
    /// - Returns: the lines, the first one with the event.
    static func lines(
        _ step: PaymentStep, _ title: String, journal: PaymentJournal? = nil, _ messages: [PaymentMessage] = []
    ) -> [String] {
        let answered = step.answered.map { ", answers \($0)" } ?? ""
        var lines = ["\(title), \(step.time.recorded) s: \(step.name)\(answered)"]
        let limit = step.deadline.map { "until \($0.recorded) s" } ?? "no time limit"
        lines.append("  phase     \(step.phase.rawValue), \(limit)")
        if let journal { lines.append("  journal   \(journal.recorded)") }
        for (index, effect) in step.effects.enumerated() {
            lines.append("  \(index == 0 ? "effects " : "        ")  \(effect.recorded)")
        }
        for message in messages {
            let direction = message.isSent ? "sent    " : "received"
            lines.append("  \(direction)  \(message.time.recorded) s  \(message.octets.recorded)")
        }
        return lines
    }

    /// The last line of a payment.
    static func end(_ outcome: PaymentOutcome?, _ journal: PaymentJournal) -> String {
        let reversal = journal.isReversalQueued ? ", reversed" : ""
        return outcome.map { "ends: \($0.rawValue)\(reversal), \($0.text)" } ?? "no end: the recording stops before it"
    }

    /// Adds the fields of a step.
    static func add(_ step: PaymentStep, to object: inout JSONObject) {
        object.add("name", step.name)
        object.add("answers", step.answered)
        object.add("phase", step.phase.rawValue)
        object.add("deadline", step.deadline.map { $0 / .seconds(1) }, decimals: 6)
        object.add("effects", step.effects.map { json($0) })
    }

    /// The object of a step of a replay.
    static func json(
        _ step: PaymentStep, number: Int?, journal: PaymentJournal? = nil, _ messages: [PaymentMessage] = [],
        isEqual: Bool? = nil
    ) -> JSONObject {
        var object = JSONObject()
        object.add("event", "step")
        object.add("step", number)
        object.add("seconds", step.time / .seconds(1), decimals: 6)
        add(step, to: &object)
        object.add("journal", journal.map { json($0) })
        object.add("messages", messages.map { json($0) })
        object.add("equal", isEqual)
        return object
    }

    /// The object of the end of a replay.
    static func json(_ outcome: PaymentOutcome?, _ journal: PaymentJournal) -> JSONObject {
        var object = JSONObject()
        object.add("event", "end")
        object.add("outcome", outcome?.rawValue)
        object.add("reversed", journal.isReversalQueued)
        return object
    }

    /// Adds the fields of a message.
    static func add(_ message: PaymentMessage, to object: inout JSONObject) {
        object.add("seconds", message.time / .seconds(1), decimals: 6)
        object.add("sent", message.isSent)
        object.add("bytes", message.octets.recorded)
    }

    private static func json(_ message: PaymentMessage) -> JSONObject {
        var object = JSONObject()
        add(message, to: &object)
        return object
    }

    private static func json(_ effect: PaymentEffect) -> JSONObject {
        var object = JSONObject()
        object.add("id", effect.identifier)
        object.add("action", effect.action.name)
        if case .writeJournal(let journal) = effect.action { object.add("journal", json(journal)) }
        return object
    }

    private static func json(_ journal: PaymentJournal) -> JSONObject {
        var object = JSONObject()
        object.add("entry", journal.entry?.rawValue)
        object.add("host", journal.host.rawValue)
        object.add("reversal", journal.isReversalQueued)
        object.add("stored", journal.isRecordStored)
        object.add("outcome", journal.outcome?.rawValue)
        return object
    }
}

extension PaymentStep {
    /// The identifier of the effect that the event answers; nil if it answers none.
    var answered: Int? {
        guard case .event(_, let identifier) = cause else { return nil }
        return identifier
    }
}
