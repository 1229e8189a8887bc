@testable import JackdawEMV
@testable import JackdawReaders
import JackdawTestSupport
import JackdawTransport

/// A payment at a reader with a kernel that a test plays: messages of the reader go in, and messages and events come out.
struct ReaderPaymentBench<Payment: ReaderPayment & ~Copyable, Wire>: ~Copyable {
    var payment: Payment
    let wire: Wire
    var now = Duration.zero
    /// The messages that were sent, and the names of the events with the effects that they answer.
    private(set) var log: [String] = []
    /// The causes of failures.
    private(set) var troubles: [ReaderTrouble] = []
    /// The reports of input that changed nothing.
    private(set) var notes: [String] = []
    private var next = 0
    /// A message that was sent, in words.
    private let name: ([UInt8]) -> String

    init(_ payment: consuming Payment, _ wire: Wire, _ name: @escaping ([UInt8]) -> String) {
        self.payment = payment
        self.wire = wire
        self.name = name
    }

    /// Carries out an action, whose effect has the next number.
    mutating func carryOut(_ action: PaymentAction, host: HostResponse? = nil) {
        next += 1
        take(
            payment.carryOut(PaymentEffect(identifier: next, action: action), host: host, isTapAllowed: false, at: now))
    }

    mutating func choose(_ index: Int) { take(payment.choose(index, at: now)) }

    mutating func receive(_ bytes: [UInt8]) { take(payment.receive(bytes.span, at: now)) }

    mutating func lose() { take(payment.lose()) }

    /// Lets time pass.
    mutating func wait(_ duration: Duration) {
        now += duration
        take(payment.advance(to: now))
    }

    /// Returns what happened since the last call.
    @discardableResult
    mutating func takeLog() -> [String] {
        defer { log = [] }
        return log
    }

    private mutating func take(_ outputs: [ReaderPaymentOutput]) {
        for output in outputs {
            switch output {
            case .send(let bytes): log.append("> " + name(bytes))
            case .event(let event, let identifier): log.append(event.rawValue + (identifier.map { " \($0)" } ?? ""))
            case .trouble(let trouble): troubles.append(trouble)
            case .note(let text): notes.append(text)
            case .power(let power): log.append("power " + power.rawValue)
            }
        }
    }
}
