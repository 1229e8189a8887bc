import JackdawEMV
import JackdawPayments

// The log of a payment in developer mode: its steps, the terminal's tasks and events, and its end.

extension DeveloperLog {
    /// Notes an effect of a payment. Names of cardholders and applications, card numbers and sealed data are left out.
    func note(_ effect: AcceptPayEffect) {
        switch effect {
        case .progress(let step): note("step \(step)")
        case .carryOut(let effect, let forCard):
            note("terminal \(effect.identifier) \(effect.action.name), \(forCard.count) bytes for the card")
        case .choose(let index): note("application \(index) is chosen")
        case .send(let event, let answered, let sealed):
            let answer = answered.map { " answers \($0)" } ?? ""
            note("event \(event.rawValue)\(answer), \(sealed.count) sealed bytes")
        case .askSignature(_, _, let brand, let request): note("signature \(request) is asked for, card \(brand)")
        case .askVerification(let request): note("comparison of the signature \(request) is asked for")
        case .askApplication(let names, let request):
            note("choice of \(names.count) applications \(request) is asked for")
        case .cancelled(let isDone): note(isDone ? "cancelled" : "too late to cancel")
        case .sendDecline(let sealed): note("the card's answer to the decline, \(sealed.count) sealed bytes")
        case .end: break
        }
    }

    /// Ends the log of a payment.
    func end(_ result: Result<AcceptTransaction, AcceptError>) {
        switch result {
        case .success(let payment): end("end \(payment.status.rawValue)")
        case .failure(let error):
            let number = error.code.number.map { " \($0)" } ?? ""
            let outcome = error.decline.map { ", \($0.outcome.rawValue)" } ?? ""
            end("end \(error.code.domain)\(number) \(error.code.name)\(outcome)")
        }
    }
}
