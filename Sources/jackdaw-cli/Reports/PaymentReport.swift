import JackdawEMV
import JackdawSimulator

/// Writes lines and objects to standard output.
protocol ResultWriter {
    func result(_ line: String)
    func result(_ object: JSONObject)
}

extension Console: ResultWriter {}

extension Conversation: ResultWriter {}

/// Prints a payment with a virtual card: the texts at the till, with the trace also steps and messages, and the result.
struct PaymentReport<Writer: ResultWriter> {
    let writer: Writer
    let isJSON: Bool
    let isTracing: Bool

    /// Prints the outputs of a step.
    func add(_ outputs: [PaymentRun.Output]) {
        for output in outputs {
            switch output {
            case .prompt(let prompt, let time): add(prompt, time)
            case .entry(.step(let step)) where isTracing: add(step)
            case .entry(.message(let message)) where isTracing: add(message)
            case .entry: break
            }
        }
    }

    private func add(_ prompt: TillPrompt, _ time: Duration) {
        guard isJSON else { return writer.result("\(Self.column(time))  \(prompt.text)") }
        var object = JSONObject()
        object.add("event", "prompt")
        object.add("seconds", time / .seconds(1), decimals: 6)
        object.add("prompt", prompt.code)
        object.add("text", prompt.text)
        writer.result(object)
    }

    private func add(_ step: PaymentStep) {
        guard isJSON else {
            let limit = step.deadline.map { ", until \($0.recorded) s" } ?? ""
            writer.result(
                "\(Self.column(step.time))    \(step.name)\(step.answered.map { ", answers \($0)" } ?? "")"
                    + ": \(step.phase.rawValue)\(limit)")
            for effect in step.effects { writer.result("\(Self.blanks)      \(effect.recorded)") }
            return
        }
        var object = JSONObject()
        object.add("event", "step")
        object.add("seconds", step.time / .seconds(1), decimals: 6)
        PaymentStepReport.add(step, to: &object)
        writer.result(object)
    }

    private func add(_ message: PaymentMessage) {
        guard isJSON else {
            let direction = message.isSent ? "sent    " : "received"
            return writer.result("\(Self.column(message.time))    \(direction)  \(message.octets.recorded)")
        }
        var object = JSONObject()
        object.add("event", "message")
        PaymentStepReport.add(message, to: &object)
        writer.result(object)
    }

    /// The time in seconds, as wide as those of an hour.
    private static func column(_ time: Duration) -> String {
        fixed(time / .seconds(1), 3).padded(to: 8, alignedRight: true) + " s"
    }

    private static var blanks: String { String(repeating: " ", count: 10) }

    /// Prints the result of the payment.
    func end(_ result: PaymentResult, _ header: PaymentRecording.Header) {
        guard isJSON else { return lines(result, header).forEach(writer.result) }
        var object = JSONObject()
        object.add("event", "result")
        object.add("result", result.verdict.rawValue)
        object.add("outcome", result.outcome?.rawValue)
        object.add("card", header.card)
        object.add("link", header.link)
        object.add("amount", Int(clamping: header.amount.minorUnits))
        object.add("currency", header.amount.currencyCode.flatMap { Currency.find($0) }?.alphabeticCode)
        object.add("entry", result.entry?.rawValue)
        object.add("pan", result.account)
        object.add("authorisation_code", result.authorisationCode)
        object.add("captured", Int(clamping: result.captured))
        object.add("reversed", result.isReversed)
        object.add("settled", result.isSettled)
        object.add(
            "reasons",
            result.reasons.map { reason in
                var object = JSONObject()
                object.add("code", reason.code)
                object.add("text", reason.text)
                return object
            })
        writer.result(object)
    }

    private func lines(_ result: PaymentResult, _ header: PaymentRecording.Header) -> [String] {
        var facts = ["\(header.amount)"]
        if let entry = result.entry { facts.append("by \(entry.rawValue)") }
        if let account = result.account { facts.append("card \(account)") }
        if let code = result.authorisationCode { facts.append("authorisation code \(code)") }
        var lines = ["\(result.verdict.rawValue): \(facts.joined(separator: ", "))"]
        lines.append("  \(result.outcome?.text ?? "the payment has no end")")
        if !result.isSettled {
            lines.append("  not settled: the issuer has not answered all messages, or the terminal has not refunded")
        }
        let width = result.reasons.map(\.code.count).max() ?? 0
        for reason in result.reasons { lines.append("  \(reason.code.padded(to: width))  \(reason.text)") }
        return lines
    }
}

extension PaymentReport: Sendable where Writer: Sendable {}

extension PaymentOutcome {
    /// The end of a payment in one line.
    var text: String {
        switch self {
        case .approved: "the issuer approved"
        case .approvedOffline: "the card approved without the issuer"
        case .cancelled: "the merchant or the cardholder cancelled"
        case .declinedByCard: "the issuer approved, and the card declined"
        case .declinedOffline: "the card declined without the issuer"
        case .declinedOnline: "the issuer declined"
        case .declinedSignature: "the signature was refused, rejected or not given in time"
        case .notAccepted: "the card or its application is not accepted"
        case .failedPreparation: "the reader could not be prepared"
        case .failedLink: "the link to the reader was lost before the issuer was asked"
        case .failedCardRemoved: "the card was removed before the issuer was asked"
        case .failedTimeout: "a time limit passed before the issuer was asked"
        case .failedKernel: "the transaction was broken off before the issuer was asked"
        case .failedUnableOnline: "the issuer could not be reached, and the card could not decide"
        case .failedHostTimeout: "no usable answer of the issuer came in time"
        case .failedAutoReversed: "the issuer approved, and card or reader were lost before the card's decision"
        case .failedRecovered: "the program was killed during the payment"
        }
    }
}
